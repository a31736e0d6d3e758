// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/patch_stage.h"

#include <fmt/format.h>

#include <algorithm>

#include "thimble/model/division.h"

namespace thimble {
namespace {

constexpr size_t kRows = 1, kColumns = 2;  // axes of an image

int64_t count_of(LoopId loop, const PatchGrid& grid) {
  return loop == kPatchRow ? grid.down : grid.across;
}

/// The loop that an interval follows; invalid for a whole axis.
LoopId loop_of(const IntervalExpr& interval) {
  return interval.begin.constant() ? LoopId{} : interval.begin.terms[0].loop;
}

bool follows(const RegionExpr& region, LoopId loop) {
  return std::any_of(region.begin(), region.end(),
                     [&](const IntervalExpr& i) { return loop_of(i) == loop; });
}

bool follows_all(const RegionExpr& region, const PatchGrid& grid) {
  return (grid.down == 1 || follows(region, kPatchRow)) &&
         (grid.across == 1 || follows(region, kPatchColumn));
}

/// Whether a <= b in every patch.
bool never_above(const IndexExpr& a, const IndexExpr& b, LoopId loop, const PatchGrid& grid) {
  Counters counters(2);
  for (int64_t& i = counters[loop.index()]; i < count_of(loop, grid); ++i) {
    if (evaluate(a, counters) > evaluate(b, counters)) return false;
  }
  return true;
}

/// The interval around both, or nothing where no expression says that.
std::optional<IntervalExpr> hull(const IntervalExpr& a, const IntervalExpr& b,
                                 const PatchGrid& grid) {
  const LoopId loop = loop_of(a);
  if (!loop.valid()) return a;
  if (!loop_of(b).valid()) return b;
  if (loop_of(b) != loop) return std::nullopt;
  const bool a_begins = never_above(a.begin, b.begin, loop, grid);
  const bool a_ends = never_above(b.end, a.end, loop, grid);
  if (!a_begins && !never_above(b.begin, a.begin, loop, grid)) return std::nullopt;
  if (!a_ends && !never_above(a.end, b.end, loop, grid)) return std::nullopt;
  return IntervalExpr{a_begins ? a.begin : b.begin, a_ends ? a.end : b.end};
}

IntervalExpr whole_axis(int64_t extent) { return {index(int64_t{0}), index(extent)}; }

/// Interval of an input axis that the region of the output needs, or nothing where no expression
/// says it. Axes that follow no loop are whole.
std::optional<IntervalExpr> needed(const AxisMap& map, int64_t extent, const RegionExpr& out) {
  const auto* affine = std::get_if<Affine>(&map);
  if (affine == nullptr) return whole_axis(extent);
  const IntervalExpr& from = out[static_cast<size_t>(affine->out_axis)];
  if (!loop_of(from).valid()) return whole_axis(extent);
  if (affine->num < 1) return std::nullopt;  // from the last row to the first
  const auto begin = compose(from.begin, affine->num, affine->lo, affine->den);
  const auto last = compose(from.end + -1, affine->num, affine->hi, affine->den);
  if (!begin || !last) return std::nullopt;
  return IntervalExpr{*begin, *last + 1};
}

/// Whether patches cut an axis that is computed at once (softmax). Such an axis is the same of
/// input and output.
bool cuts_whole_axis(const InputMap& map, const RegionExpr& out) {
  for (size_t axis = 0; axis < map.axes.size() && axis < out.size(); ++axis) {
    if (std::holds_alternative<Whole>(map.axes[axis]) && loop_of(out[axis]).valid()) return true;
  }
  return false;
}

/// A kernel can take a part of an axis only where that is the first of those it merges into one.
std::string cut_fault(const OperandAxes& walk, const RegionExpr& region) {
  for (size_t k = 0; k < walk.axes.size(); ++k) {
    for (size_t m = 0; m < walk.axes[k].size(); ++m) {
      const auto axis = static_cast<size_t>(walk.axes[k][m]);
      const bool leading = k + kKernelAxes < walk.axes.size();
      if (loop_of(region[axis]).valid() && (m > 0 || leading))
        return fmt::format("its kernel takes axis {} only whole", axis);
    }
  }
  return "";
}

struct SlicedAxis {
  int64_t extent;
  IndexExpr origin;
};

/// The shortest axis c i + b .. + extent that holds the interval in every patch. c is at least 1:
/// then nothing is carried from one patch to the next.
SlicedAxis shortest(const IntervalExpr& interval, int64_t whole, const PatchGrid& grid) {
  const LoopId loop = loop_of(interval);
  Counters counters(2);
  std::vector<Interval> parts;  // by patch
  std::vector<int64_t> slopes = {std::max<int64_t>(
      interval.begin.terms[0].coefficient / interval.begin.divisor, 1)};  // wins ties
  for (int64_t& i = counters[loop.index()]; i < count_of(loop, grid); ++i) {
    const Interval part = evaluate({interval}, counters, {whole})[0];
    if (!parts.empty() && part.begin - parts.back().begin > 1)
      slopes.push_back(part.begin - parts.back().begin);
    parts.push_back(part);
  }
  std::optional<SlicedAxis> best;
  for (int64_t slope : slopes) {
    int64_t base = whole, extent = 1;
    for (size_t i = 0; i < parts.size(); ++i) {
      if (!parts[i].empty())
        base = std::min(base, parts[i].begin - slope * static_cast<int64_t>(i));
    }
    for (size_t i = 0; i < parts.size(); ++i) {
      if (!parts[i].empty())
        extent = std::max(extent, parts[i].end - slope * static_cast<int64_t>(i) - base);
    }
    if (!best || extent < best->extent) best = SlicedAxis{extent, index(loop, slope, base)};
  }
  return *best;
}

}  // namespace

PatchGrid patch_grid(const Shape& split, int64_t patches) {
  PatchGrid grid{ceil_div(split[kRows], patches), ceil_div(split[kColumns], patches)};
  grid.down = ceil_div(split[kRows], grid.rows);
  grid.across = ceil_div(split[kColumns], grid.columns);
  return grid;
}

PatchAnalysis::PatchAnalysis(const Graph& graph)
    : graph_(graph),
      maps_(access_maps(graph)),
      producer_(producers(graph)),
      consumers_(consumers(graph)),
      walks_(graph.ops.size()) {}

const std::vector<PatchAnalysis::Walk>& PatchAnalysis::walks(OpId op) {
  auto& known = walks_[op.index()];
  if (!known) {
    known.emplace();
    for (KernelUse& use : kernel_uses(graph_, graph_.op(op), Method::kCompute))
      known->push_back({std::move(use.inputs), std::move(use.in), std::move(use.out)});
  }
  return *known;
}

std::variant<PatchStage, std::string> PatchAnalysis::stage_up_to(OpId last) const {
  const Op& op = graph_.op(last);
  const TensorId split = op.outputs[0];
  const Shape& shape = graph_.tensor(split).shape;
  if (shape.size() != 4 || shape[kRows] * shape[kColumns] == 1)
    return fmt::format("its output, {}, is no image", to_string(shape));
  PatchStage stage{.split = split, .ops = {}, .inside = std::vector<bool>(graph_.ops.size())};
  stage.inside[last.index()] = true;
  for (size_t k = last.index() + 1; k-- > 0;) {  // a producer stands before its consumers
    if (!stage.inside[k]) continue;
    for (TensorId t : graph_.ops[k].inputs) {
      if (producer_[t.index()].valid()) stage.inside[producer_[t.index()].index()] = true;
    }
  }
  for (size_t k = 0; k <= last.index(); ++k) {
    if (!stage.inside[k]) continue;
    stage.ops.push_back({static_cast<int32_t>(k)});
    const TensorId made = graph_.ops[k].outputs[0];
    if (made == split) continue;
    for (OpId reader : consumers_[made.index()]) {
      if (!stage.inside[reader.index()])
        return fmt::format("the output of {} is read behind it, by {}", label(graph_.ops[k]),
                           label(graph_.op(reader)));
    }
    const bool port = std::any_of(graph_.outputs.begin(), graph_.outputs.end(),
                                  [&](const Port& p) { return p.tensor == made; });
    if (port) return fmt::format("{} before it makes an output", label(graph_.ops[k]));
  }
  return stage;
}

// Adds what this operator reads to what is needed of its inputs.
std::string PatchAnalysis::demand(OpId id, const PatchGrid& grid, PatchRegions& regions) const {
  const Op& op = graph_.op(id);
  const RegionExpr& out = regions.of[op.outputs[0].index()];
  for (size_t k = 0; k < op.inputs.size(); ++k) {
    const TensorId in = op.inputs[k];
    const InputMap& map = maps_[id.index()][k];
    if (cuts_whole_axis(map, out))
      return fmt::format("{} computes an axis whole that the patches cut", label(op));
    if (!producer_[in.index()].valid()) continue;  // a constant, or an input: held whole
    if (map.linear) return fmt::format("{} reads no rectangles", label(op));
    RegionExpr region;
    for (size_t axis = 0; axis < map.axes.size(); ++axis) {
      auto interval = needed(map.axes[axis], graph_.tensor(in).shape[axis], out);
      const RegionExpr& known = regions.of[in.index()];
      if (interval && !known.empty()) interval = hull(*interval, known[axis], grid);
      if (!interval) return fmt::format("what {} reads in a patch has no closed form", label(op));
      region.push_back(*interval);
    }
    if (!follows_all(region, grid))
      return fmt::format("{} needs more than a patch of its input", label(op));
    regions.of[in.index()] = std::move(region);
  }
  return "";
}

std::string PatchAnalysis::kernel_fault(OpId id, const PatchRegions& regions) {
  const Op& op = graph_.op(id);
  for (const Walk& walk : walks(id)) {
    std::string fault = cut_fault(walk.out, regions.of[op.outputs[0].index()]);
    for (size_t k = 0; k < walk.inputs.size() && fault.empty(); ++k) {
      const TensorId in = op.inputs[static_cast<size_t>(walk.inputs[k])];
      const RegionExpr& region = regions.of[in.index()];
      if (!region.empty()) fault = cut_fault(walk.in[k], region);
    }
    if (!fault.empty()) return fmt::format("{}: {}", label(op), fault);
  }
  return "";
}

std::variant<PatchRegions, std::string> PatchAnalysis::regions(const PatchStage& stage,
                                                               const PatchGrid& grid) {
  PatchRegions regions{std::vector<RegionExpr>(graph_.tensors.size())};
  RegionExpr& split = regions.of[stage.split.index()];
  split = region_expr(whole(graph_.tensor(stage.split).shape));
  if (grid.down > 1)
    split[kRows] = {index(kPatchRow, grid.rows), index(kPatchRow, grid.rows, grid.rows)};
  if (grid.across > 1) {
    split[kColumns] = {index(kPatchColumn, grid.columns),
                       index(kPatchColumn, grid.columns, grid.columns)};
  }
  for (size_t k = stage.ops.size(); k-- > 0;) {  // consumers first
    std::string fault = demand(stage.ops[k], grid, regions);
    if (fault.empty()) fault = kernel_fault(stage.ops[k], regions);
    if (!fault.empty()) return fault;
  }
  return regions;
}

bool PatchAnalysis::recomputed(TensorId tensor, const RegionExpr& region,
                               const PatchGrid& grid) const {
  const Shape& shape = graph_.tensor(tensor).shape;
  for (size_t axis = 0; axis < region.size(); ++axis) {
    const LoopId loop = loop_of(region[axis]);
    if (!loop.valid()) continue;
    Counters counters(2);
    int64_t reached = 0;  // by the patches before
    for (int64_t& i = counters[loop.index()]; i < count_of(loop, grid); ++i) {
      const Interval part = evaluate({region[axis]}, counters, {shape[axis]})[0];
      if (!part.empty() && part.begin < reached) return true;
      reached = std::max(reached, part.end);
    }
  }
  return false;
}

Buffer PatchAnalysis::slice(TensorId tensor, const RegionExpr& region,
                            const PatchGrid& grid) const {
  Buffer buffer = whole_buffer(graph_, tensor);
  for (size_t axis = 0; axis < region.size(); ++axis) {
    if (!loop_of(region[axis]).valid()) continue;
    const SlicedAxis sliced = shortest(region[axis], buffer.extents[axis], grid);
    buffer.extents[axis] = sliced.extent;
    buffer.origin[axis] = sliced.origin;
  }
  return buffer;
}

}  // namespace thimble
