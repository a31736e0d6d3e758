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

class Channels {
 public:
  /// graph: of float32. Must outlive it.
  explicit Channels(const Graph& graph);

  [[nodiscard]] size_t groups() const;
  [[nodiscard]] int64_t count(size_t group) const;  ///< channels of a group
  /// By index along the last axis of an activation.
  [[nodiscard]] const std::vector<ChannelOf>& of(TensorId activation) const;

 private:
  const Graph& graph_;
};

/// Per group and channel: whether it stays.
using Kept = std::vector<std::vector<bool>>;

/// The network without what does not stay. Tensors keep their ids and names. Each group keeps one
/// channel at least.
[[nodiscard]] Graph without_channels(const Graph& graph, const Channels& channels,
                                     const Kept& kept);

}  // namespace thimble::training
