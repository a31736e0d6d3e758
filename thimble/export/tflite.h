// SPDX-License-Identifier: Apache-2.0
// Graph -> .tflite, for other tools.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "thimble/model/graph.h"

namespace thimble {

struct TfliteOptions {
  /// For TensorFlow Lite Micro: an offset in its arena per tensor of the graph, -1 where the
  /// interpreter is to choose (import/tflite/interpreter_tensors.h). Empty: none.
  std::vector<int32_t> offsets = {};
  /// Constants of int8, weights of CONV_2D or FULLY_CONNECTED, that are written as int4: two to a
  /// byte. All are from -8 to 7.
  std::vector<TensorId> four_bits = {};
};

/// A model of one subgraph with the graph's tensors under their numbers and names, its operators in
/// their order with the versions that converters give them, and what the format wants as operands
/// (axes, paddings, extents) in further constants behind. Importing it gives the graph back. Throws
/// CompileError for what the format cannot say: a window whose padding is neither SAME nor VALID,
/// ports of another order, states.
[[nodiscard]] Bytes export_tflite(const Graph& graph, const TfliteOptions& options = {});

/// Writes the model to a file, whole or not at all. Throws CompileError if it cannot be written.
void write_tflite(const Graph& graph, const std::filesystem::path& file);

}  // namespace thimble
