// SPDX-License-Identifier: Apache-2.0
#include "bench/spilled_network.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "thimble/driver/driver.h"
#include "thimble/driver/inference_io.h"
#include "thimble/driver/run.h"
#include "thimble/emit/names.h"
#include "thimble/import/file_bytes.h"
#include "thimble/model/error.h"
#include "thimble/toolchain/process.h"

namespace thimble {
namespace {

constexpr size_t kGuardBytes = 256;
constexpr uint8_t kGuard = 0x5c, kPoison = 0xa7;
constexpr const char* kName = "spilled";

Compiled compiled_network(const std::string& model, const std::string& storage,
                          const std::string& planner) {
  Answer answer = compile({.model = model, .storage = storage, .planner = planner});
  if (const auto* no = std::get_if<Infeasible>(&answer)) throw CompileError(model, no->reason);
  Compiled compiled = std::get<Compiled>(std::move(answer));
  const Program& program = compiled.program;
  if (storages(program).size() != 1) throw CompileError(model, "nothing is spilled");
  if (program.inputs.size() != 1 || program.outputs.size() != 1)
    throw CompileError(model, "networks with one input and one output are supported");
  return compiled;
}

std::filesystem::path built_library(const Compiled& compiled, std::span<const RuntimeFile> runtime,
                                    const std::filesystem::path& folder) {
  require_program("c++", "g++");
  std::vector<std::string> arguments = {"c++",   "-O2",     "-std=c++17", "-ffp-contract=off",
                                        "-fPIC", "-shared", "-o",         "spilled.so"};
  for (const EmittedFile& file : emitted_files(compiled, {.name = kName, .runtime = runtime})) {
    const std::filesystem::path path = folder / file.path;
    std::filesystem::create_directories(path.parent_path());
    write_file(path, std::array<std::string_view, 1>{file.text});
    if (path.extension() == ".cc") arguments.push_back(file.path);
  }
  const ProcessResult result = run_process({.arguments = arguments, .working_folder = folder});
  if (!result.succeeded()) throw InternalError("emitted code does not compile:\n" + result.err);
  return folder / "spilled.so";
}

}  // namespace

SpilledNetwork::SpilledNetwork(const std::string& model, const std::string& storage,
                               const std::string& planner, std::span<const RuntimeFile> runtime)
    : compiled_(compiled_network(model, storage, planner)) {
  library_ =
      dlopen(built_library(compiled_, runtime, folder_.path()).c_str(), RTLD_NOW | RTLD_LOCAL);
  check(library_ != nullptr, "compiled code cannot be loaded");
  run_ = reinterpret_cast<decltype(run_)>(dlsym(library_, fmt::format("{}_run", kName).c_str()));
  check(run_ != nullptr, "emitted code has no function that runs it");
  const auto alignment = static_cast<size_t>(compiled_.program.arena().alignment);
  const auto bytes = static_cast<size_t>(compiled_.program.arena_bytes());
  memory_.assign(bytes + 2 * kGuardBytes + alignment, kGuard);
  const auto begin = reinterpret_cast<uintptr_t>(memory_.data()) + kGuardBytes;
  arena_ = memory_.data() + kGuardBytes + (alignment - begin % alignment) % alignment;
}

SpilledNetwork::~SpilledNetwork() { dlclose(library_); }

const ProgramMemory& SpilledNetwork::storage() const {
  return compiled_.program.memory(storages(compiled_.program)[0]);
}

Bytes SpilledNetwork::input(uint64_t seed) const {
  return seeded_case(compiled_.graph, seed).inputs[0];
}

Bytes SpilledNetwork::expected(uint64_t seed) const {
  return run_reference(compiled_.graph, {seeded_case(compiled_.graph, seed)}).outputs[0][0];
}

void SpilledNetwork::set_input(const Bytes& input) {
  const Program& program = compiled_.program;
  std::fill_n(arena_, program.arena_bytes(), kPoison);
  std::ranges::copy(to_memory(program, program.inputs[0], input),
                    arena_ + program.address(program.inputs[0].buffer));
}

Bytes SpilledNetwork::output() const {
  const Program& program = compiled_.program;
  const ProgramPort& port = program.outputs[0];
  const uint8_t* const at = arena_ + program.address(port.buffer);
  return from_memory(program, port, Bytes(at, at + port.size_bytes));
}

bool SpilledNetwork::guards_intact() const {
  const auto is_guard = [](uint8_t byte) { return byte == kGuard; };
  return std::all_of(memory_.data(), static_cast<const uint8_t*>(arena_), is_guard) &&
         std::all_of(static_cast<const uint8_t*>(arena_) + compiled_.program.arena_bytes(),
                     memory_.data() + memory_.size(), is_guard);
}

}  // namespace thimble
