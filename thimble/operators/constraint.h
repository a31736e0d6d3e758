// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "thimble/model/graph.h"

namespace thimble {

/// Named condition whose text is both the message of a refusal and the entry of
/// docs/supported_ops.md.
struct Constraint {
  const char* text = nullptr;  ///< "the batch size is 1 to 65535"
  bool (*holds)(const Graph& graph, const Op& op) = nullptr;
  /// Whether it is left out where operands and outputs are all float32.
  bool of_integers = false;
  /// What sums of products and bias come to.
  bool of_sums = false;
};

}  // namespace thimble
