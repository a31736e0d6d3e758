// SPDX-License-Identifier: Apache-2.0
#include "thimble/quantise/format.h"

#include <array>

namespace thimble {
namespace {

struct Row {
  const char* name;
  DType activations;
  int32_t largest_weight;
};
constexpr std::array<Row, 4> kRows = {{{"float32", DType::kFloat32, 0},
                                       {"int8", DType::kInt8, 127},
                                       {"int4", DType::kInt8, 7},
                                       {"int16", DType::kInt16, 127}}};

const Row& row_of(Format format) { return kRows[static_cast<size_t>(format)]; }

}  // namespace

const char* name(Format format) { return row_of(format).name; }
DType activation_type(Format format) { return row_of(format).activations; }
int32_t largest_weight(Format format) { return row_of(format).largest_weight; }

}  // namespace thimble
