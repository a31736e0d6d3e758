// SPDX-License-Identifier: Apache-2.0
// RESIZE_NEAREST_NEIGHBOR: each pixel is one of the input.
#include "thimble/model/resize.h"
#include "thimble/operators/overloads.h"
#include "thimble/operators/resizes.h"

namespace thimble {
namespace {

Affine nearest_map(const ResizeNearestNeighbor& a, const OpView& v, int axis) {
  const int64_t in = v.x()[static_cast<size_t>(axis)];
  std::vector<RowRange> rows;
  for (const int64_t row : nearest_rows(a, in, v.out().shape[static_cast<size_t>(axis)])) {
    rows.push_back({row, row});
  }
  return resize_map(axis, rows, in);
}

}  // namespace

AccessMap access_map_of(const ResizeNearestNeighbor& a, const OpView& v) {
  return {{.axes = {Affine{0}, nearest_map(a, v, 1), nearest_map(a, v, 2), Affine{3}}}};
}

int64_t macs_of(const ResizeNearestNeighbor&, const OpView&, const Region&) { return 0; }

Shape output_shape_of(const ResizeNearestNeighbor&, const OpView& v) { return v.out().shape; }

Traits traits_of(const ResizeNearestNeighbor&) { return {.by_channel = true}; }

std::vector<Constraint> constraints_of(const ResizeNearestNeighbor&) {
  return {kOneInput,           kRank4, kImageIsResized, kAllInt8Int16OrFloat32, kAllHaveOneScale,
          kAllSameQuantization};
}

}  // namespace thimble
