// SPDX-License-Identifier: Apache-2.0
// TRANSPOSE_CONV: a convolution the other way round. Output row y takes part in the windows of the
// input rows (y + padding.top - k) / stride_h, k in [0, kernel_h), that are whole numbers.
#include <algorithm>

#include "thimble/model/division.h"
#include "thimble/operators/maps.h"
#include "thimble/operators/overloads.h"
#include "thimble/operators/predicates.h"
#include "thimble/operators/weights.h"
#include "thimble/operators/windows.h"

namespace thimble {
namespace {

Affine backward_map(int axis, int64_t pad, int64_t kernel, int64_t stride) {
  return {.out_axis = axis,
          .num = 1,
          .den = stride,
          .lo = std::min(pad - kernel + stride, pad),
          .hi = pad};
}

bool transposed_window_is_the_weights(const Graph& graph, const Op& op) {
  const Window& w = std::get<TransposeConv>(op.attributes).window;
  const OpView v{graph, op};
  return w.kernel_h == v.weights()[1] && w.kernel_w == v.weights()[2] && w.dilation_h == 1 &&
         w.dilation_w == 1 && v.weights()[3] == v.x()[3];
}

bool output_extents_are_sane(const Graph& graph, const Op& op) {
  const Shape& y = OpView{graph, op}.out().shape;
  return std::max(y[1], y[2]) <= 65535;
}

}  // namespace

AccessMap access_map_of(const TransposeConv& a, const OpView& v) {
  const Window& w = a.window;
  AccessMap map{
      {.axes = {Affine{0}, backward_map(1, w.padding.top, w.kernel_h, w.stride_h),
                backward_map(2, w.padding.left, w.kernel_w, w.stride_w), Whole{}}},
      {.axes = {Affine{3}, Broadcast{}, Broadcast{}, Broadcast{}}},
  };
  if (v.has_bias()) map.push_back(channel_map(3));
  return map;
}

/// On average, rounded up: taps that fall between the input's pixels do not count.
int64_t macs_of(const TransposeConv& a, const OpView& v, const Region& region) {
  const Window& w = a.window;
  return elements(region) *
         ceil_div(w.kernel_h * w.kernel_w * v.weights()[3], w.stride_h * w.stride_w);
}

/// The file says how far the output reaches behind the last window, or how much of it is cut.
Shape output_shape_of(const TransposeConv&, const OpView& v) {
  const Shape& y = v.out().shape;
  if (y.size() != 4) return {v.x()[0], 0, 0, v.weights()[0]};
  return {v.x()[0], y[1], y[2], v.weights()[0]};
}

Traits traits_of(const TransposeConv&) { return {}; }

std::vector<Constraint> constraints_of(const TransposeConv&) {
  return join({{kHasWeights,
                kImageRanks,
                kSaneWindow<TransposeConv>,
                {"the kernel is as high and wide as the weights, which have the input's channels",
                 transposed_window_is_the_weights},
                {"height and width of the output are at most 65535", output_extents_are_sane}},
               convolution_constraints<0>(kWeightedTypes, kWeightsAreSymmetric<0>),
               {kOutputShape}});
}

}  // namespace thimble
