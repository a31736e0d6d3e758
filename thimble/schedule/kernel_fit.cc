// SPDX-License-Identifier: Apache-2.0
#include "thimble/schedule/kernel_fit.h"

#include <fmt/format.h>

#include <algorithm>

namespace thimble {
namespace {

bool covers(const IntervalExpr& interval, int64_t extent) {
  return interval.begin.constant() && interval.end.constant() && interval.begin.base <= 0 &&
         interval.end.base >= extent;
}

// Axes of one index that the kernel does not walk (a mean's), where the region may leave them out:
// then the call has nothing to do.
std::vector<CallAxis> unwalked_axes(const Piece& piece, const KernelUse& use, const Shape& shape) {
  std::vector<CallAxis> result;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    const IntervalExpr& interval = piece.step.region[axis];
    const bool walked = std::ranges::any_of(use.out.axes, [&](const std::vector<int>& merged) {
      return std::ranges::find(merged, static_cast<int>(axis)) != merged.end();
    });
    if (!walked && !covers(interval, shape[axis])) result.push_back({interval, piece.within[axis]});
  }
  return result;
}

// One kernel axis that runs over merged axes of the output.
std::variant<CallAxis, std::string> merged_axis(const Piece& piece, const KernelUse& use, size_t k,
                                                const Shape& shape) {
  const RegionExpr& region = piece.step.region;
  const std::vector<int>& merged = use.out.axes[k];
  int64_t inner = 1;
  for (size_t m = 1; m < merged.size(); ++m) {
    const auto axis = static_cast<size_t>(merged[m]);
    if (!covers(region[axis], shape[axis]) || piece.within[axis].size() != shape[axis])
      return fmt::format("its kernel does all of axis {} at once", axis);
    inner *= shape[axis];
  }
  const auto first = static_cast<size_t>(merged[0]);
  const Interval& within = piece.within[first];
  const int64_t shift = use.out.shift[k];
  const auto begin = compose(region[first].begin, inner, shift, 1);
  const auto end = compose(region[first].end, inner, shift, 1);
  if (!begin || !end) return fmt::format("its region along axis {} has no closed form", first);
  IntervalExpr interval{*begin, *end};
  if (const std::optional<CutExpr>& cut = region[first].within) {
    const auto low = compose(cut->begin, inner, shift, 1);
    const auto high = compose(cut->end, inner, shift, 1);
    if (!low || !high) return fmt::format("its region along axis {} has no closed form", first);
    interval.within = {*low, *high};
  }
  Interval limits{within.begin * inner + shift, within.end * inner + shift};
  if (begin->constant() && end->constant())  // they say it all
    limits = {shift, shift + shape[first] * inner};
  return CallAxis{
      std::move(interval),
      {std::max(use.limits[k].begin, limits.begin), std::min(use.limits[k].end, limits.end)}};
}

// The fault of a kernel axis that its kernel wants whole, or that is a loop around the call.
std::string axis_fault(const CallAxis& axis, size_t k, const KernelUse& use, KernelId kernel) {
  const size_t leading = use.out.axes.size() - kKernelAxes;
  const bool constant = axis.interval.begin.constant() && axis.interval.end.constant();
  if (k < leading) return constant ? "" : "a loop around its kernel follows a loop of the plan";
  if (!info(kernel).whole_axes[k - leading]) return "";
  const Interval& all = use.limits[k];
  const bool whole = constant && axis.limits == all && axis.interval.begin.base <= all.begin &&
                     axis.interval.end.base >= all.end;
  // Nothing at all is a part that every kernel takes.
  const bool nothing = constant && axis.interval.begin == axis.interval.end;
  return whole || nothing ? ""
                          : fmt::format("{} does all of the axis {} of its region",
                                        info(kernel).name, k - leading);
}

// Elements from one of the channels that the kernel walks to the next.
int64_t channel_step(const Buffer& buffer, const OperandAxes& walk) {
  const std::vector<int>& channels = walk.axes.back();
  return channels.empty()
             ? 0
             : strides(buffer)[static_cast<size_t>(channels.back())] * walk.step.back();
}

}  // namespace

std::variant<std::vector<CallAxis>, std::string> kernel_axes(const Piece& piece,
                                                             const KernelUse& use, KernelId kernel,
                                                             const Shape& shape) {
  std::vector<CallAxis> result;
  std::vector<CallAxis> unwalked = unwalked_axes(piece, use, shape);
  for (size_t k = 0; k < use.out.axes.size(); ++k) {
    if (!use.out.axes[k].empty()) {
      auto axis = merged_axis(piece, use, k, shape);
      if (auto* why = std::get_if<std::string>(&axis)) return std::move(*why);
      result.push_back(std::get<CallAxis>(std::move(axis)));
    } else if (k + kKernelAxes < use.out.axes.size() || unwalked.empty()) {
      result.push_back({{index(0), index(1)}, {0, 1}});
    } else {
      result.push_back(std::move(unwalked.back()));
      unwalked.pop_back();
    }
    if (std::string why = axis_fault(result.back(), k, use, kernel); !why.empty()) return why;
  }
  if (!unwalked.empty()) return "its region leaves out an axis that its kernel does not walk";
  return result;
}

// Merged axes are one run in memory only if all but the first are held whole, one after the other.
std::string buffer_fault(const Buffer& buffer, const OperandAxes& walk, const Shape& shape,
                         KernelId kernel) {
  if (buffer.wrap && !info(kernel).rings) return fmt::format("{} takes no ring", info(kernel).name);
  const std::vector<int64_t> stride = strides(buffer);
  for (const std::vector<int>& merged : walk.axes) {
    for (size_t k = 1; k < merged.size(); ++k) {
      const auto outer = static_cast<size_t>(merged[k - 1]), axis = static_cast<size_t>(merged[k]);
      if (buffer.extents[axis] != shape[axis] || stride[outer] != stride[axis] * shape[axis])
        return fmt::format("{} takes axes {} and {} as one, which its buffer holds apart",
                           info(kernel).name, outer, axis);
    }
  }
  return "";
}

KernelFits::KernelFits(const Graph& graph, const Schedule& schedule, const KernelUses& uses)
    : graph_(graph), schedule_(schedule), gathers_(graph, schedule), uses_(uses) {}

std::string KernelFits::fault(const Step& step) {
  const auto pieces = gathers_.pieces(step);
  if (const auto* why = std::get_if<std::string>(&pieces)) return *why;
  if (!step.op.valid()) return "";
  for (const Piece& piece : std::get<std::vector<Piece>>(pieces)) {
    if (std::string why = fault(piece); !why.empty()) return why;
  }
  return "";
}

std::string KernelFits::fault(const Piece& piece) {
  const Step& step = piece.step;
  const Shape& shape = graph_.tensor(graph_.op(step.op).outputs[0]).shape;
  const std::vector<KernelUse>& uses = uses_of(step.op, step.method);
  const auto done = [&](const KernelUse& use) { return does(step.kernel, use); };
  if (step.kernel.valid() && std::ranges::none_of(uses, done))
    return fmt::format("{} does not do its operator", info(step.kernel).name);
  for (const KernelUse& use : uses) {
    const KernelId kernel = chosen(step.kernel, use);
    const auto axes = kernel_axes(piece, use, kernel, shape);
    if (const auto* why = std::get_if<std::string>(&axes)) return *why;
    if (std::string why = fault(step, use, kernel); !why.empty()) return why;
  }
  return "";
}

std::string KernelFits::fault(const Step& step, const KernelUse& use, KernelId kernel) const {
  const auto of_buffer = [&](BufferId id, const OperandAxes& walk) {
    const Buffer& buffer = schedule_.buffer(id);
    return buffer_fault(buffer, walk, graph_.tensor(buffer.tensor).shape, kernel);
  };
  for (size_t k = 0; k < use.inputs.size(); ++k) {
    const auto input = static_cast<size_t>(use.inputs[k]);
    const BufferId from = step.in[input].buffer();
    if (from.valid()) {
      if (std::string why = of_buffer(from, use.in[k]); !why.empty()) return why;
    }
    if (k > 0 || !info(kernel).dense_channels) continue;
    Buffer constant;
    constant.extents = graph_.tensor(graph_.op(step.op).inputs[input]).shape;
    if (channel_step(from.valid() ? schedule_.buffer(from) : constant, use.in[k]) != 1)
      return fmt::format("{} takes channels side by side", info(kernel).name);
  }
  if (info(kernel).dense_output && channel_step(schedule_.buffer(step.out), use.out) != 1)
    return fmt::format("{} writes channels side by side", info(kernel).name);
  return of_buffer(step.out, use.out);
}

std::string kernels_fault(const Graph& graph, const Schedule& schedule) {
  const KernelUses uses(graph);
  KernelFits fit(graph, schedule, uses);
  std::string fault;
  for_each_step(schedule, [&](const Step& step, Position position) {
    if (!fault.empty() || step.transfer != TransferPart::kNone) return;
    const std::string why = fit.fault(step);
    if (!why.empty()) fault = fmt::format("step {}: {}", position, why);
  });
  return fault;
}

}  // namespace thimble
