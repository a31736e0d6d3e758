// SPDX-License-Identifier: Apache-2.0
// How far `auto` searches: work grows in proportion to what the user asks for, about, and large
// networks are searched less deeply. Effort 0 is for whoever asks about many networks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "thimble/layout/layout.h"

namespace thimble {

/// What `auto` tries for a network of so many instances.
struct Effort {
  Effort(size_t instances, int64_t effort);

  // What is tried.
  bool more_orders, more_tiles;    ///< of small networks: all that may help
  bool fewer_tiles, last_order;    ///< of those with many: what did in others
  bool rolled_and_strips;          ///< of large ones they take too long
  size_t cold_values = 3;          ///< that are computed again or spilled
  bool motes = true;               ///< the planner; where nothing else is found it is asked anyway
  bool others;                     ///< planners that search orders themselves
  int64_t most_bytes_of_others;    ///< of activations
  double latency_of_motes = 1.25;  ///< at the most

  // How many, none of them a bound of what there is.
  size_t orders;            ///< of small networks
  size_t rests = 4;         ///< ways to have cold values, to which another is added
  int sweep_labels;         ///< kept per position
  int cuts, cuts_of_peaks;  ///< of the operators behind a position
  size_t sweeps_in_strips;  ///< each time
  int windows_in_parts, windows_at_peak = 12;
  int rounds_of_strips = 3, rounds_of_parts = 3;
  int64_t least_in_strips = 8;  ///< of a sweep, what strips can change is this part, or more
  int reach_of_parts = 32;      ///< instances around a peak
  int64_t blocks = 4;           ///< each is written down

  // Plans are compared by layouts that are quick, but the same on every machine.
  size_t layouts;                     ///< of a front
  ptrdiff_t layouts_about_limit = 2;  ///< below a limit, and above it
  int64_t about_limit = 4;            ///< as near as one of so many parts of it
  int rounds_beside = 3;              ///< about what is chosen then
  size_t layouts_beside = 2;          ///< on either side, in each round
  size_t least_again = 2;             ///< where no layout meets the least peak
  int improved = 3;                   ///< plans, each with half the layout work of the last one
  ptrdiff_t many_buffers = 1000;      ///< of which it takes too long
  int64_t draft_work = layout::kSearchWork / 250, least_draft_work = layout::kSearchWork / 20;

 private:
  void be_quick();
};

}  // namespace thimble
