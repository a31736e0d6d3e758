// SPDX-License-Identifier: Apache-2.0
// Functions of one 8-bit number through float32, as the lookup tables of TensorFlow Lite's kernels
// of uint8 have them (activations.cc, PopulateLookupTable).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "thimble/model/graph.h"
#include "thimble/reference/evaluate.h"

namespace thimble::reference {

/// The function of int8 tensors with one scale each.
template <class RealFunction>
std::vector<Bytes> through_float(const OpContext& context, const RealFunction& function) {
  const Tensor& input = context.input(0);
  const Tensor& output = context.output();
  const float inverse_scale = 1 / scale_of(output);
  std::vector<int8_t> values = context.read<int8_t>(0);
  for (int8_t& value : values) {
    const float real = scale_of(input) * static_cast<float>(value - zero_point_of(input));
    const float rounded = std::round(function(real) * inverse_scale);
    const auto quantised =
        static_cast<int32_t>(rounded + static_cast<float>(zero_point_of(output)));
    value = static_cast<int8_t>(std::clamp<int32_t>(quantised, INT8_MIN, INT8_MAX));
  }
  return {bytes_from(values)};
}

}  // namespace thimble::reference
