// SPDX-License-Identifier: Apache-2.0
// DEPTHWISE_CONV_2D: windows over height and width, one input channel for each output channel.
#include "thimble/operators/maps.h"
#include "thimble/operators/overloads.h"
#include "thimble/operators/predicates.h"
#include "thimble/operators/weights.h"
#include "thimble/operators/windows.h"

namespace thimble {
namespace {

bool window_is_the_weights(const Graph& graph, const Op& op) {
  const Window& w = std::get<DepthwiseConv2D>(op.attributes).window;
  const OpView v{graph, op};
  return v.weights()[0] == 1 && w.kernel_h == v.weights()[1] && w.kernel_w == v.weights()[2];
}

bool multiplier_fits(const Graph& graph, const Op& op) {
  const int64_t multiplier = std::get<DepthwiseConv2D>(op.attributes).multiplier;
  const OpView v{graph, op};
  return v.weights()[3] % v.x()[3] == 0 && multiplier == v.weights()[3] / v.x()[3];
}

}  // namespace

AccessMap access_map_of(const DepthwiseConv2D& a, const OpView& v) {
  AccessMap map{
      {.axes = {Affine{0}, window_map_y(a.window), window_map_x(a.window),
                Affine{.out_axis = 3, .den = a.multiplier}}},
      {.axes = {Broadcast{}, Broadcast{}, Broadcast{}, Affine{3}}},
  };
  if (v.has_bias()) map.push_back(channel_map(3));
  return map;
}

int64_t macs_of(const DepthwiseConv2D& a, const OpView&, const Region& region) {
  return elements(region) * a.window.kernel_h * a.window.kernel_w;
}

Shape output_shape_of(const DepthwiseConv2D& a, const OpView& v) {
  return window_output(a.window, v.x(), v.weights()[3]);
}

Traits traits_of(const DepthwiseConv2D& a) { return {.weighted = true, .window = a.window}; }

std::vector<Constraint> constraints_of(const DepthwiseConv2D&) {
  return join({{kHasWeights,
                kImageRanks,
                kSaneWindow<DepthwiseConv2D>,
                {"the kernel is as high and wide as the weights, whose first extent is 1",
                 window_is_the_weights},
                {"the weights' channels are the input's times the multiplier", multiplier_fits}},
               convolution_constraints<3>(kWeightedOrHybridTypes, kWeightsAreQuantised<3>),
               {kOutputShape}});
}

}  // namespace thimble
