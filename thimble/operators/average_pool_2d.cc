// SPDX-License-Identifier: Apache-2.0
// AVERAGE_POOL_2D: windows over height and width; the padding is left out of the count.
#include "thimble/operators/overloads.h"
#include "thimble/operators/predicates.h"
#include "thimble/operators/windows.h"

namespace thimble {

AccessMap access_map_of(const AveragePool2D& a, const OpView&) {
  return {{.axes = {Affine{0}, window_map_y(a.window), window_map_x(a.window), Affine{3}}}};
}

int64_t macs_of(const AveragePool2D&, const OpView&, const Region&) { return 0; }

Shape output_shape_of(const AveragePool2D& a, const OpView& v) {
  return window_output(a.window, v.x(), v.x()[3]);
}

Traits traits_of(const AveragePool2D& a) { return {.by_channel = true, .window = a.window}; }

std::vector<Constraint> constraints_of(const AveragePool2D&) {
  return {kOneInput,
          kRank4,
          kSaneWindow<AveragePool2D>,
          kWindowWithinReach<AveragePool2D>,
          kAllInt8Int16OrFloat32,
          kAllHaveOneScale,
          kInt16IsSymmetric,
          kAllSameQuantization,
          kOutputShape};
}

}  // namespace thimble
