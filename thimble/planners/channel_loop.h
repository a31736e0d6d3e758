// SPDX-License-Identifier: Apache-2.0
// Which operators can execute together a few channels at a time (Pex, sections 3.1 and 3.2).
//
// Within a loop over channels every tensor is partial (a slice) or full, and every operator has a
// role that follows from its access map:
//
//   generate    channels of the output from full inputs      convolution, fully connected
//   continue    channels of the output from the same of the inputs   depthwise, pooling, add, ...
//   accumulate  adds what some channels of the input contribute to a full output   convolution
//
// A partial tensor that is also read outside of the loop is written into a full buffer channel by
// channel (Pex: post-concatenate), and a full one is read channel by channel (Pex: slice).
#pragma once

#include <optional>
#include <vector>

#include "thimble/model/graph.h"

namespace thimble {

enum class LoopRole : uint8_t { kGenerate, kContinue, kAccumulate };

struct ChannelLoop {
  std::vector<OpId> ops;        ///< in order
  std::vector<LoopRole> roles;  ///< per operator
  int64_t channels = 0;         ///< of all partial tensors

  // Tensors, each once:
  std::vector<TensorId> slices;        ///< exist a few channels at a time only
  std::vector<TensorId> concatenated;  ///< made channel by channel, full
  std::vector<TensorId> accumulated;   ///< full, as sums until they are finalised
  std::vector<TensorId> context;       ///< full tensors made before that the loop reads
};

/// Relations between tensors and operators that every query needs.
class ChannelLoops {
 public:
  explicit ChannelLoops(const Graph& graph);

  /// The loop that executes these operators together, or nothing if the rules do not allow it. ops:
  /// in executable order.
  [[nodiscard]] std::optional<ChannelLoop> loop_of(const std::vector<OpId>& ops) const;
  /// In how many slices a tensor might exist at the most; 1: in every plan it is full at some time.
  [[nodiscard]] int64_t most_slices(TensorId t) const;
  /// Bytes of what the loop makes full: accumulators of type `sums`, and what it concatenates.
  /// size_bytes: per tensor, 0 for those outside of the arena.
  [[nodiscard]] int64_t full_bytes(const ChannelLoop& loop, DType sums,
                                   const std::vector<int64_t>& size_bytes) const;
  /// The most that slices of one channel take at once.
  [[nodiscard]] int64_t slice_bytes(const ChannelLoop& loop) const;

 private:
  /// Of an operator's output channels and those of an activation: the same, all of them summed
  /// over, or anything else. Of an operator (Pex's types C and A): kSame with all its activations,
  /// kReduced with its first.
  enum class Relation : uint8_t { kSame, kReduced, kOther };
  [[nodiscard]] Relation relation(const Op& op, size_t input) const;
  [[nodiscard]] Relation relation(const Op& op) const;

  const Graph& graph_;
  std::vector<std::vector<OpId>> consumers_;
  std::vector<bool> is_output_;     ///< per tensor
  std::vector<bool> makes_slices_;  ///< per tensor: its producer could make it in slices
  std::vector<std::vector<TensorId>> activations_;  ///< that an operator reads
  std::vector<Relation> relations_;                 ///< per operator
  std::vector<bool> accumulates_;                   ///< per operator: chunk by chunk
};

}  // namespace thimble
