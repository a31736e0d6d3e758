// SPDX-License-Identifier: Apache-2.0
#include "thimble/analysis/axis_graph.h"

#include <algorithm>

#include "thimble/analysis/progress.h"
#include "thimble/schedule/reads.h"

namespace thimble {
namespace {

/// The axis that has the rows, if all before it have one index: the first with several.
int outermost_axis(const Shape& shape) {
  int axis = 0;
  while (static_cast<size_t>(axis) < shape.size() && shape[static_cast<size_t>(axis)] == 1) ++axis;
  return axis;
}

/// Rows of one row-major sequence in two shapes: of one length, or a multiple. axis: the outermost
/// of the output.
std::optional<Connection> linear_rows(const Shape& in, const Shape& out, int axis) {
  const int in_axis = outermost_axis(in);
  if (static_cast<size_t>(in_axis) == in.size()) return std::nullopt;
  const int64_t out_rows = out[static_cast<size_t>(axis)];
  const int64_t in_rows = in[static_cast<size_t>(in_axis)];
  if (out_rows % in_rows == 0)
    return Connection{in_axis, {.out_axis = axis, .den = out_rows / in_rows}};
  if (in_rows % out_rows == 0) {
    const int64_t rows = in_rows / out_rows;
    return Connection{in_axis, {.out_axis = axis, .num = rows, .hi = rows - 1}};
  }
  return std::nullopt;
}

/// Per axis of the output.
std::vector<std::optional<Connection>> connections(const InputMap& map, const Shape& in,
                                                   const Shape& out) {
  std::vector<std::optional<Connection>> result(out.size());
  if (map.linear) {
    const int axis = outermost_axis(out);
    if (static_cast<size_t>(axis) < out.size())
      result[static_cast<size_t>(axis)] = linear_rows(in, out, axis);
    return result;
  }
  for (size_t in_axis = map.axes.size(); in_axis-- > 0;) {
    const auto* affine = std::get_if<Affine>(&map.axes[in_axis]);
    // Backwards, the first row would need the last ones.
    if (affine == nullptr || affine->num < 0) continue;
    result[static_cast<size_t>(affine->out_axis)] = {static_cast<int>(in_axis), *affine};
  }
  return result;
}

/// What one walk over a tensor allows along an axis of it.
Cut cut_of_walk(const OperandAxes& walk, int axis) {
  for (size_t k = 0; k < walk.axes.size(); ++k) {
    const std::vector<int>& merged = walk.axes[k];
    if (std::ranges::find(merged, axis) == merged.end()) continue;
    const bool leading = k + kKernelAxes < walk.axes.size();
    if (leading || merged.front() != axis) return Cut::kNo;
    return k + 1 < walk.axes.size() ? Cut::kRoll : Cut::kTile;  // channels are never a ring
  }
  return Cut::kTile;  // an axis that is not walked: of one index
}

/// What the kernel of a use wants of the region of its output.
Cut cut_of_kernel(const KernelUse& use, int axis) {
  const size_t leading = use.out.axes.size() - kKernelAxes;
  for (size_t k = leading; k < use.out.axes.size(); ++k) {
    const std::vector<int>& merged = use.out.axes[k];
    if (std::ranges::find(merged, axis) != merged.end() &&
        info(chosen({}, use)).whole_axes[k - leading])
      return Cut::kNo;
  }
  return Cut::kRoll;
}

/// Whether no buffer is a fault to it (schedule/kernel_fit.h).
bool takes_any_buffers(const KernelUse& use) {
  const auto plain = [](const OperandAxes& walk) {  // and channels last, which are never a ring
    int last = -1;
    for (const std::vector<int>& merged : walk.axes) {
      if (merged.size() > 1) return false;
      if (!merged.empty()) last = std::max(last, merged[0]);
    }
    return walk.axes.back().empty() || walk.axes.back()[0] == last;
  };
  return info(chosen({}, use)).rings && plain(use.out) && std::ranges::all_of(use.in, plain);
}

constexpr std::array kMethods = {Method::kCompute, Method::kInPlace, Method::kAccumulate,
                                 Method::kFinalise};

}  // namespace

AxisGraph::AxisGraph(const Graph& graph) : graph_(graph), kernel_uses_(graph) {
  static const std::vector<KernelUse> kNone;
  const std::vector<AccessMap> maps = access_maps(graph);
  StepProgress progress(graph, maps, kernel_uses_);
  for (size_t o = 0; o < graph.ops.size(); ++o) {
    const Op& op = graph.ops[o];
    const OpId id{static_cast<int32_t>(o)};
    const Shape& out = graph.tensor(op.outputs[0]).shape;
    std::vector<PerAxis>& operands = connections_.emplace_back();
    for (size_t k = 0; k < op.inputs.size(); ++k)
      operands.push_back(graph.tensor(op.inputs[k]).is_constant()
                             ? PerAxis()
                             : connections(maps[o][k], graph.tensor(op.inputs[k]).shape, out));
    const bool sums =
        op.outputs.size() == 1 && !op.inputs.empty() && has_kernel(graph, op, Method::kAccumulate);
    summed_axis_.push_back(sums ? std::optional(static_cast<int>(chunk_axis(graph, op)))
                                : std::nullopt);
    by_elements_.push_back(progress.progress_of({.op = id}) == Progress::kElement);
    PerMethod& uses = uses_.emplace_back();
    uses.fill(&kNone);
    std::array<std::vector<Cut>, 4>& cuts = cuts_.emplace_back();
    std::array<bool, 4>& takes_any = takes_any_buffer_.emplace_back();
    for (const Method method : kMethods) {
      const auto m = static_cast<size_t>(method);
      cuts[m].assign(out.size(), Cut::kNo);
      if (op.outputs.size() != 1 || !has_kernel(graph, op, method)) continue;
      uses[m] = &kernel_uses_.uses_of(id, method);
      takes_any[m] = std::ranges::all_of(*uses[m], takes_any_buffers);
      for (size_t axis = 0; axis < out.size(); ++axis)
        cuts[m][axis] = cut_of(id, static_cast<int>(axis), method);
    }
  }
}

Cut AxisGraph::cut_of(OpId id, int axis, Method method) const {
  const Op& op = graph_.op(id);
  const Shape& shape = graph_.tensor(op.outputs[0]).shape;
  Cut result = Cut::kRoll;
  for (const KernelUse& use : uses(id, method)) {
    result = std::min({result, cut_of_walk(use.out, axis), cut_of_kernel(use, axis)});
    // Rows of merged axes begin at floor(a i / b) times what is merged, which has no form.
    const bool merged = std::ranges::any_of(use.out.axes, [&](const std::vector<int>& axes) {
      return axes.size() > 1 && axes.front() == axis;
    });
    if (merged) result = std::min(result, Cut::kTile);
    if (method == Method::kFinalise) continue;  // its sums follow as its output does
    for (size_t k = 0; k < use.inputs.size(); ++k) {
      const auto operand = static_cast<size_t>(use.inputs[k]);
      const Connection* read = connection(id, operand, axis);
      if (read != nullptr) result = std::min(result, cut_of_walk(use.in[k], read->axis));
    }
  }
  const bool one_index = shape[static_cast<size_t>(axis)] == 1 && !is_image(shape);
  return one_index ? std::min(result, Cut::kTile) : result;
}

const Connection* AxisGraph::connection(OpId op, size_t operand, int axis) const {
  const PerAxis& along = connections_[op.index()][operand];
  const auto at = static_cast<size_t>(axis);
  return at < along.size() && along[at] ? &*along[at] : nullptr;
}

Cut AxisGraph::cut(OpId op, int axis, Method method) const {
  const std::vector<Cut>& cuts = cuts_[op.index()][static_cast<size_t>(method)];
  return static_cast<size_t>(axis) < cuts.size() ? cuts[static_cast<size_t>(axis)] : Cut::kNo;
}

bool is_image(const Shape& shape) { return shape.size() == 4 && shape[0] == 1; }

bool is_outermost(const Shape& shape, int axis) {
  return std::all_of(shape.begin(), shape.begin() + axis, [](int64_t e) { return e == 1; });
}

}  // namespace thimble
