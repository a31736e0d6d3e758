// SPDX-License-Identifier: Apache-2.0
// RSQRT: 1 / sqrt(x) element by element.
#include <cmath>

#include "thimble/operators/maps.h"
#include "thimble/operators/overloads.h"
#include "thimble/operators/predicates.h"

namespace thimble {
namespace {

/// What the reference multiplies by: a root times 2^20 must neither overflow nor vanish.
bool root_is_moderate(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  const double factor = 1 / (std::sqrt(static_cast<double>(v.in(0).quantization.scales[0])) *
                             v.out().quantization.scales[0]);
  return factor > 0x1p-11 && factor < 0x1p30;
}

}  // namespace

AccessMap access_map_of(const Rsqrt&, const OpView& v) { return {identity_map(v.x().size())}; }

int64_t macs_of(const Rsqrt&, const OpView&, const Region&) { return 0; }

Shape output_shape_of(const Rsqrt&, const OpView& v) { return v.x(); }

Traits traits_of(const Rsqrt&) { return kOfEachValue; }

std::vector<Constraint> constraints_of(const Rsqrt&) {
  return {
      kOneInput,
      kRankAtMost6,
      kAllInt8Int16OrFloat32,
      kAllHaveOneScale,
      kInt16IsSymmetric,
      {"1 / (sqrt(input scale) x output scale) is within 2^-11 and 2^30", root_is_moderate, true},
      kOutputShape};
}

}  // namespace thimble
