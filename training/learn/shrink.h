// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "training/learn/network.h"
#include "training/network/channels.h"

namespace thimble::training {

/// What `from` has learnt, without the channels that do not stay: into `to`, the network of what
/// without_channels() leaves.
void shrink(const Network& from, const Channels& channels, const Kept& kept, Network& to);

}  // namespace thimble::training
