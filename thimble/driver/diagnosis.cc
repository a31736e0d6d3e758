// SPDX-License-Identifier: Apache-2.0
#include "thimble/driver/diagnosis.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "thimble/driver/driver.h"
#include "thimble/driver/input_difference.h"
#include "thimble/driver/stage_functions.h"
#include "thimble/emit/working_program.h"
#include "thimble/model/error.h"
#include "thimble/program/trace_points.h"
#include "thimble/reference/interpreter.h"
#include "thimble/target/size.h"

namespace thimble {
namespace {

bool is_read(const Program& program, BufferId buffer) {
  bool found = false;
  written_calls(program.nodes, [&](const Call& call) {
    for (const OperandView& view : call.in) found |= view.buffer == buffer;
  });
  return found;
}

// Empty, or what of the trace is not there.
std::string gap(const Program& program, const std::vector<TracedStage>& stages,
                const TracedInference& inference) {
  if (!inference.ended) return "ends early";
  const auto has = [&](const std::map<uint32_t, Bytes>& all, size_t number,
                       const ProgramPort& port) {
    const auto found = all.find(static_cast<uint32_t>(number));
    // One that no operator reads need not be told of.
    return found == all.end() ? !is_read(program, port.buffer)
                              : std::ssize(found->second) == port.size_bytes;
  };
  for (size_t k = 0; k < program.inputs.size(); ++k) {
    if (!has(inference.inputs, k, program.inputs[k])) return "lacks bytes of an input";
  }
  for (size_t k = 0; k < program.states.size(); ++k) {
    if (!has(inference.states, k, program.states[k].before)) return "lacks bytes of a variable";
  }
  bool whole = true;
  for (uint32_t k = 0; k < program.constants.size(); ++k)
    whole &= !is_in_flash(program, program.constants[k]) || inference.constants.contains(k);
  for (uint32_t s = 0; s < stages.size(); ++s) {
    for (uint32_t k = 0; k < stages[s].reads.size(); ++k) whole &= inference.read.contains({s, k});
    for (uint32_t k = 0; k < stages[s].writes.size(); ++k)
      whole &= inference.wrote.contains({s, k});
  }
  return whole ? "" : "lacks lines";
}

// A pass over one inference.
class InferenceCheck {
 public:
  InferenceCheck(const Compiled& compiled, const Program& program,
                 const std::vector<TracedStage>& stages, const TracedInference& inference)
      : compiled_(compiled), program_(program), stages_(stages), inference_(inference) {}

  Diagnosis run(const TensorValues& values) {
    const Graph& graph = compiled_.graph;
    const std::vector<StageSums> sums = checksums(graph, program_, stages_, values);
    const std::vector<std::string> functions = stage_functions(graph, program_);
    for (size_t s = 0; s < stages_.size(); ++s) {
      found_.stage = static_cast<int>(s);
      found_.function = functions[s];
      const TracedStage& stage = stages_[s];
      for (size_t k = 0; k < stage.reads.size(); ++k) {
        if (!is_right(inference_.read, s, k, sums[s].read[k])) return changed(s, stage.reads[k]);
      }
      if (constant_differs(stage)) return found_;
      for (size_t k = 0; k < stage.writes.size(); ++k) {
        if (!is_right(inference_.wrote, s, k, sums[s].wrote[k])) return computed(stage.writes[k]);
      }
    }
    found_.stage = -1;
    found_.function.clear();
    return found_;
  }

 private:
  bool is_right(const std::map<std::pair<uint32_t, uint32_t>, uint32_t>& sums, size_t stage,
                size_t number, uint32_t wanted) {
    const uint32_t sum = sums.at({static_cast<uint32_t>(stage), static_cast<uint32_t>(number)});
    if (sum == wanted) ++found_.compared;
    detail_ = fmt::format("checksum {:08x} instead of {:08x}", sum, wanted);
    return sum == wanted;
  }

  std::string name_of(const Call& call) const {
    return call.op.valid() ? label(compiled_.graph.op(call.op)) : "a copy";
  }

  Diagnosis changed(size_t stage, const TracedRead& read) {
    const PlacedBuffer& buffer = program_.buffer(read.view().buffer);
    found_.finding = Finding::kChanged;
    found_.layer = name_of(*read.call);
    found_.tensor = compiled_.graph.tensor(buffer.tensor).name;
    for (size_t s = 0; s < stage; ++s) {
      for (const TracedWrite& write : stages_[s].writes) {
        if (write.call->out.buffer == buffer.id)
          found_.written_by = stage_functions(compiled_.graph, program_)[s];
      }
    }
    found_.detail = fmt::format("{} bytes {} to {}; {}", program_.memory(buffer.memory).name,
                                with_separators(buffer.address),
                                with_separators(buffer.address + buffer.size_bytes - 1), detail_);
    return found_;
  }

  Diagnosis computed(const TracedWrite& write) {
    found_.finding = Finding::kComputed;
    found_.layer = name_of(*write.call);
    found_.tensor = compiled_.graph.tensor(write.call->out.tensor).name;
    found_.detail = fmt::format("kernel {}; {}", info(write.call->kernel).name, detail_);
    return found_;
  }

  bool constant_differs(const TracedStage& stage) {
    for (const Call* call : stage.calls) {
      std::vector<BufferId> buffers;
      if (call->params >= 0) buffers = program_.params[static_cast<size_t>(call->params)].constants;
      for (const OperandView& view : call->in) buffers.push_back(view.buffer);
      for (const BufferId id : buffers) {
        const int number = program_.buffer(id).constant;
        if (number < 0 || !checked_.insert(number).second) continue;
        const auto sum = inference_.constants.find(static_cast<uint32_t>(number));
        if (sum == inference_.constants.end()) continue;  // it comes from storage
        const ProgramConstant& constant = program_.constants[static_cast<size_t>(number)];
        const uint32_t wanted = checksum(constant.content.data);
        if (sum->second == wanted) {
          ++found_.compared;
          continue;
        }
        found_.finding = Finding::kConstant;
        found_.layer = name_of(*call);
        found_.tensor = constant.name;
        found_.detail =
            fmt::format("{}; checksum {:08x} instead of {:08x}",
                        human_size(std::ssize(constant.content.data)), sum->second, wanted);
        return true;
      }
    }
    return false;
  }

  const Compiled& compiled_;
  const Program& program_;
  const std::vector<TracedStage>& stages_;
  const TracedInference& inference_;
  std::set<int> checked_;
  std::string detail_;
  Diagnosis found_;
};

Bytes given(const Program& program, const ProgramPort& port, const std::map<uint32_t, Bytes>& all,
            size_t number) {
  const auto found = all.find(static_cast<uint32_t>(number));
  if (found == all.end()) return Bytes(static_cast<size_t>(port.size_bytes));
  return from_memory(program, port, found->second);
}

std::optional<Diagnosis> input_finding(const Compiled& compiled, const std::vector<Bytes>& traced,
                                       const std::vector<Bytes>& wanted) {
  for (size_t k = 0; k < traced.size(); ++k) {
    if (traced[k] == wanted[k]) continue;
    const Tensor& tensor = compiled.graph.tensor(compiled.graph.inputs[k].tensor);
    Diagnosis found{.finding = Finding::kInput};
    found.tensor = tensor.name;
    found.detail = input_difference(tensor, wanted[k], traced[k]);
    return found;
  }
  return std::nullopt;
}

std::optional<Diagnosis> state_finding(const Compiled& compiled, const StateValues& left,
                                       const StateValues& now) {
  for (size_t k = 0; k < left.size(); ++k) {
    if (left[k] == now[k]) continue;
    size_t differ = 0;
    for (size_t b = 0; b < left[k].size(); ++b) differ += left[k][b] != now[k][b] ? 1 : 0;
    Diagnosis found{.finding = Finding::kState};
    found.tensor = compiled.graph.tensor(compiled.program.states[k].before.tensor).name;
    found.detail = fmt::format("{} of {} bytes", differ, left[k].size());
    return found;
  }
  return std::nullopt;
}

}  // namespace

std::vector<const TracedInference*> whole_inferences(const Compiled& compiled, const BoardLog& log,
                                                     const std::string& where) {
  const Program program = working_program(compiled.program);
  const std::vector<TracedStage> stages = traced_stages(compiled.graph, program);
  const std::string plan = plan_sha256(compiled);
  std::vector<const TracedInference*> whole;
  std::string why =
      "has no trace: compile with --trace, and hand NAME_trace() a function that "
      "writes a line to the log";
  for (const TracedInference& inference : log.traces) {
    if (!plan.starts_with(inference.origin.plan)) {
      why = fmt::format(
          "has inferences of another plan ({}, in line {}; this one is {}): name the "
          "folder that the firmware was built of",
          inference.origin.plan, inference.origin.line,
          plan.substr(0, inference.origin.plan.size()));
      continue;
    }
    const std::string lacks = gap(program, stages, inference);
    if (lacks.empty()) {
      whole.push_back(&inference);
    } else {
      why = fmt::format(
          "has no inference whole: that in line {} {}{}", inference.origin.line, lacks,
          log.damaged.empty() ? ""
                              : fmt::format("; line {} is damaged: write more slowly, or wait for "
                                            "each to be sent",
                                            log.damaged.front()));
    }
  }
  if (whole.empty()) throw CompileError(where, why);
  return whole;
}

std::vector<Bytes> traced_inputs(const Compiled& compiled, const TracedInference& inference) {
  std::vector<Bytes> inputs;
  for (size_t k = 0; k < compiled.program.inputs.size(); ++k)
    inputs.push_back(given(compiled.program, compiled.program.inputs[k], inference.inputs, k));
  return inputs;
}

Diagnosis diagnose(const Compiled& compiled, const std::vector<const TracedInference*>& inferences,
                   const std::vector<std::vector<Bytes>>& inputs, std::vector<Bytes>& outputs) {
  const Graph& graph = compiled.graph;
  const Program program = working_program(compiled.program);
  const std::vector<TracedStage> stages = traced_stages(graph, program);
  StateValues left;
  Diagnosis found;
  for (size_t number = 0; number < inferences.size(); ++number) {
    const TracedInference& inference = *inferences[number];
    const std::vector<Bytes> traced = traced_inputs(compiled, inference);
    StateValues state;
    for (size_t k = 0; k < compiled.program.states.size(); ++k)
      state.push_back(
          given(compiled.program, compiled.program.states[k].before, inference.states, k));
    const StateValues before = state;
    const TensorValues values = interpret(graph, traced, state);
    outputs.clear();
    for (const Port& port : graph.outputs)
      outputs.push_back(to_port(graph, port, values[port.tensor.index()]));
    const size_t compared = found.compared;
    std::optional<Diagnosis> early;
    const size_t wanted = inputs.size() == 1 ? 0 : number;
    if (wanted < inputs.size()) early = input_finding(compiled, traced, inputs[wanted]);
    const bool follows =
        number > 0 && inference.goes_on_from == inferences[number - 1]->origin.line;
    if (!early && follows && before != initial_state(graph))
      early = state_finding(compiled, left, before);
    found = early ? *early : InferenceCheck(compiled, program, stages, inference).run(values);
    found.compared += compared;
    found.line = inference.origin.line;
    found.inference = static_cast<int>(number) + 1;
    if (found.finding != Finding::kNothing) return found;
    left = state;
  }
  return found;
}

}  // namespace thimble
