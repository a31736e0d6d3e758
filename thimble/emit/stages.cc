// SPDX-License-Identifier: Apache-2.0
#include "thimble/emit/stages.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <tuple>

#include "thimble/emit/caller.h"
#include "thimble/emit/counter_names.h"
#include "thimble/emit/names.h"
#include "thimble/emit/params.h"
#include "thimble/emit/step_table.h"
#include "thimble/model/error.h"
#include "thimble/program/arguments.h"
#include "thimble/program/trace_points.h"
#include "thimble/schedule/expr_text.h"

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
        data_(data),
        constants_(constants),
        table_(program, data),
        counts_(loop_counts(program)) {
    written_calls(program.nodes, [&](const Call& call) {
      std::vector<Interval>& limits = limits_[{call.position, call.use}];
      limits.resize(call.axes.size());
      for (size_t axis = 0; axis < limits.size(); ++axis)
        limits[axis] = hull({limits[axis]}, {call.axes[axis].limits})[0];
    });
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
        const size_t axis = row_axis(call->out);
        std::tie(result.back().rows_begin, result.back().rows_end) =
            bounds_text(call->axes[axis], call->out.tensor, axis);
        result.back().row_place = row_text(call->out, "row");
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
  // An end of an interval: its value, or the text of one that follows a loop.
  using Bound = std::variant<int64_t, std::string>;

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
    counters_.add(nodes);
    if (ticks != nullptr) counters_.add(ticks->id, kTick);
    code_ = {};
    at(code_, CodeFeature::kStage) = 1;
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
    new_regions_.clear();
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
                                new_regions_, comment, name, parameters, text),
            .call = fmt::format("{}({})", name, arguments),
            .ticks = ticks == nullptr ? 0 : ticks->count,
            .code = code_,
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
          node, [&](const Call& call) { return call_text(call, indent); },
          [&](const TransferCall& transfer) { return transfer_text(transfer, indent); },
          [&](const ProgramLoop& loop) {
            ++at(code_, CodeFeature::kLoop);
            return fmt::format("{0}for (int32_t {1} = 0; {1} < {2}; ++{1}) {{\n{3}{0}}}\n", indent,
                               counters_(loop.id), loop.count, body(loop.body, depth + 1));
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
                                 view_text(read.view()), fmt::join(begin, ", "),
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
      further += fmt::format("{}({}) * {}", further.empty() ? ", " : " + ", words(call.leading[k]),
                             what->numbers.leading[k]);
    return fmt::format("{0}trace.wrote({1}, {2},\n{0}    {3},\n{0}    {4}{5});\n", indent, number,
                       view_text(call.out), region_text(call),
                       numbers_text(what->numbers, call.out), further);
  }

  // A callback for each row.
  std::string deliver_text(const Call& call, const std::string& indent) {
    ++at(code_, CodeFeature::kLoop);
    const size_t axis = row_axis(call.in[0]);
    const auto [begin, end] = bounds_text(call.axes[axis], call.in[0].tensor, axis);
    return fmt::format(
        "{0}// {1}: {2}\n"
        "{0}for (int32_t output_row = {3}; output_row < {4}; ++output_row) {{\n"
        "{0}  caller.deliver(caller.context, output_row, {5});\n{0}}}\n",
        indent, stage_name(graph_, program_, call), piece_text(call), begin, end,
        row_text(call.in[0], "output_row"));
  }

  size_t row_axis(const OperandView& v) const { return stream_axis(graph_.tensor(v.tensor).shape); }

  // The address of the row's first element.
  std::string row_text(const OperandView& v, const std::string& row) {
    return fmt::format("pixel<{}>({}, 0, {})", c_type(v.type), view_text(v),
                       row_axis(v) == 1 ? row + ", 0" : "0, " + row);
  }

  std::string call_text(const Call& call, const std::string& indent) {
    if (delivers(program_, call)) return deliver_text(call, indent);
    ++at(code_, CodeFeature::kCall);
    std::vector<std::string> arguments;
    if (call.params >= 0) {
      if (passed_.insert(call.params).second)
        at(code_, CodeFeature::kData) +=
            params_bytes(program_.params[static_cast<size_t>(call.params)].params);
      arguments.push_back(call.brought.valid()
                              ? "brought"
                              : params_name(program_.params[static_cast<size_t>(call.params)]));
    }
    for (const OperandView& v : call.in) arguments.push_back(view_text(v));
    arguments.push_back(view_text(call.out));
    arguments.push_back(region_text(call));
    if (call.chunk) {
      const size_t axis = info(call.kernel).family == Family::kSumAccumulate ? 1 : 3;
      const auto [begin, end] = bounds_text(*call.chunk, call.in[0].tensor, axis);
      arguments.insert(arguments.end(), {begin, end});
    }
    if (call.scratch.valid()) arguments.push_back(pointer_text(call.scratch));
    const std::string pad = ",\n" + indent + std::string(4, ' ');
    std::string role;
    if (call.method == Method::kAccumulate) role = ", accumulated";
    if (call.method == Method::kFinalise) role = ", from its accumulators";
    const std::string comment = fmt::format(
        "{}// {}: {}{}\n", indent, stage_name(graph_, program_, call), piece_text(call), role);
    const std::string text =
        fmt::format("{}{}({});\n", indent, info(call.kernel).name, fmt::join(arguments, pad));
    return comment + (call.brought.valid() ? brought_text(call, text, indent) : text) +
           wrote_text(call, indent);
  }

  // The parameters with pointers to what was brought: to where channel 0 would be.
  std::string brought_text(const Call& call, const std::string& text, const std::string& indent) {
    const ProgramParams& params = program_.params[static_cast<size_t>(call.params)];
    const RecordLayout& records = *params.records;
    const int64_t rows = program_.buffer(call.brought).extents[0];
    const std::string record = words(call.record);
    std::string row;
    if (rows > 1 && records.count > 1)
      row = rows < records.count
                ? fmt::format(" + ({}) % {} * {}", record, rows, records.record_bytes)
                : fmt::format(" + ({}) * {}", record, records.record_bytes);
    std::string lines = fmt::format(
        "{0}{{\n{0}const int8_t* const record = {1}{2};\n{0}{3} brought = {4};\n", indent,
        pointer_text(call.brought), row, type_name(params.params), params_name(params));
    const std::vector<PointerField> fields = pointer_fields(params.params);
    check(fields.size() == records.parts.size(), "params name other constants than are brought");
    for (size_t k = 0; k < fields.size(); ++k) {
      const RecordLayout::Part& part = records.parts[k];
      std::string offset = fmt::format("{}", part.offset);
      if (part.bytes_of_channels != 0)
        offset += fmt::format(" - ({}) * {}", record, part.bytes_of_channels);
      lines += fmt::format("{}brought.{} = of_channel_0<{}>(record, {});\n", indent, fields[k].path,
                           fields[k].type, offset);
      ++at(code_, CodeFeature::kOperand);
    }
    return lines + text + indent + "}\n";
  }

  std::string transfer_text(const TransferCall& transfer, const std::string& indent) {
    ++at(code_, CodeFeature::kCall);
    const std::string transfers = transfers_name(program_, program_.memory_of(transfer.stored));
    const bool compressed = transfer.passage.valid();
    const std::string passage =
        compressed ? fmt::format(", Passage{{reinterpret_cast<uint32_t*>({}), {}, {}}}",
                                 pointer_text(transfer.passage), transfer.chunk_bytes,
                                 transfer.first_bytes)
                   : "";
    if (transfer.kind == TransferKind::kWait)
      return fmt::format("{}wait{}({}, {}{});\n", indent, compressed ? "_compressed" : "",
                         transfers, transfer.token.value, passage);
    if (transfer.kind == TransferKind::kErase) {
      const Interval bytes = erased_bytes(program_, transfer);
      return fmt::format("{}begin_erase({}, {}, {}, {});\n", indent, transfers,
                         transfer.token.value, bytes.begin, bytes.size());
    }
    if (program_.buffer(transfer.stored).packed >= 0) return bring_text(transfer, indent);
    at(code_, CodeFeature::kOperand) += 2;
    const bool reads = transfer.kind == TransferKind::kRead;
    return fmt::format(
        "{0}// {1}: records [{2}, {3})\n"
        "{0}begin_{4}({5}, {6}, Records{{{7}, {8}, {9}}},\n"
        "{0}    HeldRows{{reinterpret_cast<uint8_t*>({10}), {11}, {12}}},\n"
        "{0}    reinterpret_cast<{13}uint32_t*>({14}){17}, {15}, {16});\n",
        indent, stage_name(program_, transfer), words(transfer.records.interval.begin),
        words(transfer.records.interval.end),
        fmt::format("{}{}", compressed ? "compressed_" : "", reads ? "read" : "write"), transfers,
        transfer.token.value, address_name_(transfer.stored), transfer.record_bytes,
        transfer.stride_bytes, pointer_text(transfer.held), words(transfer.origin), transfer.rows,
        reads ? "const " : "", pointer_text(transfer.tags),
        record_text(transfer.records.interval.begin, transfer.records),
        record_text(transfer.records.interval.end, transfer.records), passage);
  }

  std::string bring_text(const TransferCall& transfer, const std::string& indent) {
    at(code_, CodeFeature::kOperand) += 2;
    return fmt::format(
        "{0}// {1}: records [{2}, {3})\n"
        "{0}begin_read({4}, {5}, Records{{{6}, {7}, {8}}},\n"
        "{0}    HeldRows{{reinterpret_cast<uint8_t*>({9}), 0, {10}}}, nullptr, {11}, {12});\n",
        indent, stage_name(program_, transfer), words(transfer.records.interval.begin),
        words(transfer.records.interval.end),
        transfers_name(program_, program_.memory_of(transfer.stored)), transfer.token.value,
        address_name_(transfer.stored), transfer.record_bytes, transfer.stride_bytes,
        pointer_text(transfer.held), transfer.rows,
        record_text(transfer.records.interval.begin, transfer.records),
        record_text(transfer.records.interval.end, transfer.records));
  }

  // Cut only where the counters can reach beyond the records there are.
  std::string record_text(const IndexExpr& expr, const CallAxis& part) {
    Interval possible = values(expr, counts_);
    std::string text = words(expr);
    if (const std::optional<CutExpr>& cut = part.interval.within) {
      text = fmt::format("bounded({}, {}, {})", text, words(cut->begin), words(cut->end));
      possible = {values(cut->begin, counts_).begin, values(cut->end, counts_).end};
    }
    if (possible.size() == 1)
      return fmt::format("{}", std::clamp(possible.begin, part.limits.begin, part.limits.end));
    if (possible.begin >= part.limits.begin && possible.end - 1 <= part.limits.end) return text;
    return fmt::format("bounded({}, {}, {})", text, part.limits.begin, part.limits.end);
  }

  // "rows [2 * row_tile - 2, 2 * row_tile)" for the axes that are cut, or "whole".
  std::string piece_text(const Call& call) const {
    std::string text;
    for (size_t axis = 0; axis < kKernelAxes; ++axis) {
      const CallAxis& a = call.axes[axis];
      if (a.interval.begin.constant() && a.interval.end.constant() &&
          a.interval.begin.base <= a.limits.begin && a.interval.end.base >= a.limits.end) {
        continue;
      }
      text += fmt::format("{}{} [{}, {})", text.empty() ? "" : ", ", kAxisWords[axis],
                          words(a.interval.begin), words(a.interval.end));
      if (const std::optional<CutExpr>& cut = a.interval.within)
        text += fmt::format(" in [{}, {})", words(cut->begin), words(cut->end));
      if (limits_.at({call.position, call.use})[axis] != a.limits) {
        text += fmt::format(" in [{}, {})", a.limits.begin, a.limits.end);
      }
    }
    if (call.chunk) {
      text += fmt::format("{}input {} [{}, {})", text.empty() ? "" : ", ",
                          info(call.kernel).family == Family::kSumAccumulate ? "rows" : "channels",
                          words(call.chunk->interval.begin), words(call.chunk->interval.end));
    }
    return text.empty() ? "whole" : text;
  }

  std::string view_text(const OperandView& v) {
    ++at(code_, CodeFeature::kOperand);
    for (const auto* terms : {&v.bias, &v.channel}) {
      at(code_, CodeFeature::kOffset) += static_cast<double>(std::ranges::count_if(
          *terms, [](const BiasTerm& term) { return !term.expr.constant(); }));
    }
    std::string base;
    if (const ProgramConstant* constant = program_.constant(v.buffer); constant != nullptr) {
      base = fmt::format("const_cast<{}*>({}::{})", c_type(constant->content.type), data_,
                         constant->name);
    } else if (program_.memory_of(v.buffer) == kCaller) {
      base = "caller." + outside_name(program_, v.buffer);
      const bool input = std::ranges::find(program_.inputs, v.buffer, &ProgramPort::buffer) !=
                         program_.inputs.end();
      if (input) base = fmt::format("const_cast<{}*>({})", c_type(v.type), base);
    } else {
      base = pointer_text(v.buffer);
    }
    std::vector<std::string> strides;
    for (size_t axis = 0; axis < kKernelAxes; ++axis) strides.push_back(constants_.stride(v, axis));
    return fmt::format("View{{{}, {}, {}, {}, {{{}}}}}", base,
                       constants_.offset(v, v.bias, counters_), constants_.modulus(v),
                       constants_.offset(v, v.channel, counters_), fmt::join(strides, ", "));
  }

  std::string pointer_text(BufferId buffer) const {
    return arena_name(program_, program_.memory_of(buffer)) + " + " + address_name_(buffer);
  }

  std::string words(const IndexExpr& expr) const { return to_string(expr, std::cref(counters_)); }

  // One that is always the same is a constant in flash, which all stages share.
  std::string region_text(const Call& call) {
    std::vector<Bound> begin, end;
    for (size_t axis = 0; axis < kKernelAxes; ++axis) {
      begin.push_back(
          bound(call.axes[axis].interval.begin, call.axes[axis], call.out.tensor, axis));
      end.push_back(bound(call.axes[axis].interval.end, call.axes[axis], call.out.tensor, axis));
    }
    const auto constant = [](const Bound& bound) { return std::holds_alternative<int64_t>(bound); };
    const bool always = std::ranges::all_of(begin, constant) && std::ranges::all_of(end, constant);
    std::vector<std::string> from, to;
    for (size_t axis = 0; axis < kKernelAxes; ++axis) {
      from.push_back(text_of(begin[axis]));
      to.push_back(always ? text_of(end[axis]) : text_of(end[axis], call.out.tensor, axis));
    }
    const std::string bounds =
        fmt::format("{{{{{}}}, {{{}}}}}", fmt::join(from, ", "), fmt::join(to, ", "));
    if (!always) return "Region" + bounds;
    const bool from_0 = std::ranges::all_of(from, [](const auto& text) { return text == "0"; });
    std::string name = fmt::format(
        "kRegion{}{}", from_0 ? "" : fmt::format("{}To", fmt::join(from, "x")), fmt::join(to, "x"));
    if (regions_.insert(name).second) {
      at(code_, CodeFeature::kData) += sizeof(runtime::Region);
      new_regions_ += fmt::format("constexpr Region {}{};\n", name, bounds);
    }
    return name;
  }

  static std::string text_of(const Bound& bound) {
    const int64_t* value = std::get_if<int64_t>(&bound);
    return value == nullptr ? std::get<std::string>(bound) : fmt::format("{}", *value);
  }
  // The bound, with a name for the tensor's extent.
  std::string text_of(const Bound& bound, TensorId tensor, size_t axis) {
    const int64_t* value = std::get_if<int64_t>(&bound);
    return value == nullptr ? text_of(bound) : constants_.extent(tensor, axis, *value);
  }

  std::pair<std::string, std::string> bounds_text(const CallAxis& part, TensorId tensor,
                                                  size_t axis) {
    const Bound begin = bound(part.interval.begin, part, tensor, axis);
    const Bound end = bound(part.interval.end, part, tensor, axis);
    return {text_of(begin), text_of(end, tensor, axis)};
  }

  // Cut only where the counters can reach beyond the limits.
  Bound bound(const IndexExpr& expr, const CallAxis& part, TensorId tensor, size_t axis) {
    const Interval& limits = part.limits;
    std::string text = words(expr);
    Interval possible = values(expr, counts_);
    if (const std::optional<CutExpr>& cut = part.interval.within) {
      text = fmt::format("bounded({}, {}, {})", text, words(cut->begin), words(cut->end));
      possible = {values(cut->begin, counts_).begin, values(cut->end, counts_).end};
    }
    const int64_t low = possible.begin, high = possible.end - 1;
    if (low == high) return std::clamp(low, limits.begin, limits.end);
    ++at(code_, CodeFeature::kBound);
    if (low >= limits.begin && high <= limits.end) return text;
    ++at(code_, CodeFeature::kCut);
    return fmt::format("bounded({}, {}, {})", text, limits.begin,
                       constants_.extent(tensor, axis, limits.end));
  }

  const Graph& graph_;
  const Program& program_;
  const AddressNames address_name_{program_};
  const std::string& data_;
  ViewConstants& constants_;
  CounterNames counters_;
  StepTable table_;
  std::vector<int64_t> counts_;  // by LoopId
  // Limits over all calls that do the same part of a step: those in pieces have less each.
  std::map<std::pair<Position, int>, std::vector<Interval>> limits_;
  std::set<std::string> names_;
  std::set<std::string> regions_;  // constants so far
  std::string new_regions_;        // those of the stage that is written
  CodeCounts code_ = {};           // of that stage
  std::set<int> passed_;           // parameters that stages hand to kernels, so far
  std::vector<TracedStage> traced_;
  std::map<const Call*, std::pair<size_t, const TracedWrite*>> writes_;  // of their stages
};

}  // namespace

std::vector<Stage> stages(const Graph& graph, const Program& program, const std::string& data,
                          ViewConstants& constants, bool traced) {
  return StageWriter(graph, program, data, constants, traced).run();
}

}  // namespace thimble
