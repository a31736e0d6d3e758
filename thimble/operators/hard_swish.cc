// SPDX-License-Identifier: Apache-2.0
// HARD_SWISH: x * relu6(x + 3) / 6 element by element.
#include "thimble/operators/maps.h"
#include "thimble/operators/overloads.h"
#include "thimble/operators/predicates.h"

namespace thimble {
namespace {

/// The product is only ever shifted to the right, and a third of the input to the left by what 16
/// bits have room for.
bool hard_swish_scales_fit(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  const float in = v.in(0).quantization.scales[0];
  const float to_output = in / 128 / v.out().quantization.scales[0];
  return to_output < 0.9999F && to_output > 0x1p-14F && in > 0x1p-20F && in < 0x1p10F;
}

}  // namespace

AccessMap access_map_of(const HardSwish&, const OpView& v) { return {identity_map(v.x().size())}; }

int64_t macs_of(const HardSwish&, const OpView&, const Region&) { return 0; }

Shape output_shape_of(const HardSwish&, const OpView& v) { return v.x(); }

Traits traits_of(const HardSwish&) { return kOfEachValue; }

std::vector<Constraint> constraints_of(const HardSwish&) {
  return {kOneInput,
          kRankAtMost6,
          kAllInt8OrFloat32,
          kAllHaveOneScale,
          {"the input's scale is within 2^-20 and 2^10, and within 2^-7 and 127 x output scale",
           hard_swish_scales_fit, true},
          kOutputShape};
}

}  // namespace thimble
