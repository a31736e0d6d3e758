// SPDX-License-Identifier: Apache-2.0
// A network of float32 as one of integers, by TensorFlow Lite's specification of quantisation.
#pragma once

#include <string>
#include <vector>

#include "thimble/model/graph.h"
#include "thimble/quantise/format.h"
#include "thimble/quantise/range.h"

namespace thimble {

struct QuantiseOptions {
  DType ports = DType::kInt8;     ///< what the caller gives and takes: int8, uint8, int16, float32
  bool dense_per_channel = true;  ///< weights of FULLY_CONNECTED: a scale for each output
  Formats formats = {};           ///< empty: all kInt8
};

/// Where an operator of the original has its weights.
struct MadeLayer {
  OpId original;
  OpId made;
  Format format = Format::kInt8;
};

struct Quantised {
  Graph graph;
  std::vector<std::string> left_in_float;  ///< labels of the operators that stay as they are
  std::vector<TensorId> integers;  ///< by TensorId of the original, as its producer (or the caller)
                                   ///< has it; invalid: float32, or unused
  std::vector<MadeLayer> layers;   ///< those with constant weights, in order
  std::vector<size_t> groups;  ///< by TensorId of the original: those of one scale have the same
};

/// Operators without a form in their format, or with values that are no finite numbers, stay as
/// they are, between DEQUANTIZE and QUANTIZE. Tensors of other types than float32 stay, too.
/// ranges: of the activations (observed_ranges); outputs of fixed ranges, such as SOFTMAX's, need
/// none. Tensors keep their names; what becomes of a port's tensor inside has a suffix. Throws
/// CompileError for a network without any operator that has such a form.
[[nodiscard]] Quantised quantised(const Graph& graph, const Ranges& ranges,
                                  const QuantiseOptions& options = {});

}  // namespace thimble
