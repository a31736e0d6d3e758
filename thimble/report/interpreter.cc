// SPDX-License-Identifier: Apache-2.0
#include "thimble/report/interpreter.h"

#include <nlohmann/json.hpp>
#include <span>

#include "thimble/target/embedded_file.h"

namespace thimble {

std::span<const EmbeddedFile> interpreter_files();  // bench/interpreter.json

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kCounted =
    "tensors, and 32-bit sums of transposed convolutions, as its memory planner lays them out: the "
    "file's operators in their order, "
    "units of 16 bytes, the largest first, of equal ones the later, each at the lowest gap, "
    "nothing "
    "in place; without the interpreter's own structures and without scratch of CMSIS-NN's kernels";
constexpr const char* kMemoryCore = "cortex-m4";

Json measured_json(const MeasuredInterpreter& m, int64_t clock_hz) {
  return {{"core", m.core},
          {"instructions", m.instructions},
          {"milliseconds_at_a_cycle_each",
           clock_hz > 0
               ? Json(1e3 * static_cast<double>(m.instructions) / static_cast<double>(clock_hz))
               : Json()},
          {"arena_bytes", m.arena_bytes},
          {"persistent_bytes", m.persistent_bytes},
          {"model_bytes", m.model_bytes},
          {"code_bytes", m.code_bytes},
          {"static_bytes", m.static_bytes},
          {"stack_bytes", m.stack_bytes},
          {"sram_bytes", m.arena_bytes + m.static_bytes + m.stack_bytes},
          {"flash_bytes", m.model_bytes + m.code_bytes},
          {"source", m.source}};
}

}  // namespace

std::optional<MeasuredInterpreter> measured_interpreter(const std::string& sha256,
                                                        const std::string& core) {
  const Json file = Json::parse(interpreter_files()[0].text);
  for (const Json& model : file.at("models")) {
    if (model.at("sha256") != sha256 || !model.at("instructions").contains(core)) continue;
    const Json& memory = model.at(kMemoryCore);
    return MeasuredInterpreter{.core = core,
                               .instructions = model.at("instructions").at(core),
                               .arena_bytes = memory.at("arena_bytes"),
                               .persistent_bytes = memory.at("persistent_bytes"),
                               .model_bytes = memory.at("model_bytes"),
                               .code_bytes = memory.at("code_bytes"),
                               .static_bytes = memory.at("static_bytes"),
                               .stack_bytes = memory.at("stack_bytes"),
                               .source = file.at("source")};
  }
  return std::nullopt;
}

Json interpreter_json(const std::optional<InterpreterFigures>& found, int64_t clock_hz) {
  if (!found) return nullptr;
  return {{"arena_bytes", found->arena_bytes},
          {"counted", kCounted},
          {"measured", found->measured ? measured_json(*found->measured, clock_hz) : Json()}};
}

}  // namespace thimble
