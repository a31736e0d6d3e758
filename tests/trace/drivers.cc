// SPDX-License-Identifier: Apache-2.0
#include "tests/trace/drivers.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "thimble/emit/caller.h"
#include "thimble/emit/names.h"

namespace thimble::testing {
namespace {

std::string type_of(const Graph& graph, const ProgramPort& port) {
  return c_type(graph.tensor(port.tensor).type);
}

std::string includes(const std::vector<EmittedProject>& projects) {
  std::string text;
  for (const EmittedProject& p : projects)
    text += fmt::format("#include \"{0}.h\"\n#include \"{0}_weights.h\"\n", p.name);
  text += "#include \"memory_storage.h\"\n";
  return text + "#include <cstdio>\n#include <cstdlib>\n#include <cstring>\n#include <string>\n";
}

// main: by the name of the project.
std::string dispatch(const std::vector<EmittedProject>& projects) {
  std::string text = "int main(int argc, char** argv) {\n  const std::string name = argv[1];\n";
  for (const EmittedProject& p : projects)
    text += fmt::format("  if (name == \"{0}\") return drive_{0}::run(argc > 2);\n", p.name);
  return text + "  return 2;\n}\n";
}

// Tensors of the caller's, as arguments of the emitted functions.
std::string tensor_arguments(const CallerSide& side) {
  std::string text;
  for (const CallerField& field : side.fields) {
    if (field.buffer.valid()) text += ", " + field.name;
  }
  return text;
}

// What a storage begins with, if that is an image: a file beside the project's sources.
std::string image_definition(const EmittedProject& p, const std::string& storage) {
  const std::string file = image_file(p.name, storage);
  const bool there = std::ranges::any_of(
      p.files, [&](const EmittedFile& emitted) { return emitted.path == file; });
  if (!there) return "";
  return fmt::format(
      "  FILE* image_of_{0} = fopen(\"projects/{1}\", \"rb\");\n"
      "  if (image_of_{0} == nullptr) return 5;\n"
      "  if (fread(memory_of_{0}.bytes().data(), 1, memory_of_{0}.bytes().size(), "
      "image_of_{0}) == 0) return 5;\n"
      "  fclose(image_of_{0});\n",
      storage, file);
}

// Drivers of storage, which have the names of what they drive.
std::string storage_definitions(const EmittedProject& p, const char* recording) {
  std::string text;
  for (const MemoryId id : storages(*p.program)) {
    const std::string& storage = p.program->memory(id).name;
    text += fmt::format(
        "  thimble::MemoryStorage memory_of_{1}(\"{1}\", {0}_{1}_bytes{2});\n"
        "{3}  const thimble_storage {1} = memory_of_{1}.driver();\n",
        p.name, storage, recording, image_definition(p, storage));
  }
  return text;
}

std::string run_arguments(const CallerSide& side) {
  std::string text = side.arena_argument();
  for (const std::string& storage : side.storages) text += ", &" + storage;
  text += tensor_arguments(side);
  if (side.received != nullptr) text += ", receive_row";
  if (side.delivered != nullptr) text += ", deliver_row";
  return side.received != nullptr || side.delivered != nullptr ? text + ", nullptr" : text;
}

// A variable of the pointers to several memories, which have the names of its fields.
std::string memories_definition(const CallerSide& side) {
  if (side.memories_type.empty()) return "";
  return fmt::format("  const {} memories{{{}}};\n", side.memories_type,
                     fmt::join(side.arenas, ", "));
}

// Definitions of those of the caller's ports that are in memory of its own.
std::string tensor_definitions(const Program& program, const CallerSide& side,
                               const std::string& name) {
  std::string text;
  for (const CallerField& field : side.fields) {
    if (!field.buffer.valid()) continue;
    text += fmt::format("{0} {1}[{2}_{1}_elements];\n",
                        c_type(program.buffers[field.buffer.index()].type), field.name, name);
  }
  return text;
}

std::string recording_callbacks(const EmittedProject& p, const CallerSide& side) {
  std::string text;
  const auto add = [&](const ProgramPort* port, const char* verb, const char* constness,
                       const char* port_name) {
    if (port == nullptr) return;
    text += fmt::format(
        "void {0}_row(void*, int32_t row, {1}{2}* at) {{\n"
        "  thimble::write_line(thimble::trace_row(\"{0}\", row, thimble::place_of(at), "
        "{3}_{4}_row_bytes));\n}}\n",
        verb, constness, type_of(*p.graph, *port), p.name, port_name);
  };
  add(side.received, "receive", "", "input");
  add(side.delivered, "deliver", "const ", "output");
  return text;
}

std::string push_text(const EmittedProject& p, const CallerSide& side) {
  if (side.received == nullptr || !side.storages.empty()) return "";
  return fmt::format(
      "  static {1} row[{0}_input_row_elements];\n"
      "  std::memset(row, 0x5A, sizeof(row));\n"
      "  {0}_state state;\n  {0}_begin(&state{2}{3});\n"
      "  for (int32_t r = 0; r < {0}_input_rows; ++r) {{\n"
      "    thimble::expect_row(r);\n    {0}_push_rows({4}, &state, row, 1);\n"
      "    thimble::pushed();\n  }}\n",
      p.name, type_of(*p.graph, *side.received), tensor_arguments(side),
      side.delivered != nullptr ? ", deliver_row, nullptr" : "", side.arena_argument());
}

std::string tracing_text(const EmittedProject& p) {
  const CallerSide side = caller_side(*p.program, p.name);
  std::string memories, allocations;
  for (const MemoryId id : arenas(*p.program)) {
    const std::string arena = arena_name(*p.program, id);
    allocations += fmt::format(
        "  const size_t {1}_size = {0}_{1}_bytes / 16 * 16 + 16;\n"
        "  void* {1} = aligned_alloc({0}_{1}_alignment, {1}_size);\n"
        "  std::memset({1}, 0, {1}_size);\n",
        p.name, arena);
    memories += fmt::format("    {{\"{}\", {}, {}_size, false}},\n", p.program->memory(id).name,
                            arena, arena);
  }
  allocations += memories_definition(side) +
                 storage_definitions(p, ", thimble::write_line, thimble::place_of_transfer");
  for (const ProgramConstant& c : p.program->constants) {
    if (!is_in_flash(*p.program, c)) continue;
    memories += fmt::format("    {{\"{0}\", {1}_data::{0}, sizeof({1}_data::{0}), true}},\n",
                            c.name, p.name);
  }
  for (const CallerField& field : side.fields) {
    if (field.buffer.valid())
      memories += fmt::format("    {{\"{0}\", {0}, sizeof({0}), false}},\n", field.name);
  }
  return fmt::format(
      "namespace drive_{0} {{\n{1}{2}"
      "int run(bool push) {{\n"
      "{6}  const thimble::TracedMemory traced[] = {{\n"
      "{3}  }};\n"
      "  thimble::set_memories(traced, sizeof(traced) / sizeof(traced[0]));\n"
      "  if (!push) {{\n    {0}_run({4});\n    return 0;\n  }}\n{5}  return 0;\n}}\n}}\n",
      p.name, recording_callbacks(p, side), tensor_definitions(*p.program, side, p.name), memories,
      run_arguments(side), push_text(p, side), allocations);
}

// Where a port's bytes are: in an arena, the caller's, or all rows of a stream.
std::string port_place(const EmittedProject& p, const CallerSide& side, const ProgramPort& port,
                       const std::string& label) {
  const MemoryId memory = p.program->memory_of(port.buffer);
  if (is_laid_out(memory)) return fmt::format("{}_{}({})", p.name, label, side.arena_argument());
  return memory == kCaller ? label : label + "_rows";
}

std::string real_text(const EmittedProject& p) {
  const CallerSide side = caller_side(*p.program, p.name);
  std::string definitions = tensor_definitions(*p.program, side, p.name), reads, writes;
  const auto stream = [&](const ProgramPort* port, const char* label, const char* constness,
                          const char* verb, const char* copy) {
    if (port == nullptr) return;
    definitions += fmt::format(
        "{0} {1}_rows[{2}_{1}_rows * {2}_{1}_row_elements];\n"
        "void {3}_row(void*, int32_t row, {4}{0}* at) {{\n"
        "  {0}* all = {1}_rows + row * {2}_{1}_row_elements;\n  {5}, {2}_{1}_row_bytes);\n}}\n",
        type_of(*p.graph, *port), label, p.name, verb, constness, copy);
  };
  stream(side.received, "input", "", "receive", "std::memcpy(at, all");
  stream(side.delivered, "output", "const ", "deliver", "std::memcpy(all, at");
  for (size_t k = 0; k < p.program->inputs.size(); ++k) {
    const ProgramPort& port = p.program->inputs[k];
    reads +=
        fmt::format("  if (fread({}, 1, {}, stdin) != {}) {};\n",
                    port_place(p, side, port, port_label("input", k, p.program->inputs.size())),
                    port.size_bytes, port.size_bytes, k == 0 ? "break" : "return 3");
  }
  for (size_t k = 0; k < p.program->outputs.size(); ++k) {
    const ProgramPort& port = p.program->outputs[k];
    writes +=
        fmt::format("  fwrite({}, 1, {}, stdout);\n",
                    port_place(p, side, port, port_label("output", k, p.program->outputs.size())),
                    port.size_bytes);
  }
  std::string reset;
  if (!p.program->states.empty())
    reset = fmt::format("  {}_reset({});\n", p.name, side.arena_argument());
  std::string allocations, frees;
  for (const std::string& arena : side.arenas) {
    allocations += fmt::format(
        "  void* {1} = malloc({0}_{1}_bytes + 0);\n"
        "  if ({0}_{1}_bytes > 0) std::memset({1}, 0xA5, {0}_{1}_bytes);\n",
        p.name, arena);
    frees += fmt::format("  free({});\n", arena);
  }
  allocations += memories_definition(side) + storage_definitions(p, "");
  return fmt::format(
      "namespace drive_{0} {{\n{1}"
      "int run(bool) {{\n{2}{7}  for (;;) {{\n{3}"
      "  {8};\n{5}  }}\n{6}  return 0;\n}}\n}}\n",
      p.name, definitions, allocations, reads, "", writes, frees, reset,
      side.storages.empty()
          ? fmt::format("{}_run({})", p.name, run_arguments(side))
          : fmt::format("if ({}_run({}) != 0) return 4", p.name, run_arguments(side)));
}

}  // namespace

std::string tracing_driver(const std::vector<EmittedProject>& projects) {
  std::string text = includes(projects) + "#include \"recorder.h\"\n";
  for (const EmittedProject& p : projects) text += tracing_text(p);
  return text + dispatch(projects);
}

std::string real_driver(const std::vector<EmittedProject>& projects) {
  std::string text = includes(projects);
  for (const EmittedProject& p : projects) text += real_text(p);
  return text + dispatch(projects);
}

}  // namespace thimble::testing
