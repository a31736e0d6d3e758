// SPDX-License-Identifier: Apache-2.0
// A run of an order cut into parts along connected axes (MoteS, section 4.3). Of the paper's scheme
// (S, A, V_I, V_O, n): S are the instances of the run, A is the line that the group's clock follows
// through them, V_I is read from outside in place of a Slice, V_O written into its whole buffer in
// place of a Concat, or added up; n is the number of tiles.
//
//   windows that cross no border      slices: one loop
//   windows that do                   blocks, written down part by part (plan/blocks.h), or rings
//   channels                          slices, and sums of what reduces them (slice_channels.h)
#pragma once

#include "thimble/moves/roll.h"

namespace thimble {

/// What becomes of values whose windows cross the border between two parts.
enum class Windows : uint8_t {
  kBlocks,  ///< joined from blocks: consistent granularity (section 4.4)
  kRings,   ///< kept in a ring
};

/// How many of the numbers of positions that a part may have.
enum class PartCounts : uint8_t {
  kSome,  ///< of few parts all, of many ever fewer
  kAll,
};

class Partitions {
 public:
  /// All must outlive it.
  Partitions(const Dataflow& dataflow, const RolledGroups& rolls, const std::vector<int>& order,
             PartCounts steps = PartCounts::kSome)
      : flow_(dataflow), rolls_(rolls), order_(order), channels_(dataflow), steps_(steps) {}

  /// Positions [begin, end) in 2 to `most` parts, along each axis that can be cut. Nothing in them
  /// is computed again. Not all of them need have a derivation.
  [[nodiscard]] std::vector<GroupCandidate> along_rows(int begin, int end, int64_t most,
                                                       Windows windows) const;
  [[nodiscard]] std::vector<GroupCandidate> along_channels(int begin, int end) const;
  /// Rings of rows, one at a time, within which columns are in parts of 1 to 8 positions of the
  /// last value: hardly more bytes than pixel by pixel, and far fewer calls. Of all steps: of any
  /// number of rows and columns.
  [[nodiscard]] std::vector<GroupCandidate> along_columns_of_rows(int begin, int end) const;

 private:
  void add_parts(const GroupCandidate& base, int64_t most, Windows windows,
                 std::vector<GroupCandidate>& result) const;
  [[nodiscard]] bool derives(const Group& group) const;
  [[nodiscard]] std::vector<int64_t> steps(int64_t positions, int64_t most_parts) const;

  const Dataflow& flow_;
  const RolledGroups& rolls_;
  const std::vector<int>& order_;
  const ChannelSlicing channels_;
  const PartCounts steps_;
};

/// The outer one, which is along rows, with a run of its instances in parts along channels. Nothing
/// if these are not a run of its members.
[[nodiscard]] std::optional<GroupCandidate> nest(const GroupCandidate& outer,
                                                 const GroupCandidate& inner);

}  // namespace thimble
