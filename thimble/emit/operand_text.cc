// SPDX-License-Identifier: Apache-2.0
#include "thimble/emit/operand_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

#include "thimble/emit/caller.h"
#include "thimble/emit/names.h"
#include "thimble/program/arguments.h"
#include "thimble/schedule/expr_text.h"

namespace thimble {

OperandText::OperandText(const Graph& graph, const Program& program, const std::string& data,
                         ViewConstants& constants)
    : address(program),
      graph_(graph),
      program_(program),
      data_(data),
      constants_(constants),
      counts_(loop_counts(program)) {
  written_calls(program.nodes, [&](const Call& call) {
    std::vector<Interval>& limits = limits_[{call.position, call.use}];
    limits.resize(call.axes.size());
    for (size_t axis = 0; axis < limits.size(); ++axis)
      limits[axis] = hull({limits[axis]}, {call.axes[axis].limits})[0];
  });
}

std::string OperandText::words(const IndexExpr& expr) const {
  return to_string(expr, std::cref(counters));
}

std::string OperandText::view(const OperandView& v) {
  ++at(code, CodeFeature::kOperand);
  for (const auto* terms : {&v.bias, &v.channel}) {
    at(code, CodeFeature::kOffset) += static_cast<double>(
        std::ranges::count_if(*terms, [](const BiasTerm& term) { return !term.expr.constant(); }));
  }
  std::string base;
  if (const ProgramConstant* constant = program_.constant(v.buffer); constant != nullptr) {
    base = fmt::format("const_cast<{}*>({}::{})", c_type(constant->content.type), data_,
                       constant->name);
  } else if (program_.memory_of(v.buffer) == kCaller) {
    base = "caller." + outside_name(program_, v.buffer);
    const bool input =
        std::ranges::find(program_.inputs, v.buffer, &ProgramPort::buffer) != program_.inputs.end();
    if (input) base = fmt::format("const_cast<{}*>({})", c_type(v.type), base);
  } else {
    base = pointer(v.buffer);
  }
  std::vector<std::string> strides;
  for (size_t axis = 0; axis < kKernelAxes; ++axis) strides.push_back(constants_.stride(v, axis));
  return fmt::format("View{{{}, {}, {}, {}, {{{}}}}}", base, constants_.offset(v, v.bias, counters),
                     constants_.modulus(v), constants_.offset(v, v.channel, counters),
                     fmt::join(strides, ", "));
}

std::string OperandText::pointer(BufferId buffer) const {
  return arena_name(program_, program_.memory_of(buffer)) + " + " + address(buffer);
}

size_t OperandText::row_axis(const OperandView& v) const {
  return stream_axis(graph_.tensor(v.tensor).shape);
}

// The address of the row's first element.
std::string OperandText::row(const OperandView& v, const std::string& number) {
  return fmt::format("pixel<{}>({}, 0, {})", c_type(v.type), view(v),
                     row_axis(v) == 1 ? number + ", 0" : "0, " + number);
}

// One that is always the same is a constant in flash, which all stages share.
std::string OperandText::region(const Call& call) {
  std::vector<Bound> begin, end;
  for (size_t axis = 0; axis < kKernelAxes; ++axis) {
    begin.push_back(bound(call.axes[axis].interval.begin, call.axes[axis], call.out.tensor, axis));
    end.push_back(bound(call.axes[axis].interval.end, call.axes[axis], call.out.tensor, axis));
  }
  const auto constant = [](const Bound& bound) { return std::holds_alternative<int64_t>(bound); };
  const bool always = std::ranges::all_of(begin, constant) && std::ranges::all_of(end, constant);
  std::vector<std::string> from, to;
  for (size_t axis = 0; axis < kKernelAxes; ++axis) {
    from.push_back(text_of(begin[axis]));
    to.push_back(always ? text_of(end[axis]) : text_of(end[axis], call.out.tensor, axis));
  }
  const std::string both =
      fmt::format("{{{{{}}}, {{{}}}}}", fmt::join(from, ", "), fmt::join(to, ", "));
  if (!always) return "Region" + both;
  const bool from_0 = std::ranges::all_of(from, [](const auto& text) { return text == "0"; });
  std::string name = fmt::format(
      "kRegion{}{}", from_0 ? "" : fmt::format("{}To", fmt::join(from, "x")), fmt::join(to, "x"));
  if (regions_.insert(name).second) {
    at(code, CodeFeature::kData) += sizeof(runtime::Region);
    new_regions += fmt::format("constexpr Region {}{};\n", name, both);
  }
  return name;
}

// "rows [2 * row_tile - 2, 2 * row_tile)" for the axes that are cut, or "whole".
std::string OperandText::piece(const Call& call) const {
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

// The text, and what it can be.
std::pair<std::string, Interval> OperandText::cut_text(const IndexExpr& expr,
                                                       const CallAxis& part) const {
  const std::optional<CutExpr>& cut = part.interval.within;
  if (!cut) return {words(expr), values(expr, counts_)};
  return {fmt::format("bounded({}, {}, {})", words(expr), words(cut->begin), words(cut->end)),
          {values(cut->begin, counts_).begin, values(cut->end, counts_).end}};
}

// Cut only where the counters can reach beyond the records there are.
std::string OperandText::record(const IndexExpr& expr, const CallAxis& part) const {
  const auto [text, possible] = cut_text(expr, part);
  if (possible.size() == 1)
    return fmt::format("{}", std::clamp(possible.begin, part.limits.begin, part.limits.end));
  if (possible.begin >= part.limits.begin && possible.end - 1 <= part.limits.end) return text;
  return fmt::format("bounded({}, {}, {})", text, part.limits.begin, part.limits.end);
}

std::pair<std::string, std::string> OperandText::bounds(const CallAxis& part, TensorId tensor,
                                                        size_t axis) {
  const Bound begin = bound(part.interval.begin, part, tensor, axis);
  const Bound end = bound(part.interval.end, part, tensor, axis);
  return {text_of(begin), text_of(end, tensor, axis)};
}

std::string OperandText::text_of(const Bound& bound) {
  const int64_t* value = std::get_if<int64_t>(&bound);
  return value == nullptr ? std::get<std::string>(bound) : fmt::format("{}", *value);
}

// The bound, with a name for the tensor's extent.
std::string OperandText::text_of(const Bound& bound, TensorId tensor, size_t axis) {
  const int64_t* value = std::get_if<int64_t>(&bound);
  return value == nullptr ? text_of(bound) : constants_.extent(tensor, axis, *value);
}

// Cut only where the counters can reach beyond the limits.
OperandText::Bound OperandText::bound(const IndexExpr& expr, const CallAxis& part, TensorId tensor,
                                      size_t axis) {
  const Interval& limits = part.limits;
  const auto [text, possible] = cut_text(expr, part);
  const int64_t low = possible.begin, high = possible.end - 1;
  if (low == high) return std::clamp(low, limits.begin, limits.end);
  ++at(code, CodeFeature::kBound);
  if (low >= limits.begin && high <= limits.end) return text;
  ++at(code, CodeFeature::kCut);
  return fmt::format("bounded({}, {}, {})", text, limits.begin,
                     constants_.extent(tensor, axis, limits.end));
}

}  // namespace thimble
