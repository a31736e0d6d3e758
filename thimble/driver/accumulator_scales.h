// SPDX-License-Identifier: Apache-2.0
// Scales of sums of less than 32 bits that somebody has learnt (thimble-train), by name:
//
//   {"format": "thimble-accumulators", "version": 1,
//    "accumulators": [{"name": "conv_2/conv_2d", "type": "int8", "scale": 0.02, "zero_point": -3}]}
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "thimble/model/graph.h"

namespace thimble {

struct AccumulatorScale {
  std::string name;  ///< of the tensor
  DType type = DType::kInt8;
  float scale = 1;
  int32_t zero_point = 0;
  bool operator==(const AccumulatorScale&) const = default;
};
using AccumulatorScales = std::vector<AccumulatorScale>;

[[nodiscard]] std::string to_json(const AccumulatorScales& scales);
/// Further fields, as reports have them (docs/json.md), do not matter. Throws CompileError, in the
/// name of `where`, for text that is something else.
[[nodiscard]] AccumulatorScales accumulator_scales_from(const std::string& json,
                                                        const std::string& where);

/// How many of the accumulators got a scale. Others keep theirs. Throws CompileError, in the name
/// of `where`, for a scale of another type than the plan sums in.
size_t set_scales(const Graph& graph, const AccumulatorScales& scales, const std::string& where,
                  std::vector<Accumulator>& accumulators);

}  // namespace thimble
