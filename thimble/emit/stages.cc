// SPDX-License-Identifier: Apache-2.0
#include "thimble/emit/stages.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <tuple>

#include "thimble/emit/call_text.h"
#include "thimble/emit/names.h"
#include "thimble/emit/operand_text.h"
#include "thimble/emit/step_table.h"
#include "thimble/program/trace_points.h"

namespace thimble {
namespace {

// Where fewer steps can be rows of a table it saves little, and small networks feel the 600
// instructions that a row is read with.
constexpr size_t kLeastRows = 16;

constexpr const char* kTick = "tick";  // the counter of the loop that the caller's rows drive

class StageWriter {
 public:
  StageWriter(const Graph& graph, const Program& program, const std::string& data,
              ViewConstants& constants, bool traced)
      : graph_(graph),
        program_(program),
        table_(program, data),
        text_(graph, program, data, constants),
        calls_(graph, program, text_) {
    if (traced) traced_ = traced_stages(graph, program);
    for (const TracedStage& stage : traced_) {
      for (size_t k = 0; k < stage.writes.size(); ++k)
        writes_[stage.writes[k].call] = {k, &stage.writes[k]};
    }
  }

  std::vector<Stage> run() {
    std::vector<Stage> result;
    const std::vector<std::span<const ProgramNode>> steps = nodes_by_step(program_);
    const bool tabled = std::ranges::count_if(steps, [&](const auto& step) {
                          return table_.row_of(step) != nullptr;
                        }) >= std::ptrdiff_t{kLeastRows};
    size_t table_stage = 0;
    for (const std::span<const ProgramNode> step : steps) {
      const Call* call = first_call(step[0]);
      const Call* row = tabled ? table_.row_of(step) : nullptr;
      const size_t number = table_.size();
      if (row != nullptr && table_.add(*row, step_comment(*row), table_numbers(*row))) {
        if (number == 0) table_stage = result.size();
        result.push_back({.name = stage_name(graph_, program_, *row),
                          .call = fmt::format("run_steps(arena, {}, {})", number, number + 1),
                          .row = static_cast<int>(number),
                          .kernels = {row->kernel},
                          .steps = {row->position}});
      } else if (call != nullptr && receives(program_, *call)) {
        const ProgramLoop& loop = std::get<ProgramLoop>(step[0].what);
        result.push_back(stage(std::span(loop.body).subspan(1), &loop));
        const size_t axis = text_.row_axis(call->out);
        std::tie(result.back().rows_begin, result.back().rows_end) =
            text_.bounds(call->axes[axis], call->out.tensor, axis);
        result.back().row_place = text_.row(call->out, "row");
        result.back().row_arena = arena_name(program_, program_.memory_of(call->out.buffer));
      } else {
        result.push_back(stage(step, nullptr));
      }
      if (!traced_.empty()) add_trace(traced_[result.size() - 1], result.back());
    }
    if (table_.size() > 0) {
      result[table_stage].text = table_.text();
      result[table_stage].code = table_.code();
    }
    return result;
  }

 private:
  std::string step_comment(const Call& call) const {
    return fmt::format("// Step {}: {}\n", call.position, describe(call));
  }

  static const Call* first_call(const ProgramNode& node) {
    const Call* first = nullptr;
    written_calls({&node, 1}, [&](const Call& call) {
      if (first == nullptr) first = &call;
    });
    return first;
  }

  // ticks: the loop whose body the nodes are, if the caller's rows drive it.
  Stage stage(std::span<const ProgramNode> nodes, const ProgramLoop* ticks) {
    std::vector<const Call*> calls;
    written_calls(nodes, [&](const Call& call) { calls.push_back(&call); });
    std::set<Position> steps;
    for (const Call* call : calls) steps.insert(call->position);
    const std::string name = function_name(nodes, ticks != nullptr);
    text_.counters.add(nodes);
    if (ticks != nullptr) text_.counters.add(ticks->id, kTick);
    text_.code = {};
    at(text_.code, CodeFeature::kStage) = 1;
    std::string comment;
    for (Position step : steps) {
      const auto call = std::find_if(calls.begin(), calls.end(),
                                     [&](const Call* c) { return c->position == step; });
      comment += step_comment(**call);
    }
    written_transfers(nodes, [&](const TransferCall& transfer) {
      comment += fmt::format("// Step {}: {}\n", transfer.position, stage_name(program_, transfer));
      steps.insert(transfer.position);
    });
    text_.new_regions.clear();
    const std::string text = body(nodes, 1);
    std::string parameters, arguments;
    const auto parameter = [&](const char* type, const std::string& parameter_name) {
      if (!mentions(text, parameter_name)) return;
      parameters += fmt::format("{}{} {}", parameters.empty() ? "" : ", ", type, parameter_name);
      arguments += (arguments.empty() ? "" : ", ") + parameter_name;
    };
    for (const MemoryId memory : arenas(program_))
      parameter("int8_t*", arena_name(program_, memory));
    for (const MemoryId storage : storages(program_))
      parameter("Transfers&", transfers_name(program_, storage));
    parameter("const Caller&", "caller");
    if (ticks != nullptr) {
      comment = "// One tick of the rows:\n" + comment;
      parameter("int32_t", kTick);
    }
    std::set<KernelId> kernels;
    for (const Call* call : calls) {
      if (!delivers(program_, *call)) kernels.insert(call->kernel);
    }
    return {.name = name,
            // Inlined into one function, the addresses of all of them would be kept on its stack.
            .text = fmt::format("{}{}[[gnu::noinline]] void {}({}) noexcept {{\n{}}}\n",
                                text_.new_regions, comment, name, parameters, text),
            .call = fmt::format("{}({})", name, arguments),
            .ticks = ticks == nullptr ? 0 : ticks->count,
            .code = text_.code,
            .kernels = std::move(kernels),
            .steps = std::move(steps)};
  }

  // "conv_2d_0_to_add_7_by_rows": operators have numbers, so that the model's own names, which may
  // be anything, are not needed.
  std::string function_name(std::span<const ProgramNode> nodes, bool ticks) {
    std::map<Position, std::string> parts;
    written_calls(nodes, [&](const Call& call) {
      parts.emplace(call.position, stage_name(graph_, program_, call));
    });
    written_transfers(nodes, [&](const TransferCall& transfer) {
      parts.emplace(transfer.position, stage_name(program_, transfer));
    });
    if (parts.empty()) return "nothing_but_rows";  // an input whose rows nobody reads at once
    const Position first = parts.begin()->first;
    std::string name = parts.begin()->second;
    const std::string end = parts.rbegin()->second;
    if (end != name) name += "_to_" + end;
    const std::string words = loop_words(nodes);
    name += ticks && words.empty() ? "_by_rows" : words;
    if (!names_.insert(name).second) {
      name += fmt::format("_step_{}", first);
      names_.insert(name);
    }
    return name;
  }

  std::string describe(const Call& call) const {
    const std::string result = to_string(graph_.tensor(call.out.tensor).shape);
    if (!call.op.valid()) {
      return fmt::format(
          "{} {}{}", delivers(program_, call) ? "rows go to the caller, of" : "copy of", result,
          call.method == Method::kInPlace ? ", in place, to another order of its axes" : "");
    }
    std::string inputs;
    for (const OperandView& v : call.in) {
      inputs += (inputs.empty() ? "" : " and ") + to_string(graph_.tensor(v.tensor).shape);
    }
    return fmt::format("{}, {} -> {} '{}'", label(graph_.op(call.op)), inputs, result,
                       comment_text(graph_.tensor(call.out.tensor).name));
  }

  std::string body(std::span<const ProgramNode> nodes, int depth) {
    std::string text;
    for (const ProgramNode& node : nodes) {
      const std::string indent(static_cast<size_t>(depth) * 2, ' ');
      text += visit_node(
          node,
          [&](const Call& call) { return calls_.call(call, indent) + wrote_text(call, indent); },
          [&](const TransferCall& transfer) { return calls_.transfer(transfer, indent); },
          [&](const ProgramLoop& loop) {
            ++at(text_.code, CodeFeature::kLoop);
            return fmt::format("{0}for (int32_t {1} = 0; {1} < {2}; ++{1}) {{\n{3}{0}}}\n", indent,
                               text_.counters(loop.id), loop.count, body(loop.body, depth + 1));
          });
    }
    return text;
  }

  // What takes the checksums of what lies whole in memory before the stage.
  void add_trace(const TracedStage& traced, Stage& stage) {
    stage.traced_writes = traced.writes.size();
    for (size_t k = 0; k < traced.reads.size(); ++k) {
      const TracedRead& read = traced.reads[k];
      std::vector<int64_t> begin, end;
      for (const Interval& interval : read.region) {
        begin.push_back(interval.begin);
        end.push_back(interval.end);
      }
      stage.trace += fmt::format("trace.read({}, {}, Region{{{{{}}}, {{{}}}}}, {});\n", k,
                                 text_.view(read.view()), fmt::join(begin, ", "),
                                 fmt::join(end, ", "), numbers_text(read.numbers, read.view()));
    }
  }

  static std::string numbers_text(const ElementNumbers& numbers, const OperandView& view) {
    return fmt::format("ElementNumbers{{{{{}}}, {}, {}}}", fmt::join(numbers.stride, ", "),
                       numbers.base, size_bytes(view.type));
  }
  /// The numbers of a row of the table, which does not say what else there is to it.
  std::string table_numbers(const Call& call) const {
    const auto write = writes_.find(&call);
    if (write == writes_.end()) return traced_.empty() ? "" : "ElementNumbers{}";
    return numbers_text(write->second.second->numbers, call.out);
  }

  /// Behind a call, where it is traced.
  std::string wrote_text(const Call& call, const std::string& indent) {
    const auto write = writes_.find(&call);
    if (write == writes_.end()) return "";
    const auto& [number, what] = write->second;
    std::string further;
    for (size_t k = 0; k < call.leading.size(); ++k)
      further += fmt::format("{}({}) * {}", further.empty() ? ", " : " + ",
                             text_.words(call.leading[k]), what->numbers.leading[k]);
    return fmt::format("{0}trace.wrote({1}, {2},\n{0}    {3},\n{0}    {4}{5});\n", indent, number,
                       text_.view(call.out), text_.region(call),
                       numbers_text(what->numbers, call.out), further);
  }

  const Graph& graph_;
  const Program& program_;
  StepTable table_;
  OperandText text_;
  CallText calls_;
  std::set<std::string> names_;
  std::vector<TracedStage> traced_;
  std::map<const Call*, std::pair<size_t, const TracedWrite*>> writes_;  // of their stages
};

}  // namespace

std::vector<Stage> stages(const Graph& graph, const Program& program, const std::string& data,
                          ViewConstants& constants, bool traced) {
  return StageWriter(graph, program, data, constants, traced).run();
}

}  // namespace thimble
