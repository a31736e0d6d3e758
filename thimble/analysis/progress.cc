// SPDX-License-Identifier: Apache-2.0
#include "thimble/analysis/progress.h"

#include <algorithm>

namespace thimble {
namespace {

// The output's own index, or, of an operand of its extent, one that is some steps ahead.
bool goes_along(const AxisMap& map, int axis, int64_t in, int64_t out) {
  const auto* affine = std::get_if<Affine>(&map);
  return affine != nullptr && affine->out_axis == axis && affine->num == 1 && affine->den == 1 &&
         affine->lo == affine->hi && (affine->lo == 0 || (affine->lo > 0 && in == out));
}

// Every activation is walked in the output's own order, or broadcast, or row-major like the output,
// or may be read all at any time (what DYNAMIC_UPDATE_SLICE puts over its input, and where).
bool lies_alike(const Graph& graph, const Op& op, const AccessMap& map) {
  const Shape& out = graph.tensor(op.outputs[0]).shape;
  const int out_rank = static_cast<int>(out.size());
  for (size_t k = 0; k < op.inputs.size(); ++k) {
    if (graph.tensor(op.inputs[k]).is_constant() || map[k].linear) continue;
    if (std::ranges::all_of(map[k].axes, [](const AxisMap& m) { return m == AxisMap{Whole{}}; }))
      continue;
    const int lead = out_rank - static_cast<int>(map[k].axes.size());
    for (int axis = 0; axis + lead < out_rank; ++axis) {
      const AxisMap& m = map[k].axes[static_cast<size_t>(axis)];
      const int64_t extent = graph.tensor(op.inputs[k]).shape[static_cast<size_t>(axis)];
      const int to = axis + lead;  // below 0: an axis that the output does not have
      const bool along = to >= 0 && goes_along(m, to, extent, out[static_cast<size_t>(to)]);
      if (!along && m != AxisMap{Broadcast{}}) return false;
    }
  }
  return true;
}

void visit_runs(Region& unit, const Region& region, size_t axis, size_t inner,
                const std::function<void(const Region&)>& visit) {
  if (axis == inner) {
    visit(unit);
    return;
  }
  for (int64_t i = region[axis].begin; i < region[axis].end; ++i) {
    unit[axis] = {i, i + 1};
    visit_runs(unit, region, axis + 1, inner, visit);
  }
}

}  // namespace

Progress kernel_progress(const Graph& graph, OpId op, const AccessMap& map, const KernelUses& all,
                         Method method, KernelId kernel) {
  if (method == Method::kFinalise) return Progress::kElement;
  const std::vector<KernelUse>& uses = all.uses_of(op, method);
  if (uses.size() != 1) return Progress::kNone;
  const Progress progress = info(chosen(kernel, uses[0])).progress;
  const bool tells = progress != Progress::kElement || lies_alike(graph, graph.op(op), map);
  return tells ? progress : Progress::kNone;
}

Progress StepProgress::progress_of(const Step& step) {
  if (!step.op.valid() && step.method == Method::kInPlace) return Progress::kWhole;
  if (!step.op.valid()) return Progress::kElement;
  const auto [it, added] = known_.try_emplace({step.op, step.method, step.kernel}, Progress::kNone);
  if (added) {
    it->second =
        kernel_progress(graph_, step.op, maps_[step.op.index()], uses_, step.method, step.kernel);
  }
  return it->second;
}

void for_each_unit(Progress progress, const Region& region,
                   const std::function<void(const Region&)>& visit) {
  if (empty(region)) return;
  Region unit = region;
  switch (progress) {
    case Progress::kWhole:
    case Progress::kNone:
      visit(region);
      return;
    case Progress::kPlane:
      for (int64_t n = region.front().begin; n < region.front().end; ++n) {
        unit.front() = {n, n + 1};
        for (int64_t c = region.back().begin; c < region.back().end; ++c) {
          unit.back() = {c, c + 1};
          visit(unit);
        }
      }
      return;
    case Progress::kElement:
    case Progress::kPixel:
      visit_runs(unit, region, 0, region.empty() ? 0 : region.size() - 1, visit);
      return;
  }
}

}  // namespace thimble
