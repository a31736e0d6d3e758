// SPDX-License-Identifier: Apache-2.0
// TinySeg (Chae, Kim and Heo): tensors that are idle while much else is live go to storage for that
// time. Where the print is wrong or leaves something open, what its figures confirm:
//   algorithm 1: rounds while the arena is above the target, as long as it falls
//   algorithm 2: as printed; an input of the network is idle from operator 0 on
//   algorithm 3: of the tensors live at the first operator where the arena is fullest, the one with
//                the longest cold range, the first of equal ones, whatever operators that spans
//
//   conv -> x1 -> pool -> ... -> up        conv -> x1 -> pool, Spill(x1) -> ... -> up
//            \-> concat(x1, up) -> conv                       FetchingConv2D(x1 from storage, up)
#pragma once

#include <cstdint>
#include <vector>

#include "thimble/planners/tinyseg_list.h"

namespace thimble::tinyseg {

/// The longest time without a use, as positions of operators that the tensor is used by (section
/// 4.1). Of a tensor that is not there all are 0.
struct ColdRange {
  int start = 0, end = 0;
  int last = 0;  ///< use
  [[nodiscard]] int length() const { return end - start; }
};

/// Algorithm 2: one per tensor.
[[nodiscard]] std::vector<ColdRange> cold_ranges(const OperatorList& list);

/// One tensor's way to storage and back.
struct Spill {
  TensorId tensor;
  int64_t first_channel = 0, channels = 0;  ///< along the last axis: these are spilled
  int64_t bytes = 0;                        ///< written, and read as often
  /// Written behind this operator of the network; invalid: before any.
  OpId behind;
  /// Fetched in front of this one. Where only computed shapes lie in the range, it is the next one.
  OpId before;
  OpId concat;  ///< joins what was fetched while fetching it; invalid: the tensor is made again
  OpId conv;    ///< reads what is joined, which is never whole; invalid: none
};

struct SpillOptions {
  int64_t target_bytes = 0;  ///< of the arena
  bool fuse_concat = true;   ///< Fetching takes the operators behind it that only join
  bool fuse_conv = true;     ///< FetchingConv2D
};

struct SpillStep {
  Spill spill;
  int64_t arena_bytes = 0;  ///< after it
};

struct SpilledList {
  OperatorList list;
  int64_t original_bytes = 0, arena_bytes = 0;
  std::vector<SpillStep> steps;  ///< those of algorithm 1 that made the arena smaller

  [[nodiscard]] int64_t written_bytes() const;
};

/// Algorithms 1 and 3. A tensor larger than what is still to be saved is split along its channels,
/// of which as few as possible are spilled. Fused is what stands directly behind and alone reads
/// what lies between; a convolution not if that is smaller than its inputs in memory and its output
/// (section 4.2.2). What a fused convolution fetches is read whole into its output's buffer, the
/// rest into scratch; the few lines of the output that wait meanwhile are not counted, as in the
/// paper.
[[nodiscard]] SpilledList spill(OperatorList list, const SpillOptions& options);

}  // namespace thimble::tinyseg
