// SPDX-License-Identifier: Apache-2.0
// Cells of five pairwise combinations, as NASNet and AmoebaNet are made of (Zoph et al. 2018,
// "Learning transferable architectures for scalable image recognition", section 3).
#pragma once

#include <array>
#include <string>

#include "zoo/builder.h"

namespace thimble::zoo {

enum class CellOp {
  kIdentity,
  kAveragePool3,
  kMaxPool3,
  kSeparable3,  ///< twice: relu, depthwise, pointwise
  kSeparable5,
  kSeparable7,
  kConv1x7And7x1,  ///< between pointwise convolutions to and from a quarter of the channels
};

/// Hidden states: 0 the previous cell's output, 1 that of the cell before it, 2 to 6 the sums.
struct Cell {
  struct Term {
    CellOp op;
    int state;
  };
  std::array<std::array<Term, 2>, 5> sums;
  std::array<int, 7> joined;  ///< the states that the output concatenates; -1: none
};

struct CellInputs {
  TensorId current;
  TensorId previous;  ///< invalid in the first cell, which takes `current` as it is in its place
};

/// channels: of every combination. stride: 1, or 2 for a reduction cell.
[[nodiscard]] TensorId cell(Builder& net, const Cell& spec, const CellInputs& inputs,
                            int64_t channels, int64_t stride);

/// Halves height and width in two paths, one of them shifted by a pixel, and joins them:
/// channels / 2 each.
[[nodiscard]] TensorId factorized_reduction(Builder& net, TensorId x, int64_t channels);

/// What a network of such cells is made of.
struct CellNetwork {
  const Cell& normal;
  const Cell& reduction;
  int64_t cells;     ///< normal ones in each of the three stacks
  int64_t channels;  ///< of a cell in the first stack
  int64_t classes;
};

/// Three stacks of normal cells with a reduction cell between them, then the classifier.
[[nodiscard]] Graph cell_stacks(Builder& net, const CellNetwork& network, CellInputs state);
/// cell_stacks() for an image of side x side pixels: a convolution and two reduction cells of a
/// quarter and half of the channels form the stem.
[[nodiscard]] Graph imagenet_cells(Builder& net, const CellNetwork& network, int64_t side);

}  // namespace thimble::zoo
