// SPDX-License-Identifier: Apache-2.0
// Cross-layer equalisation (Nagel et al. 2019, arXiv 1906.04721, section 4.1): channels between two
// layers are brought to ranges that one scale serves.
//
//   conv > x, relu, conv: channel 3 of x goes to 0.01, all others to 10
//     x[3] times 512, by the first layer's weights and bias; the second layer's weights for it /
//     512
#pragma once

#include <vector>

#include "thimble/model/graph.h"

namespace thimble {

/// The largest magnitude in each channel (index of the last axis), by TensorId; empty: not asked
/// for.
using ChannelPeaks = std::vector<std::vector<float>>;

/// A layer with weights, and the one that alone reads its output, or what operators that keep
/// channels apart and scales as they are (RELU, pools, PAD with 0, MEAN of rows and columns) make
/// of it.
struct LayerPair {
  OpId first, second;
};
[[nodiscard]] std::vector<LayerPair> layer_pairs(const Graph& graph);

/// The peaks of what the pairs' first layers give in one inference.
[[nodiscard]] ChannelPeaks observed_peaks(const Graph& graph, const std::vector<LayerPair>& pairs,
                                          const std::vector<Bytes>& inputs);
void include(ChannelPeaks& all, const ChannelPeaks& some);

/// A network that computes the same bit by bit, but for results below 2^-126: channels are
/// multiplied by powers of two.
[[nodiscard]] Graph equalised(Graph graph, const std::vector<LayerPair>& pairs,
                              const ChannelPeaks& peaks);

}  // namespace thimble
