// SPDX-License-Identifier: Apache-2.0
// CAST: the number as another type.
#include <algorithm>
#include <array>

#include "thimble/operators/maps.h"
#include "thimble/operators/overloads.h"
#include "thimble/operators/predicates.h"

namespace thimble {

namespace {

bool types_cast(const Graph& graph, const Op& op) {
  static constexpr std::array kTypes = {DType::kInt8, DType::kInt16, DType::kInt32,
                                        DType::kFloat32};
  const OpView v{graph, op};
  const DType in = v.in(0).type, out = v.out().type;
  const auto known = [](DType type) { return std::ranges::find(kTypes, type) != kTypes.end(); };
  if (in == DType::kBool) return known(out);
  if (in == DType::kUInt32) return out == DType::kInt32;
  if (in == DType::kInt64) return out == DType::kInt32 || out == DType::kFloat32;
  if (out == DType::kUInt32 || out == DType::kInt64) return in == DType::kInt32;
  return known(in) && known(out) && in != out;
}

}  // namespace

AccessMap access_map_of(const Cast&, const OpView& v) { return {identity_map(v.x().size())}; }

int64_t macs_of(const Cast&, const OpView&, const Region&) { return 0; }

Shape output_shape_of(const Cast&, const OpView& v) { return v.x(); }

Traits traits_of(const Cast&) { return kOfEachValue; }

std::vector<Constraint> constraints_of(const Cast&) {
  return {
      kOneInput,
      kRankAtMost6,
      {"the input is bool, int8, int16, int32 or float32, and the output another one, not bool; "
       "or one is int32 and the other uint32 or int64; or int64 becomes float32",
       types_cast},
      kOutputShape};
}

}  // namespace thimble
