// SPDX-License-Identifier: Apache-2.0
// Ports and variables of the two networks, and inferences of both.
#pragma once

#include <string>
#include <vector>

#include "thimble/certify/certificate.h"
#include "thimble/certify/networks.h"

namespace thimble {

/// What the callers' bytes hold in the file's network: the tensors of its ports, or behind a
/// conversion at the edge that went.
struct Edges {
  std::vector<TensorId> inputs, outputs;
};
/// Throws WrongClaim where ports or variables are not the file's.
[[nodiscard]] Edges proven_edges(const Networks& networks, Interface interface);

/// As many inferences as the work allows, and what is wrong in one of them.
struct ExecutedNetworks {
  std::string fault;
  int64_t count = 0;
};
[[nodiscard]] ExecutedNetworks executed(const Networks& networks, const Edges& edges, int64_t work);

}  // namespace thimble
