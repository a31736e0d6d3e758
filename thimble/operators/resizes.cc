// SPDX-License-Identifier: Apache-2.0
// What operators that resize images share.
#include "thimble/operators/resizes.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "thimble/model/division.h"
#include "thimble/operators/op_view.h"

namespace thimble {
namespace {

/// Rows of the input for a row of the output, in lowest terms.
Affine pace(int axis, int64_t in, int64_t out) {
  const int64_t up = ceil_div(out, in), down = ceil_div(in, out);
  if (ceil_div(out, up) == in) return {.out_axis = axis, .num = 1, .den = up};
  if (ceil_div(in, down) == out) return {.out_axis = axis, .num = down, .den = 1};
  const int64_t divisor = std::gcd(in, out);
  return {.out_axis = axis, .num = in / divisor, .den = out / divisor};
}

}  // namespace

Affine resize_map(int axis, const std::vector<RowRange>& rows, int64_t in) {
  Affine map = pace(axis, in, static_cast<int64_t>(rows.size()));
  map.lo = std::numeric_limits<int64_t>::max();
  map.hi = std::numeric_limits<int64_t>::min();
  for (size_t row = 0; row < rows.size(); ++row) {
    const int64_t at = static_cast<int64_t>(row) * map.num;
    map.lo = std::min(map.lo, (rows[row].first + 1) * map.den - 1 - at);
    map.hi = std::max(map.hi, rows[row].last * map.den - at);
  }
  map.lo = std::min(map.lo, map.hi);  // both name the same rows
  return map;
}

bool image_is_resized(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  const Shape& x = v.x();
  const Shape& y = v.out().shape;
  return x[0] == y[0] && x[3] == y[3] && std::max({x[1], x[2], y[1], y[2]}) <= 32767;
}

}  // namespace thimble
