// SPDX-License-Identifier: Apache-2.0
// To compute this region of the output, which region of each input is needed? Each operator answers
// once; parallel splits, receptive fields, rings, in-place execution and the verifier derive from
// it.
//
// A stride-2 convolution of 3 x 3 over 96 x 96 x 3 with padding.top = 0, bottom = 1:
//   axis of x       N                H                            W            C
//   map          Affine{0}   Affine{1, num 2, lo 0, hi 2}   Affine{2, ...}   Reduced
//   output rows [10, 12)  ->  input rows [20, 25)
#pragma once

#include <variant>

#include "thimble/regions/region.h"

namespace thimble {

/// Input interval of output [a, b) on out_axis:
/// [ floor((a * num + lo) / den), floor(((b - 1) * num + hi) / den) + 1 ), cut to the extent;
/// a and b - 1 change places where num is negative (a slice that runs backwards). Never 0.
/// Transposes name another axis; hi - lo wider than a point is a halo.
struct Affine {
  int out_axis = 0;
  int64_t num = 1, den = 1, lo = 0, hi = 0;
  bool operator==(const Affine&) const = default;
};

/// Grouped channels: output channel o reads the input channels of group o / out_per_group, which
/// has in_per_group.
struct Grouped {
  int out_axis = 0;
  int64_t out_per_group = 1, in_per_group = 1;
  bool operator==(const Grouped&) const = default;
};

/// Extent 1 (or absent from the output): needed by every piece.
struct Broadcast {
  bool operator==(const Broadcast&) const = default;
};

/// One index, whatever part of the output is wanted: an axis that a slice drops.
struct Point {
  int64_t index = 0;
  bool operator==(const Point&) const = default;
};

/// Summed over: needed whole, or split into chunks that accumulate.
struct Reduced {
  bool operator==(const Reduced&) const = default;
};

/// In order only, with state (time of a recurrent layer).
struct Scan {
  int out_axis = 0;
  bool operator==(const Scan&) const = default;
};

/// Needed whole; ends a split (the softmax axis).
struct Whole {
  bool operator==(const Whole&) const = default;
};

using AxisMap = std::variant<Affine, Grouped, Broadcast, Point, Reduced, Scan, Whole>;

/// One entry per axis of the input; or, if `linear`, both sides are the same row-major sequence
/// (reshape) and an output region needs the box around its row-major interval.
struct InputMap {
  std::vector<AxisMap> axes;
  bool linear = false;
  bool operator==(const InputMap&) const = default;
};

/// One entry per input of the operator, constants included (weights follow the output channel).
using AccessMap = std::vector<InputMap>;

/// Region of an input of shape `in` that the region `out_region` of an output of shape `out` needs.
/// Empty for an empty out_region. Never larger than the input; may be empty (concat).
[[nodiscard]] Region input_region(const InputMap& map, const Shape& in, const Shape& out,
                                  const Region& out_region);

/// One axis of it, of `extent` indices; out_region is not empty.
[[nodiscard]] Interval input_interval(const AxisMap& map, int64_t extent, const Region& out_region);

}  // namespace thimble
