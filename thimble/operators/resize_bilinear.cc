// SPDX-License-Identifier: Apache-2.0
// RESIZE_BILINEAR: each pixel lies between up to four of the input.
#include "thimble/model/resize.h"
#include "thimble/operators/overloads.h"
#include "thimble/operators/resizes.h"

namespace thimble {
namespace {

Affine linear_map(const ResizeBilinear& a, const OpView& v, int axis) {
  const int64_t in = v.x()[static_cast<size_t>(axis)];
  const int64_t out = v.out().shape[static_cast<size_t>(axis)];
  std::vector<RowRange> rows;
  if (v.in(0).type == DType::kFloat32) {
    for (const RealRows& row : real_rows(a, in, out)) rows.push_back({row.first, row.last});
    return resize_map(axis, rows, in);
  }
  const LinearPositions positions = linear_positions(a, in, out);
  for (int64_t row = 0; row < out; ++row) {
    const LinearRows between = linear_rows(positions, row, in);
    rows.push_back({between.first, between.last});
  }
  return resize_map(axis, rows, in);
}

bool one_kind_of_centers(const Graph&, const Op& op) {
  const ResizeBilinear& a = std::get<ResizeBilinear>(op.attributes);
  return !a.align_corners || !a.half_pixel_centers;
}

/// The step is rounded: many small ones may lead out of the image.
bool positions_stay_inside(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  const ResizeBilinear& a = std::get<ResizeBilinear>(op.attributes);
  for (const size_t axis : {1, 2}) {
    const int64_t in = v.x()[axis], out = v.out().shape[axis];
    if (linear_rows(linear_positions(a, in, out), out - 1, in).first >= in) return false;
  }
  return true;
}

}  // namespace

AccessMap access_map_of(const ResizeBilinear& a, const OpView& v) {
  return {{.axes = {Affine{0}, linear_map(a, v, 1), linear_map(a, v, 2), Affine{3}}}};
}

int64_t macs_of(const ResizeBilinear&, const OpView&, const Region&) { return 0; }

Shape output_shape_of(const ResizeBilinear&, const OpView& v) { return v.out().shape; }

Traits traits_of(const ResizeBilinear&) { return {.by_channel = true}; }

std::vector<Constraint> constraints_of(const ResizeBilinear&) {
  return {kOneInput,
          kRank4,
          kImageIsResized,
          {"align_corners and half_pixel_centers are not both set", one_kind_of_centers},
          {"positions in the input, rounded to steps of 1/1024 of a pixel, stay within it",
           positions_stay_inside, true},
          kAllInt8OrFloat32,
          kAllHaveOneScale,
          kAllSameQuantization};
}

}  // namespace thimble
