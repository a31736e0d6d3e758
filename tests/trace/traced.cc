// SPDX-License-Identifier: Apache-2.0
#include "tests/trace/traced.h"

#include <fmt/format.h>

#include <fstream>
#include <set>
#include <sstream>

#include "tests/trace/drivers.h"
#include "thimble/emit/names.h"
#include "thimble/emit/runtime_copy.h"
#include "thimble/model/error.h"
#include "thimble/program/trace.h"
#include "thimble/toolchain/process.h"

namespace thimble::testing {
namespace {

namespace fs = std::filesystem;

const std::string kTraceFolder = std::string(THIMBLE_SOURCE_DIR) + "/tests/trace";

std::string read_text(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

void write_text(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

// The first line that is not the program's.
std::string compare(const EmittedProject& p, const fs::path& file, size_t& lines) {
  std::ifstream recorded(file);
  std::string difference, given;
  size_t number = 0;
  trace(*p.graph, *p.program, [&](const std::string& wanted) {
    if (!difference.empty()) return;
    ++number;
    if (!std::getline(recorded, given)) given = "(nothing)";
    if (given != wanted)
      difference = fmt::format("line {}:\n  program: {}\n  emitted: {}", number, wanted, given);
  });
  if (difference.empty() && std::getline(recorded, given))
    difference = "the emitted code goes on: " + given;
  lines += number;
  return difference;
}

bool takes_rows(const Program& program) {
  return !program.inputs.empty() && program.memory_of(program.inputs[0].buffer) == kStream &&
         storages(program).empty();
}

// The recorder's sources beside the projects. They know the runtime as the repository has it; here
// it is the projects' copy.
void write_recorder(const fs::path& folder) {
  const std::string copy = runtime_namespace(runtime_files(), all_parts());
  write_text(
      folder / "thimble_runtime" / "kernels.h",
      fmt::format("#pragma once\n#include \"../{}/kernels.h\"\n", runtime_folder(runtime_files())));
  for (const char* file : {"recorder.h", "recorder.cc"})
    write_text(folder / file, read_text(fs::path(kTraceFolder) / file));
  std::string kernels = read_text(THIMBLE_RECORDING_KERNELS);
  const std::string opening = "namespace thimble::runtime {";
  check(kernels.find(opening) != std::string::npos, "the recording kernels open no namespace");
  kernels.replace(kernels.find(opening), opening.size(), "namespace " + copy + " {");
  write_text(folder / "recording_kernels.cc", kernels);
}

}  // namespace

fs::path HostBuild::write(const std::vector<EmittedProject>& projects) const {
  fs::path folder = folder_.path() / "projects";
  fs::remove_all(folder);
  const fs::path source = THIMBLE_SOURCE_DIR;
  write_text(folder / "memory_storage.h", read_text(source / "thimble/program/memory_storage.h"));
  write_text(folder / "thimble_runtime/storage.h",
             read_text(source / "runtime/include/thimble_runtime/storage.h"));
  for (const EmittedProject& p : projects) {
    for (const EmittedFile& file : p.files) write_text(folder / file.path, file.text);
  }
  return folder;
}

std::string HostBuild::compile(const std::vector<std::string>& arguments) const {
  std::vector<std::string> command{"g++", "-std=c++17", "-w"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  const ProcessResult result =
      run_process({.arguments = command, .working_folder = folder_.path(), .timeout_seconds = 600});
  return result.exit_status == 0 ? "" : "does not compile:\n" + result.err;
}

std::string HostBuild::object_of(const std::string& source, const std::vector<std::string>& options,
                                 std::string& object) {
  const auto [it, added] =
      objects_.try_emplace(fmt::format("{}{}", fmt::join(options, " "), read_text(source)));
  object = it->second;
  if (!added) return "";
  object = it->second = (folder_.path() / fmt::format("{}.o", objects_.size())).string();
  std::vector<std::string> arguments = options;
  arguments.insert(arguments.end(), {"-c", source, "-o", object});
  return compile(arguments);
}

std::string HostBuild::build_traced(const std::vector<EmittedProject>& projects) {
  const fs::path folder = write(projects);
  write_text(folder / "driver.cc", tracing_driver(projects));
  write_recorder(folder);
  const std::vector<std::string> options{"-O0", "-I" + folder.string(),
                                         "-I" + std::string(THIMBLE_SOURCE_DIR)};
  std::vector<std::string> link = options;
  std::set<std::string> transfers;
  std::vector<std::string> sources{(folder / "recorder.cc").string(),
                                   (folder / "recording_kernels.cc").string()};
  for (const EmittedProject& p : projects) {
    sources.push_back((folder / (p.name + "_weights.cc")).string());
    link.push_back((folder / (p.name + ".cc")).string());
    for (const EmittedFile& file : p.files) {
      if (file.path.find("/storage/") != std::string::npos && file.path.ends_with(".cc"))
        transfers.insert((folder / file.path).string());
    }
  }
  sources.insert(sources.end(), transfers.begin(), transfers.end());
  for (const std::string& source : sources) {
    std::string object;
    if (std::string fault = object_of(source, options, object); !fault.empty())
      return source + " " + fault;
    link.push_back(object);
  }
  link.insert(link.end(), {(folder / "driver.cc").string(), "-o", "traced"});
  return compile(link);
}

std::vector<std::string> HostBuild::trace_differences(const std::vector<EmittedProject>& projects,
                                                      size_t& lines) {
  if (const std::string fault = build_traced(projects); !fault.empty())
    return std::vector<std::string>(projects.size(), fault);
  std::vector<std::string> result;
  for (const EmittedProject& p : projects) {
    std::string difference;
    for (const char* form : {"", " push"}) {
      if (!difference.empty() || (*form != '\0' && !takes_rows(*p.program))) break;
      const std::string command = fmt::format("./traced {}{} > trace.txt", p.name, form);
      const ProcessResult run =
          run_process({.arguments = {"sh", "-c", command}, .working_folder = folder_.path()});
      difference = run.exit_status == 0 ? compare(p, folder_.path() / "trace.txt", lines)
                                        : "it fails: " + run.err;
      if (!difference.empty() && *form != '\0') difference = "rows pushed, " + difference;
    }
    result.push_back(difference);
  }
  return result;
}

std::string HostBuild::build_real(const std::vector<EmittedProject>& projects) {
  const fs::path folder = write(projects);
  write_text(folder / "driver.cc", real_driver(projects));
  const std::vector<std::string> options{"-O1", "-g", "-fsanitize=address,undefined",
                                         "-fno-sanitize-recover=all", "-I" + folder.string()};
  std::vector<std::string> link = options;
  std::set<std::string> sources;
  for (const EmittedProject& p : projects) {
    for (const EmittedFile& file : p.files) {
      if (file.path.ends_with(".cc")) sources.insert((folder / file.path).string());
    }
  }
  for (const std::string& source : sources) {
    std::string object;
    if (std::string fault = object_of(source, options, object); !fault.empty())
      return source + " " + fault;
    link.push_back(object);
  }
  link.insert(link.end(), {(folder / "driver.cc").string(), "-o", "real"});
  return compile(link);
}

std::vector<std::vector<Bytes>> HostBuild::outputs(const std::vector<EmittedProject>& projects,
                                                   const std::vector<std::vector<Bytes>>& inputs) {
  complaint_ = build_real(projects);
  std::vector<std::vector<Bytes>> result(projects.size());
  for (size_t k = 0; k < projects.size() && complaint_.empty(); ++k) {
    const Program& program = *projects[k].program;
    std::string bytes;
    for (size_t i = 0; i < inputs[k].size(); ++i) {
      const Bytes held =
          to_memory(program, program.inputs[i % program.inputs.size()], inputs[k][i]);
      bytes.append(held.begin(), held.end());
    }
    write_text(folder_.path() / "input.bin", bytes);
    const std::string command = fmt::format("./real {} < input.bin > output.bin", projects[k].name);
    const ProcessResult run =
        run_process({.arguments = {"sh", "-c", command}, .working_folder = folder_.path()});
    if (run.exit_status != 0) {
      complaint_ = projects[k].name + ": " + run.err;
      break;
    }
    const std::string written = read_text(folder_.path() / "output.bin");
    size_t at = 0;
    for (size_t o = 0; at < written.size(); ++o) {
      const ProgramPort& port = program.outputs[o % program.outputs.size()];
      const auto size = static_cast<size_t>(port.size_bytes);
      const Bytes held(written.begin() + static_cast<std::ptrdiff_t>(at),
                       written.begin() + static_cast<std::ptrdiff_t>(at + size));
      result[k].push_back(from_memory(program, port, held));
      at += size;
    }
  }
  return result;
}

}  // namespace thimble::testing
