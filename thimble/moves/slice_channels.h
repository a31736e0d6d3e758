// SPDX-License-Identifier: Apache-2.0
// Which instances can execute together a few channels at a time (Pex, Liberis and Lane 2023,
// sections 3.1 and 3.2), and the group that does.
//
// Within it every value is partial (some channels of it) or full, and every instance has a role
// that follows from how its operands' channels are connected with those of its output:
//
//   generate    channels of the output from full operands                convolution
//   continue    channels of the output from the same of all operands     depthwise, pooling, add
//   accumulate  adds what some channels of operand 0 contribute to a full output    convolution
//
// A partial value that is also read outside of the group is written into a full buffer channel by
// channel (Pex: post-concatenate), and a full one is read channel by channel (Pex: slice).
//
//   x > expand e > depthwise d > project y        y is finalised behind the group
//       loop {paced e, channels, step 1}, slices: compute expand, compute depthwise, accumulate y
#pragma once

#include <optional>
#include <vector>

#include "thimble/plan/clock.h"

namespace thimble {

struct ChannelGroup {
  std::vector<InstanceId> instances;  ///< in order
  Group group;                        ///< one channel at a time
  int64_t channels = 0;               ///< of all partial values
  bool is_pair = false;               ///< the first instance generates, the last one accumulates

  // Values, each once:
  std::vector<ValueId> slices;       ///< exist a few channels at a time only
  std::vector<ValueId> made;         ///< channel by channel, full
  std::vector<ValueId> accumulated;  ///< full, as sums until they are finalised
  std::vector<ValueId> context;      ///< full, made before: what the group reads

  /// The group with so many channels at a time, and what finalises the sums behind it.
  [[nodiscard]] std::vector<Member> members(int64_t step) const;
  bool operator==(const ChannelGroup&) const = default;
};

/// What every such question needs to know of the instances.
class ChannelSlicing {
 public:
  /// The dataflow must outlive it.
  explicit ChannelSlicing(const Dataflow& dataflow);

  /// The group that executes these together, or nothing if the roles do not allow it, or nothing
  /// is a slice. instances: in an order in which they can execute.
  [[nodiscard]] std::optional<ChannelGroup> group_of(
      const std::vector<InstanceId>& instances) const;
  /// In how many slices a value might exist at the most; 1: in every plan it is full at some time.
  [[nodiscard]] int64_t most_slices(ValueId value) const;

 private:
  /// Between the channels of what an instance makes and those that it reads.
  enum class Relation : uint8_t {
    kSame,     ///< the same of all operands
    kReduced,  ///< all of operand 0's
    kOther,
  };
  [[nodiscard]] Relation relation(const Instance& instance) const;
  [[nodiscard]] bool same_channels(const Instance& instance, size_t operand) const;
  [[nodiscard]] bool reduces_channels(const Instance& instance) const;
  [[nodiscard]] int64_t channels(ValueId value) const;
  [[nodiscard]] int last_axis(ValueId value) const;
  [[nodiscard]] TileLoop loop_of(const ChannelGroup& group) const;

  const Dataflow& flow_;
  std::vector<std::vector<ValueId>> read_;  ///< per instance: what is no constant
  std::vector<Relation> relations_;         ///< per instance
  std::vector<bool> accumulates_;           ///< per instance: chunk by chunk
};

}  // namespace thimble
