// SPDX-License-Identifier: Apache-2.0
// LOG_SOFTMAX over the last axis.
#include "thimble/operators/maps.h"
#include "thimble/operators/overloads.h"
#include "thimble/operators/predicates.h"

namespace thimble {
namespace {

bool logarithms_are_fixed(const Graph& graph, const Op& op) {
  const Quantization& q = OpView{graph, op}.out().quantization;
  return q.scales[0] == 0x1p-4F && q.zero_points[0] == 127;
}

/// The fixed-point exponent is that of scale x 2^26, which must have no fraction to lose.
bool logarithm_scale_is_moderate(const Graph& graph, const Op& op) {
  const float scale = OpView{graph, op}.in(0).quantization.scales[0];
  return scale > 0x1p-26F && scale < 0x1p4F;
}

/// More would overflow the fixed-point sum of exponentials (12 bits before the point).
bool logarithm_channels_fit(const Graph& graph, const Op& op) {
  return OpView{graph, op}.x().back() <= 4095;
}

}  // namespace

AccessMap access_map_of(const LogSoftmax&, const OpView& v) {
  InputMap map = identity_map(v.x().size());
  map.axes.back() = Whole{};
  return {map};
}

int64_t macs_of(const LogSoftmax&, const OpView&, const Region&) { return 0; }

Shape output_shape_of(const LogSoftmax&, const OpView& v) { return v.x(); }

Traits traits_of(const LogSoftmax&) { return {}; }

std::vector<Constraint> constraints_of(const LogSoftmax&) {
  return {kOneInput,
          kRank1To4,
          kAllInt8OrFloat32,
          kAllHaveOneScale,
          {"the output's scale is 1/16 and its zero point 127", logarithms_are_fixed, true},
          {"the input's scale is within 2^-26 and 2^4", logarithm_scale_is_moderate, true},
          {"the last axis has at most 4095 elements", logarithm_channels_fit, true},
          kOutputShape};
}

}  // namespace thimble
