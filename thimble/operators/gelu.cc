// SPDX-License-Identifier: Apache-2.0
// GELU: x Phi(x) element by element.
#include "thimble/operators/maps.h"
#include "thimble/operators/overloads.h"
#include "thimble/operators/predicates.h"

namespace thimble {
namespace {

/// Real values and the inverse of a scale are formed in float32.
bool scales_are_moderate_floats(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  const auto moderate = [](float scale) { return scale > 0x1p-100F && scale < 0x1p100F; };
  return moderate(v.in(0).quantization.scales[0]) && moderate(v.out().quantization.scales[0]);
}

}  // namespace

AccessMap access_map_of(const Gelu&, const OpView& v) { return {identity_map(v.x().size())}; }

int64_t macs_of(const Gelu&, const OpView&, const Region&) { return 0; }

Shape output_shape_of(const Gelu&, const OpView& v) { return v.x(); }

Traits traits_of(const Gelu&) { return kOfEachValue; }

std::vector<Constraint> constraints_of(const Gelu&) {
  return {kOneInput,
          kRankAtMost6,
          kAllInt8OrFloat32,
          kAllHaveOneScale,
          {"both scales are within 2^-100 and 2^100", scales_are_moderate_floats, true},
          kOutputShape};
}

}  // namespace thimble
