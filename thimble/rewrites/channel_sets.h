// SPDX-License-Identifier: Apache-2.0
// Which channels of activations can be left out: those that no operator needs, or whose value is
// the same for every input and can stand in the bias of all that read it.
#pragma once

#include <vector>

#include "thimble/reference/bounds.h"

namespace thimble {

/// Per index of a tensor's last axis: whether it stays. Empty: all do.
using KeptChannels = std::vector<bool>;

/// Per tensor. bounds: of all tensors (channel_bounds). Channels that an operator computes from one
/// another (depthwise, additions, pooling, concatenation, ...) go together or stay together, so
/// what is left is a network again. Every tensor keeps a channel, and a multiple of four if it had
/// one.
[[nodiscard]] std::vector<KeptChannels> kept_channels(const Graph& graph,
                                                      const std::vector<ValueRanges>& bounds);

}  // namespace thimble
