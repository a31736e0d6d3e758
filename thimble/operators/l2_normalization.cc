// SPDX-License-Identifier: Apache-2.0
// L2_NORMALIZATION over the last axis.
#include "thimble/operators/maps.h"
#include "thimble/operators/overloads.h"
#include "thimble/operators/predicates.h"

namespace thimble {

namespace {

bool normalised_scale_is_fixed(const Graph& graph, const Op& op) {
  const Quantization& q = OpView{graph, op}.out().quantization;
  return q.scales[0] == 0x1p-7F && q.zero_points[0] == 0;
}

/// Their squares, of 16 bits, are summed in 31.
bool squares_fit(const Graph& graph, const Op& op) { return OpView{graph, op}.x().back() <= 32768; }

}  // namespace

AccessMap access_map_of(const L2Normalization&, const OpView& v) {
  InputMap map = identity_map(v.x().size());
  map.axes.back() = Whole{};
  return {map};
}

int64_t macs_of(const L2Normalization&, const OpView&, const Region&) { return 0; }

Shape output_shape_of(const L2Normalization&, const OpView& v) { return v.x(); }

Traits traits_of(const L2Normalization&) { return {}; }

std::vector<Constraint> constraints_of(const L2Normalization&) {
  return {kOneInput,
          kRank1To4,
          kAllInt8OrFloat32,
          kAllHaveOneScale,
          {"the output's scale is 1/128 and its zero point 0", normalised_scale_is_fixed, true},
          {"the last axis has at most 32768 elements", squares_fit, true},
          kOutputShape};
}

}  // namespace thimble
