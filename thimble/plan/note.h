// SPDX-License-Identifier: Apache-2.0
// What there is to say of a plan beside its figures, as data: report/note_text.h has the sentences.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "thimble/model/id.h"
#include "thimble/model/one_of.h"

namespace thimble {
namespace note {

/// No order of whole operators has a smaller peak.
struct LeastOrder {
  int64_t states = 0;  ///< searched; 0: no search was needed
  bool operator==(const LeastOrder&) const = default;
};
/// The best order found, without a proof.
struct BestOrder {
  int64_t states = 0, peak_bytes = 0, lower_bound_bytes = 0;
  bool operator==(const BestOrder&) const = default;
};

/// Patches would not need less memory than whole operators.
struct NoPatches {
  bool operator==(const NoPatches&) const = default;
};
/// The first stage of a network, in patches.
struct Patches {
  int64_t down = 0, across = 0;   ///< patches along rows, columns
  int64_t rows = 0, columns = 0;  ///< of the split tensor, in a patch
  OpId last;                      ///< operator of the stage
  TensorId split;                 ///< what it makes
  int64_t recomputed_macs = 0, stage_macs = 0, network_macs = 0;
  bool operator==(const Patches&) const = default;
};
/// The peak of such a stage, and what it is made of.
struct PatchBytes {
  int64_t stage_bytes = 0, input_bytes = 0, slice_bytes = 0;
  int64_t split_bytes = 0;  ///< of the split tensor, if it lies over the inputs: beyond them
  bool split_over_inputs = false;
  int64_t rest_bytes = 0;  ///< the peak of the operators behind the stage
  bool operator==(const PatchBytes&) const = default;
};

/// Operators in groups over channels.
struct ChannelLoops {
  int64_t ops_in_loops = 0, ops = 0, loops = 0;
  int64_t sums_of_32 = 0, sums_of_16 = 0, sums_of_8 = 0;  ///< tensors summed, by bits
  int64_t peak_bytes = 0;
  bool operator==(const ChannelLoops&) const = default;
};
/// How far the search for such groups went.
struct ChannelLoopSearch {
  std::optional<int64_t> states;  ///< nothing: there is one order
  bool ended = true;              ///< had states enough
  int64_t peak_bytes = 0, lower_bound_bytes = 0;
  bool operator==(const ChannelLoopSearch&) const = default;
};

/// Operators in rolled groups, row by row or pixel by pixel, and in groups over channels.
struct Spans {
  int64_t ops_in_spans = 0, ops = 0, spans = 0, ops_by_pixels = 0;
  int64_t ops_in_loops = 0, loops = 0, ops_in_both = 0;
  int64_t peak_bytes = 0;
  bool operator==(const Spans&) const = default;
};
/// A streamed input that is whole in memory before anything executes.
struct InputCollected {
  std::string obstacle;            ///< why rows cannot pass by; empty: they could
  int64_t passing_peak_bytes = 0;  ///< the peak if they did
  bool operator==(const InputCollected&) const = default;
};
/// An input that is brought to row-major order first, in place.
struct InputRelaid {
  bool operator==(const InputRelaid&) const = default;
};
/// Images that are wider than high lie column by column; ports are brought there and back in place.
struct ByColumns {
  bool operator==(const ByColumns&) const = default;
};
/// Tensors computed twice instead of kept.
struct Rematerialised {
  int64_t tensors = 0, macs = 0;
  bool operator==(const Rematerialised&) const = default;
};

/// Operators in parts along connected axes (MoteS).
struct Partitions {
  int64_t schemes = 0, ops_in_parts = 0, ops = 0;
  int64_t steps = 0;  ///< written down for them
  int64_t peak_bytes = 0;
  double instructions = 0, whole_instructions = 0;  ///< estimated; without parts
  bool operator==(const Partitions&) const = default;
};

/// Tensors that lie in block storage while nothing reads them.
struct Spilled {
  std::string storage;
  int64_t tensors = 0;
  int64_t compressed = 0;                     ///< of them
  int64_t written_bytes = 0, read_bytes = 0;  ///< of an inference, before they are compressed
  bool operator==(const Spilled&) const = default;
};

/// Operators whose packed constants come from block storage.
struct BroughtConstants {
  std::string storage;
  int64_t ops = 0, of = 0;
  int64_t image_bytes = 0, read_bytes = 0;  ///< there; of an inference
  double wait_share = 0;  ///< of the time that it would take without storage; 0: not known
  bool operator==(const BroughtConstants&) const = default;
};

/// Channels that are not computed, as every input gives them the same value, or nobody needs them.
struct ConstantChannels {
  int64_t removed = 0, of = 0;  ///< outputs of convolutions and fully connected layers
  int64_t macs_before = 0, macs = 0;
  int64_t weight_bytes_before = 0, weight_bytes = 0;
  bool operator==(const ConstantChannels&) const = default;
};

/// The time limit ended a search.
struct TimeLimitStruck {
  double seconds = 0;  ///< the limit
  bool operator==(const TimeLimitStruck&) const = default;
};

}  // namespace note

using AnyNote = std::variant<note::LeastOrder, note::BestOrder, note::NoPatches, note::Patches,
                             note::PatchBytes, note::ChannelLoops, note::ChannelLoopSearch,
                             note::Spans, note::InputCollected, note::InputRelaid, note::ByColumns,
                             note::Rematerialised, note::Partitions, note::Spilled,
                             note::BroughtConstants, note::ConstantChannels, note::TimeLimitStruck>;

/// One of them.
class Note : public OneOf<AnyNote> {
 public:
  using OneOf::OneOf;
};

}  // namespace thimble
