// SPDX-License-Identifier: Apache-2.0
// Operators and tensors as orders see them.
#pragma once

#include <cstdint>
#include <vector>

namespace thimble {

/// What an order is measured by: the operator-reordering problem without tensors' contents.
/// Executing operator o needs its inputs, its outputs and its scratch; everything already made and
/// still needed is held. Network inputs are live from the start to their last reader, network
/// outputs to the end.
struct OrderProblem {
  struct Op {
    std::vector<int> inputs;  ///< tensors (activations only), each once
    std::vector<int> outputs;
    int64_t scratch_bytes = 0;  ///< while it executes, not in place
    /// Ways to execute in place: output 0 takes the bytes of `input` if this operator is its last
    /// reader.
    struct InPlace {
      int input;                  ///< a tensor
      int64_t scratch_bytes = 0;  ///< instead of the one above
      bool operator==(const InPlace&) const = default;
    };
    std::vector<InPlace> in_place;
    bool operator==(const Op&) const = default;
  };
  std::vector<int64_t> size_bytes;   ///< per tensor
  std::vector<int> inputs, outputs;  ///< of the network (tensors)
  std::vector<Op> ops;
  bool operator==(const OrderProblem&) const = default;
};

}  // namespace thimble
