// SPDX-License-Identifier: Apache-2.0
// Order problems with the shapes of published networks with many branches, int8 activations.
#pragma once

#include <cstdint>

#include "thimble/search/order.h"

namespace thimble {

struct CellNetwork {
  int resolution = 0;  ///< of the image, which has 3 channels
  int channels = 0;    ///< of the branches in the first stage
  int cells = 0;       ///< normal ones: in each of 3 stages (NASNet), or all (DARTS)
  bool in_place = false;
};

/// NASNet-A (Zoph et al. 2018, Figure 4). The image of the small data set has no stem cells.
[[nodiscard]] OrderProblem nasnet_problem(const CellNetwork& network, bool stem_cells);
/// DARTS, second order (Liu et al. 2019, Figures 4 and 5), as for ImageNet.
[[nodiscard]] OrderProblem darts_problem(const CellNetwork& network);

/// Watts-Strogatz graphs, K = 4, P = 0.75 (Xie et al. 2019): a node adds up its inputs, then ReLU,
/// depthwise 3x3, pointwise convolution.
struct WiredNetwork {
  int stages = 1;
  int nodes = 32;  ///< per stage
  int resolution = 28;
  int channels = 78;
  uint32_t seed = 1;
  bool in_place = false;
};
[[nodiscard]] OrderProblem wired_problem(const WiredNetwork& network);

/// Each operator reads one to three of the last `reach` tensors.
struct RandomNetwork {
  int ops = 0;
  int reach = 0;
  int max_bytes = 100;  ///< of a tensor
  uint32_t seed = 1;
  bool in_place = false;
};
[[nodiscard]] OrderProblem random_problem(const RandomNetwork& network);

}  // namespace thimble
