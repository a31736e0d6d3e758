// SPDX-License-Identifier: Apache-2.0
#include "tests/trace/traced.h"

#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "thimble/devices/process.h"
#include "thimble/emit/caller.h"
#include "thimble/emit/names.h"
#include "thimble/program/trace.h"

namespace thimble::testing {
namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

// Callbacks for rows, which name where they are.
std::string callbacks(const Graph& graph, const CallerSide& side, const std::string& name) {
  std::string text;
  const auto add = [&](const ProgramPort* port, const char* verb, const char* constness,
                       const char* port_name) {
    if (port == nullptr) return;
    text += fmt::format(
        "static void {0}_row(void*, int32_t row, {1}{2}* at) {{\n"
        "  thimble::write_line(thimble::trace_row(\"{0}\", row, thimble::place_of(at), "
        "{3}_{4}_row_bytes));\n}}\n",
        verb, constness, c_type(graph.tensor(port->tensor).type), name, port_name);
  };
  add(side.received, "receive", "", "input");
  add(side.delivered, "deliver", "const ", "output");
  return text;
}

struct Tensors {
  std::string definitions, memories, arguments;
};

// The caller's own, by the names that a trace gives them.
Tensors tensors_of(const Program& program, const CallerSide& side, const std::string& name) {
  Tensors result;
  for (const CallerField& field : side.fields) {
    if (!field.buffer.valid()) continue;
    const DType type = program.buffers[field.buffer.index()].type;
    result.definitions +=
        fmt::format("static {} {}[{}_{}_elements];\n", c_type(type), field.name, name, field.name);
    result.memories += fmt::format("    {{\"{0}\", {0}, sizeof({0}), false}},\n", field.name);
    result.arguments += ", " + field.name;
  }
  return result;
}

std::string push_text(const Graph& graph, const CallerSide& side, const std::string& name,
                      const std::string& tensors) {
  const char* deliver = side.delivered != nullptr ? ", deliver_row, nullptr" : "";
  return fmt::format(
      "  static {1} row[{0}_input_row_elements];\n"
      "  std::memset(row, 0x5A, sizeof(row));\n"
      "  {0}_state state;\n  {0}_begin(&state{2}{3});\n"
      "  for (int32_t r = 0; r < {0}_input_rows; ++r) {{\n"
      "    thimble::expect_row(r);\n    {0}_push_rows(arena, &state, row, 1);\n"
      "    thimble::pushed();\n  }}\n",
      name, c_type(graph.tensor(side.received->tensor).type), tensors, deliver);
}

// Runs an inference in one form or, with an argument, in the other.
std::string driver_text(const Graph& graph, const Program& program, const std::string& name) {
  const CallerSide side = caller_side(graph, program, name);
  const Tensors tensors = tensors_of(program, side, name);
  std::string arguments = tensors.arguments;
  if (side.received != nullptr) arguments += ", receive_row";
  if (side.delivered != nullptr) arguments += ", deliver_row";
  if (side.received != nullptr || side.delivered != nullptr) arguments += ", nullptr";
  std::string constants;
  for (const ProgramConstant& c : program.constants)
    constants +=
        fmt::format("    {{\"{0}\", {1}_data::{0}, sizeof({1}_data::{0}), true}},\n", c.name, name);
  const std::string push =
      side.received == nullptr ? "" : push_text(graph, side, name, tensors.arguments);
  return fmt::format(
      "#include \"{0}.h\"\n#include \"{0}_weights.h\"\n#include \"recorder.h\"\n"
      "#include <cstdlib>\n#include <cstring>\n{1}{2}"
      "int main(int argc, char**) {{\n"
      "  const size_t bytes = {0}_arena_bytes / 16 * 16 + 16;\n"
      "  void* arena = aligned_alloc(16, bytes);\n  std::memset(arena, 0, bytes);\n"
      "  const thimble::TracedMemory memories[] = {{\n"
      "    {{\"arena\", arena, bytes, false}},\n{3}{4}  }};\n"
      "  thimble::set_memories(memories, sizeof(memories) / sizeof(memories[0]));\n"
      "  if (argc == 1) {{\n    {0}_run(arena{5});\n    return 0;\n  }}\n{6}  return 0;\n}}\n",
      name, callbacks(graph, side, name), tensors.definitions, constants, tensors.memories,
      arguments, push);
}

// The first line that is not the program's.
std::string compare(const Graph& graph, const Program& program, const fs::path& file,
                    size_t& lines) {
  std::ifstream recorded(file);
  std::string difference, given;
  trace(graph, program, [&](const std::string& wanted) {
    if (!difference.empty()) return;
    ++lines;
    if (!std::getline(recorded, given)) given = "(nothing)";
    if (given != wanted)
      difference = fmt::format("line {}:\n  program: {}\n  emitted: {}", lines, wanted, given);
  });
  if (difference.empty() && std::getline(recorded, given))
    difference = "the emitted code goes on: " + given;
  return difference;
}

}  // namespace

std::string TraceBuild::compile(const std::vector<std::string>& arguments) const {
  std::vector<std::string> command{"g++", "-std=c++17", "-O0", "-w"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  const ProcessResult result =
      run_process({.arguments = command, .working_folder = folder_.path(), .timeout_seconds = 300});
  return result.exit_status == 0 ? "" : "does not compile:\n" + result.err;
}

std::string TraceBuild::object_of(const std::string& source, const std::string& text,
                                  const std::vector<std::string>& options, std::string& object) {
  const auto [it, added] = objects_.try_emplace(fmt::format("{}{}", fmt::join(options, " "), text));
  object = it->second;
  if (!added) return "";
  object = it->second = (folder_.path() / fmt::format("{}.o", objects_.size())).string();
  std::vector<std::string> arguments = options;
  arguments.insert(arguments.end(), {"-c", source, "-o", object});
  return compile(arguments);
}

std::string TraceBuild::difference(const Graph& graph, const Program& program,
                                   const std::string& name, const std::vector<EmittedFile>& files,
                                   size_t* lines) {
  const fs::path project = folder_.path() / "project";
  fs::remove_all(project);
  for (const EmittedFile& file : files) write(project / file.path, file.text);
  write(project / "driver.cc", driver_text(graph, program, name));
  const std::string trace_folder = std::string(THIMBLE_SOURCE_DIR) + "/tests/trace";
  const std::vector<std::string> options{
      "-I" + project.string(), "-I" + (project / "thimble_runtime" / "include").string(),
      "-I" + trace_folder, "-I" + std::string(THIMBLE_SOURCE_DIR)};
  std::vector<std::string> link = options;
  for (const std::string& source :
       {trace_folder + "/recorder.cc", trace_folder + "/recording_kernels.cc",
        (project / (name + "_weights.cc")).string()}) {
    std::string object;
    const std::string fault = object_of(source, read(source), options, object);
    if (!fault.empty()) return source + " " + fault;
    link.push_back(object);
  }
  link.insert(link.end(), {(project / (name + ".cc")).string(), (project / "driver.cc").string(),
                           "-o", "traced"});
  if (std::string fault = compile(link); !fault.empty()) return fault;
  const bool pushes = caller_side(graph, program, name).received != nullptr;
  for (const char* form : {"", " push"}) {
    if (*form != '\0' && !pushes) break;
    const ProcessResult run =
        run_process({.arguments = {"sh", "-c", fmt::format("./traced{} > trace.txt", form)},
                     .working_folder = folder_.path(),
                     .timeout_seconds = 600});
    if (run.exit_status != 0) return fmt::format("traced{} fails: {}", form, run.err);
    size_t compared = 0;
    const std::string fault = compare(graph, program, folder_.path() / "trace.txt", compared);
    if (!fault.empty()) return fmt::format("{}{}", *form == '\0' ? "" : "rows pushed, ", fault);
    if (lines != nullptr) *lines += compared;
  }
  return "";
}

}  // namespace thimble::testing
