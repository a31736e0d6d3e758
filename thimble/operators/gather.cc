// SPDX-License-Identifier: Apache-2.0
// GATHER with indices that are an operand: elements along an axis, wherever they say.
#include <algorithm>

#include "thimble/operators/maps.h"
#include "thimble/operators/overloads.h"
#include "thimble/operators/predicates.h"

namespace thimble {
namespace {

bool gather_axes_exist(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  const auto& a = std::get<Gather>(op.attributes);
  const auto rank = static_cast<int>(v.x().size()),
             of_indices = static_cast<int>(v.in(1).shape.size());
  return a.axis >= 0 && a.axis < rank && a.batch_axes >= 0 && a.batch_axes <= a.axis &&
         a.batch_axes <= of_indices;
}

bool batches_agree(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  const auto batch_axes = std::get<Gather>(op.attributes).batch_axes;
  return std::equal(v.x().begin(), v.x().begin() + batch_axes, v.in(1).shape.begin());
}

bool gathered_have_one_type(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  const DType type = v.out().type;
  return v.in(0).type == type && size_bytes(type) <= 4 && v.in(1).type == DType::kInt32;
}

bool gathered_have_one_quantization(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  return same_quantization(v.in(0), v.out());
}

}  // namespace

AccessMap access_map_of(const Gather& a, const OpView& v) {
  const auto axis = static_cast<size_t>(a.axis), batch = static_cast<size_t>(a.batch_axes);
  const size_t of_indices = v.in(1).shape.size();
  const int added = static_cast<int>(of_indices - batch) - 1;  // axes that stand for one
  InputMap x = identity_map(v.x().size()), indices = identity_map(of_indices);
  x.axes[axis] = Whole{};
  for (size_t k = axis + 1; k < x.axes.size(); ++k) x.axes[k] = Affine{static_cast<int>(k) + added};
  for (size_t k = batch; k < of_indices; ++k)
    indices.axes[k] = Affine{static_cast<int>(axis + k - batch)};
  return {x, indices};
}

int64_t macs_of(const Gather&, const OpView&, const Region&) { return 0; }

Shape output_shape_of(const Gather& a, const OpView& v) {
  const Shape &x = v.x(), &indices = v.in(1).shape;
  Shape shape(x.begin(), x.begin() + a.axis);
  shape.insert(shape.end(), indices.begin() + a.batch_axes, indices.end());
  shape.insert(shape.end(), x.begin() + a.axis + 1, x.end());
  return shape;
}

Traits traits_of(const Gather&) { return {}; }

std::vector<Constraint> constraints_of(const Gather&) {
  return {kTwoInputs,
          kRankAtMost6,
          {"axis and batch axes are ones of the operands', the latter before the axis",
           gather_axes_exist},
          {"both operands have the same extents along the batch axes", batches_agree},
          {"input and output have one type of at most 32 bits, and the indices are int32",
           gathered_have_one_type},
          {"the input has the output's scale and zero point", gathered_have_one_quantization},
          kOutputShape};
}

}  // namespace thimble
