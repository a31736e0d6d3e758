// SPDX-License-Identifier: Apache-2.0
// Channels of a network that can only be removed together, and the network without some of them.
#pragma once

#include <cstdint>
#include <vector>

#include "thimble/model/graph.h"

namespace thimble::training {

/// One index along an axis: the channel of a group that it stands for.
struct ChannelOf {
  int32_t group = -1;  ///< -1: nothing can be removed there
  int32_t channel = 0;
  bool operator==(const ChannelOf&) const = default;
};

/// What makes channels are convolutions and fully connected layers. Groups are what additions and
/// the like tie: the layers of a residual stage are one. Whatever reaches an input, an output, a
/// SOFTMAX or an operator that is not known here cannot be removed.
class Channels {
 public:
  /// graph: of float32. Must outlive it.
  explicit Channels(const Graph& graph);

  [[nodiscard]] size_t groups() const { return makers_.size(); }
  [[nodiscard]] int64_t count(size_t group) const { return counts_[group]; }  ///< channels
  /// By index along the last axis of an activation.
  [[nodiscard]] const std::vector<ChannelOf>& of(TensorId activation) const {
    return of_[activation.index()];
  }
  /// Operators with weights whose outputs have channels of the group, depthwise ones among them.
  [[nodiscard]] const std::vector<OpId>& makers(size_t group) const { return makers_[group]; }
  /// Per axis of a constant that an operator reads: the channel of each index, or nothing where
  /// that axis has none.
  [[nodiscard]] std::vector<std::vector<ChannelOf>> axes_of(TensorId constant) const;

 private:
  const Graph& graph_;
  std::vector<std::vector<ChannelOf>> of_;  ///< by TensorId
  std::vector<int64_t> counts_;
  std::vector<std::vector<OpId>> makers_;
};

/// Per group and channel: whether it stays.
using Kept = std::vector<std::vector<bool>>;

/// The network without what does not stay. Tensors keep their ids and names. Each group keeps one
/// channel at least.
[[nodiscard]] Graph without_channels(const Graph& graph, const Channels& channels,
                                     const Kept& kept);

}  // namespace thimble::training
