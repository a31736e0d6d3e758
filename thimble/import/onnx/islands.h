// SPDX-License-Identifier: Apache-2.0
// What is dequantised, computed in numbers and quantised again is computed in integers.
//
//   x int8 -> DEQUANTIZE -> CONV_2D (float32) -> QUANTIZE -> y int8      becomes     x -> CONV_2D
//   -> y
//
// by TensorFlow Lite's arithmetic, where each such operator is within a step of the output's scale
// of what the numbers say; or by ONNX's (Arithmetic::kOnnx), which is what they say but for the
// order of sums. What only moves elements does so with the integers, which changes nothing.
#pragma once

#include <map>
#include <vector>

#include "thimble/import/onnx/network.h"

namespace thimble::onnx {

struct Steps {
  std::vector<Step> steps;  ///< in an order of execution
  std::vector<Tensor> tensors;
};

/// integers: of constants, by Network::integers(). ports: tensors that a caller reads. arithmetic:
/// kTflite, or kOnnx, for which in_numbers() has the rest.
[[nodiscard]] Steps in_integers(Steps network, const std::map<TensorId, Constant>& integers,
                                const std::vector<TensorId>& ports, Arithmetic arithmetic);

/// The network in numbers, as it is written: QUANTIZE rounds ties to the even integer then.
[[nodiscard]] Steps in_numbers(Steps network);

}  // namespace thimble::onnx
