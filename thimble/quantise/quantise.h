// SPDX-License-Identifier: Apache-2.0
// A network of float32 as one of int8, by TensorFlow Lite's specification of quantisation.
#pragma once

#include <string>
#include <vector>

#include "thimble/model/graph.h"
#include "thimble/quantise/range.h"

namespace thimble {

/// What the caller of the network gives and takes.
enum class PortType : uint8_t { kInt8, kFloat32 };

struct QuantiseOptions {
  PortType ports = PortType::kInt8;
  bool dense_per_channel = true;  ///< weights of FULLY_CONNECTED: a scale for each output
};

struct Quantised {
  Graph graph;
  std::vector<std::string> left_in_float;  ///< labels of the operators that stay as they are
  std::vector<TensorId> integers;  ///< by TensorId of the original; invalid: float32, or unused
};

/// Operators without a form in int8, or with values that are no finite numbers, stay as they are,
/// between DEQUANTIZE and QUANTIZE. Tensors of other types than float32 stay, too. ranges: of the
/// activations (observed_ranges); outputs of fixed ranges, such as SOFTMAX's, need none. Tensors
/// keep their names; what becomes of a port's tensor inside has a suffix. Throws CompileError for a
/// network without any operator that has a form in int8.
[[nodiscard]] Quantised quantised(const Graph& graph, const Ranges& ranges,
                                  const QuantiseOptions& options = {});

}  // namespace thimble
