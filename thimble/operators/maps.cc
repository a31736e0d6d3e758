// SPDX-License-Identifier: Apache-2.0
// Access maps that several operators share.
#include "thimble/operators/maps.h"

#include <algorithm>

#include "thimble/model/error.h"

namespace thimble {

InputMap identity_map(size_t rank) {
  InputMap map;
  for (size_t i = 0; i < rank; ++i) map.axes.push_back(Affine{static_cast<int>(i)});
  return map;
}

InputMap broadcast_map(const Shape& in, const Shape& out) {
  check(in.size() <= out.size(), "broadcast: an input with more axes than the output");
  const size_t lead = out.size() - in.size();
  InputMap map;
  for (size_t i = 0; i < in.size(); ++i) {
    if (in[i] == 1 && out[lead + i] != 1) {
      map.axes.push_back(Broadcast{});
    } else {
      map.axes.push_back(Affine{static_cast<int>(lead + i)});
    }
  }
  return map;
}

Shape broadcast_shape(const Shape& a, const Shape& b) {
  const Shape& longer = a.size() >= b.size() ? a : b;
  const Shape& shorter = a.size() >= b.size() ? b : a;
  Shape shape = longer;
  const size_t lead = longer.size() - shorter.size();
  for (size_t i = 0; i < shorter.size(); ++i) {
    int64_t& extent = shape[lead + i];
    if (extent == 1) {
      extent = shorter[i];
    } else if (shorter[i] != 1 && shorter[i] != extent) {
      extent = 0;
    }
  }
  return shape;
}

InputMap channel_map(int out_axis) { return {.axes = {Affine{out_axis}}}; }

}  // namespace thimble
