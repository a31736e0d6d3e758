// SPDX-License-Identifier: Apache-2.0
#include "depthwise_plane.h"
#include "thimble_runtime/kernels.h"

namespace thimble::runtime {
namespace {

// One channel of the input, copied out before the first of its elements is overwritten.
void copy_plane(const Window2D& w, const View& x, int32_t n, int32_t channel,
                int8_t* plane) noexcept {
  const auto* row = pixel<const int8_t>(x, n, 0, 0) + channel * x.stride[3];
  for (int32_t y = 0; y < w.in_h; ++y, row += x.stride[1]) {
    const int8_t* from = row;
    for (int32_t column = 0; column < w.in_w; ++column, from += x.stride[2]) *plane++ = *from;
  }
}

int32_t extent(const Outputs& outputs) noexcept { return outputs.end - outputs.begin; }

}  // namespace

void depthwise_conv_2d_in_place(const DepthwiseConv2DParams& p, const View& x, const View& out,
                                const Region& region, int8_t* scratch) noexcept {
  PlaneAxis rows = plane_rows(p.window, region);
  rows.x_step = p.window.in_w;
  rows.weights_step = p.window.kernel_w * p.out_channels;
  rows.out_step = out.stride[1];
  PlaneAxis columns = plane_columns(p.window, region);
  columns.x_step = 1;
  columns.weights_step = p.out_channels;
  columns.out_step = out.stride[2];
  if (rows.begin == rows.end || columns.begin == columns.end) return;  // before a plane is copied
  const bool tall = extent(rows.full) > extent(columns.full);
  Plane plane{tall ? columns : rows, tall ? rows : columns, 0, scratch, 0, nullptr, nullptr, true};
  for (int32_t n = region.begin[0]; n < region.end[0]; ++n) {
    int8_t* const first = pixel<int8_t>(out, n, region.begin[1], region.begin[2]);
    for (int32_t c = region.begin[3]; c < region.end[3]; ++c) {
      copy_plane(p.window, x, n, c, scratch);
      plane.channel = c;
      plane.weights = p.weights + c;
      plane.out = first + c * out.stride[3];
      convolve_plane(p, plane);
    }
  }
}

}  // namespace thimble::runtime
