// SPDX-License-Identifier: Apache-2.0
// QUANTIZE: float32 to integer, or from one integer type and scale to another.
#include <algorithm>
#include <iterator>
#include <utility>

#include "thimble/operators/maps.h"
#include "thimble/operators/overloads.h"
#include "thimble/operators/predicates.h"

namespace thimble {
namespace {

bool types_convert(const Graph& graph, const Op& op) {
  using Pair = std::pair<DType, DType>;
  static constexpr Pair kPairs[] = {
      {DType::kFloat32, DType::kInt8}, {DType::kFloat32, DType::kInt16},
      {DType::kInt8, DType::kInt8},    {DType::kInt8, DType::kUInt8},
      {DType::kUInt8, DType::kInt8},   {DType::kInt8, DType::kInt16},
      {DType::kInt8, DType::kInt32},   {DType::kInt16, DType::kInt8},
      {DType::kInt32, DType::kInt8},   {DType::kInt16, DType::kInt32},
      {DType::kInt16, DType::kInt16},  {DType::kInt32, DType::kInt16},
  };
  const OpView v{graph, op};
  const Pair pair{v.in(0).type, v.out().type};
  return std::find(std::begin(kPairs), std::end(kPairs), pair) != std::end(kPairs);
}

bool integers_have_one_scale(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  return (v.in(0).type == DType::kFloat32 || has_one_scale(v.in(0))) && has_one_scale(v.out());
}

}  // namespace

AccessMap access_map_of(const Quantize&, const OpView& v) { return {identity_map(v.x().size())}; }

int64_t macs_of(const Quantize&, const OpView&, const Region&) { return 0; }

Shape output_shape_of(const Quantize&, const OpView& v) { return v.x(); }

Traits traits_of(const Quantize&) { return kOfEachValue; }

std::vector<Constraint> constraints_of(const Quantize&) {
  return {kOneInput,
          kRankAtMost6,
          {"input and output types are one of float32->int8, float32->int16, int8->int8, "
           "int8->uint8, uint8->int8, int8->int16, int8->int32, int16->int8, int32->int8, "
           "int16->int32, int16->int16, int32->int16",
           types_convert},
          {"integers have one positive, finite scale and a zero point within the type",
           integers_have_one_scale},
          kRescale,
          kOutputShape};
}

}  // namespace thimble
