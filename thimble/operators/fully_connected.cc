// SPDX-License-Identifier: Apache-2.0
// FULLY_CONNECTED: rows of the input, each with all of the weights.
#include <optional>

#include "thimble/operators/maps.h"
#include "thimble/operators/overloads.h"
#include "thimble/operators/predicates.h"
#include "thimble/operators/weights.h"

namespace thimble {
namespace {

/// How many leading axes of x make up the batch; nothing if K does not begin at an axis.
std::optional<size_t> batch_axes(const Shape& x, int64_t depth) {
  size_t axes = x.size();
  int64_t inner = 1;
  while (inner < depth && axes > 0) inner *= x[--axes];
  if (inner != depth) return std::nullopt;
  return axes;
}

bool ranks_fit(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  auto in_range = [](const Shape& shape) { return !shape.empty() && shape.size() <= 6; };
  return in_range(v.x()) && in_range(v.out().shape) && v.weights().size() == 2 &&
         (!v.has_bias() || v.in(2).shape.size() == 1);
}

bool input_splits(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  return batch_axes(v.x(), v.weights()[1]).has_value();
}

/// Weights that are an activation come quantised like one.
bool dense_weights_are_quantised(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  const bool like_an_activation = v.in(0).type == DType::kInt8 && has_one_scale(v.in(1));
  return like_an_activation || (v.in(1).is_constant() && weights_are_symmetric(graph, op, 0));
}

bool other_weights_are_constant(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  return v.in(0).type == DType::kInt8 || v.in(1).is_constant();
}

Shape leading(const Shape& shape, size_t axes) {
  return {shape.begin(), shape.begin() + static_cast<int64_t>(axes)};
}

/// Maps of x's batch axes. Extents of 1 may come and go between x and the output; if the others
/// differ (two axes merged into one), each row needs the whole of them.
std::vector<AxisMap> batch_maps(const Shape& x, const Shape& out) {
  std::vector<AxisMap> maps;
  size_t next = 0;
  for (int64_t extent : x) {
    while (next < out.size() && out[next] == 1 && extent != 1) ++next;
    if (next < out.size() && out[next] == extent) {
      maps.push_back(Affine{static_cast<int>(next++)});
    } else if (extent == 1) {
      maps.push_back(Broadcast{});
    } else {
      return std::vector<AxisMap>(x.size(), Whole{});
    }
  }
  return maps;
}

}  // namespace

AccessMap access_map_of(const FullyConnected&, const OpView& v) {
  const size_t batch = batch_axes(v.x(), v.weights()[1]).value();
  const Shape& out = v.out().shape;
  const int channels = static_cast<int>(out.size()) - 1;
  InputMap x{.axes = batch_maps(leading(v.x(), batch), leading(out, out.size() - 1))};
  x.axes.resize(v.x().size(), Reduced{});
  AccessMap map{x, {.axes = {Affine{channels}, Reduced{}}}};
  if (v.has_bias()) map.push_back(channel_map(channels));
  return map;
}

int64_t macs_of(const FullyConnected&, const OpView& v, const Region& region) {
  return elements(region) * v.weights()[1];
}

/// The file says by the recorded shape whether the batch axes were kept apart.
Shape output_shape_of(const FullyConnected&, const OpView& v) {
  const int64_t batch = elements(v.x()) / v.weights()[1];
  Shape shape = v.out().shape;
  if (shape.empty() || elements(leading(shape, shape.size() - 1)) != batch) shape = {batch, 0};
  shape.back() = v.weights()[0];
  return shape;
}

Traits traits_of(const FullyConnected&) { return {.weighted = true}; }

std::vector<Constraint> constraints_of(const FullyConnected&) {
  return join(
      {{kHasWeights,
        {"input and output have 1 to 6 axes, the weights have 2 and the bias has 1", ranks_fit},
        {"the input's trailing axes hold exactly the weights' input channels", input_splits}},
       {kWeightedOrHybridTypes,
        kBiasIsConstant,
        {"weights of int16 and float32 inputs are constant", other_weights_are_constant},
        kXAndOutputHaveOneScale,
        {"the weights have one positive, finite scale and a zero point within int8 (int16 inputs: "
         "0), or are constant and have one scale per output channel and zero points 0",
         dense_weights_are_quantised, true}},
       sum_constraints<0>(),
       {kOutputShape}});
}

}  // namespace thimble
