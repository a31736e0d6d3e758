// SPDX-License-Identifier: Apache-2.0
#include "tests/support/board_log_text.h"

#include "thimble/emit/working_program.h"
#include "thimble/program/trace_points.h"
#include "thimble/reference/interpreter.h"
#include "thimble_runtime/log_line.h"

namespace thimble::testing {
namespace {

std::string* log = nullptr;
void take(const char* line) { log->append(line).append("\n"); }

}  // namespace

std::string traced_log(const Compiled& compiled, const std::string& plan_sha256,
                       const std::vector<Bytes>& inputs) {
  std::string text;
  log = &text;
  const Program program = working_program(compiled.program);
  const std::vector<TracedStage> stages = traced_stages(compiled.graph, program);
  const std::vector<StageSums> sums =
      checksums(compiled.graph, program, stages, interpret(compiled.graph, inputs));
  const std::string plan = plan_sha256.substr(0, 16), model = compiled.sha256.substr(0, 16);
  const auto line = [&](const char* what) { return runtime::LogLine(plan.c_str(), what); };
  line("trace").word(model.c_str()).word(plan.c_str()).number(stages.size()).print(take);
  for (uint32_t k = 0; k < program.constants.size(); ++k)
    line("constant")
        .number(k)
        .hexadecimal(checksum(program.constants[k].content.data), 8)
        .print(take);
  for (uint32_t k = 0; k < inputs.size(); ++k) {
    for (size_t at = 0; at < inputs[k].size(); at += runtime::LogLine::kMostBytes) {
      const auto count = std::min<size_t>(runtime::LogLine::kMostBytes, inputs[k].size() - at);
      line("input")
          .number(k)
          .hexadecimal(at, 8)
          .bytes(inputs[k].data() + at, static_cast<int32_t>(count))
          .print(take);
    }
  }
  for (uint32_t s = 0; s < stages.size(); ++s) {
    for (uint32_t k = 0; k < sums[s].read.size(); ++k)
      line("read").number(s).number(k).hexadecimal(sums[s].read[k], 8).print(take);
    for (uint32_t k = 0; k < sums[s].wrote.size(); ++k)
      line("wrote").number(s).number(k).hexadecimal(sums[s].wrote[k], 8).print(take);
  }
  line("end").print(take);
  return text;
}

std::string profile_log(const Compiled& compiled, const std::string& plan_sha256) {
  std::string text;
  log = &text;
  const auto stages =
      static_cast<uint32_t>(nodes_by_step(working_program(compiled.program)).size());
  const std::string plan = plan_sha256.substr(0, 16), model = compiled.sha256.substr(0, 16);
  const auto line = [&](const char* what) { return runtime::LogLine(plan.c_str(), what); };
  line("profile").word(model.c_str()).word(plan.c_str()).number(stages).number(1).print(take);
  for (uint32_t s = 0; s < stages; ++s)
    line("cycles").number(s).hexadecimal(1000 * (uint64_t{s} + 1), 16).print(take);
  line("whole").hexadecimal(500 * uint64_t{stages} * (stages + 1), 16).print(take);
  line("end").print(take);
  return text;
}

}  // namespace thimble::testing
