// SPDX-License-Identifier: Apache-2.0
// RELU6: a clamp of raw values (the reference does not requantise).
#include "thimble/operators/maps.h"
#include "thimble/operators/overloads.h"
#include "thimble/operators/predicates.h"

namespace thimble {

AccessMap access_map_of(const Relu6&, const OpView& v) { return {identity_map(v.x().size())}; }

int64_t macs_of(const Relu6&, const OpView&, const Region&) { return 0; }

Shape output_shape_of(const Relu6&, const OpView& v) { return v.x(); }

Traits traits_of(const Relu6&) { return kOfEachValue; }

std::vector<Constraint> constraints_of(const Relu6&) {
  return {kOneInput,        kRankAtMost6,      kAllInt8Int16OrFloat32,
          kAllHaveOneScale, kInt16IsSymmetric, kAllSameQuantization,
          kOutputShape};
}

}  // namespace thimble
