// SPDX-License-Identifier: Apache-2.0
// CONV_2D: windows over height and width, all input channels of the group for each output channel.
#include "thimble/operators/maps.h"
#include "thimble/operators/overloads.h"
#include "thimble/operators/predicates.h"
#include "thimble/operators/weights.h"
#include "thimble/operators/windows.h"

namespace thimble {
namespace {

int64_t groups(const OpView& v) { return v.x()[3] / v.weights()[3]; }

bool kernel_is_the_weights(const Graph& graph, const Op& op) {
  const Window& w = std::get<Conv2D>(op.attributes).window;
  const OpView v{graph, op};
  return w.kernel_h == v.weights()[1] && w.kernel_w == v.weights()[2];
}

bool groups_divide(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  return v.x()[3] % v.weights()[3] == 0 && v.weights()[0] % groups(v) == 0;
}

}  // namespace

AccessMap access_map_of(const Conv2D& a, const OpView& v) {
  const bool grouped = groups(v) > 1;
  AxisMap channels = Reduced{};
  if (grouped) channels = Grouped{3, v.weights()[0] / groups(v), v.weights()[3]};
  AxisMap weight_channels =
      Reduced{};  // a chunk of x's channels takes the same chunk of the weights'
  if (grouped) weight_channels = Broadcast{};
  AccessMap map{
      {.axes = {Affine{0}, window_map_y(a.window), window_map_x(a.window), channels}},
      {.axes = {Affine{3}, Broadcast{}, Broadcast{}, weight_channels}},
  };
  if (v.has_bias()) map.push_back(channel_map(3));
  return map;
}

int64_t macs_of(const Conv2D& a, const OpView& v, const Region& region) {
  return elements(region) * a.window.kernel_h * a.window.kernel_w * v.weights()[3];
}

Shape output_shape_of(const Conv2D& a, const OpView& v) {
  return window_output(a.window, v.x(), v.weights()[0]);
}

Traits traits_of(const Conv2D& a) { return {.weighted = true, .window = a.window}; }

std::vector<Constraint> constraints_of(const Conv2D&) {
  return join({{kHasWeights,
                kImageRanks,
                kSaneWindow<Conv2D>,
                {"the kernel is as high and wide as the weights", kernel_is_the_weights},
                {"the weights' input channels divide the input's, and the number of groups that "
                 "follows divides the output's",
                 groups_divide}},
               convolution_constraints<0>(kWeightedOrHybridTypes, kWeightsAreQuantised<0>),
               {kOutputShape}});
}

}  // namespace thimble
