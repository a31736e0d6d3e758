// SPDX-License-Identifier: Apache-2.0
// One step of a recurrent layer in float32, as converters write it: fully connected layers, sums,
// slices, gates.
#pragma once

#include <optional>
#include <vector>

#include "thimble/model/graph.h"

namespace thimble {

/// Products of `columns` elements, the whole of `source`, with rows [row, row + units) of weights.
struct Products {
  TensorId source, weights;
  int64_t row = 0, column = 0, columns = 0;
};

/// Elements [begin, begin + units) of a constant.
struct Biases {
  TensorId tensor;
  int64_t begin = 0;
};

/// A sum of products and biases, for each unit of a layer.
struct GateSum {
  std::vector<Products> products;
  std::vector<Biases> biases;
};

enum class CellKind : uint8_t { kTanh, kRelu, kGru, kLstm };

struct RecurrentCell {
  CellKind kind = CellKind::kTanh;
  int64_t units = 0;
  size_t op = 0;           ///< that makes the hidden state
  TensorId hidden, cell;   ///< states that it makes; cell: of kLstm
  TensorId cell_before;    ///< of kLstm
  TensorId hidden_before;  ///< where the cell itself says which it is; else one of the sources
  std::vector<GateSum>
      gates;  ///< one; update, reset, candidate of x, of h; input, forget, cell, output
};

/// What operator number `op` ends, if that is a cell. producers: of the graph.
[[nodiscard]] std::optional<RecurrentCell> recurrent_cell(const Graph& graph,
                                                          const std::vector<OpId>& producers,
                                                          size_t op);

}  // namespace thimble
