// SPDX-License-Identifier: Apache-2.0
// How far what a sweep (sweep.h) writes runs ahead of what it still reads, by rows and tiles.
#pragma once

#include <span>

#include "thimble/analysis/beat.h"
#include "thimble/plan/instances.h"

namespace thimble {

/// So many rows for so many tiles.
struct SweepPace {
  int64_t rows = 1, tiles = 1;
  bool operator==(const SweepPace&) const = default;
};
/// At which rows are read: so many for each that the reader makes.
[[nodiscard]] SweepPace pace_of(const Beat& reader, int64_t each);

/// An image that the sweep makes for others, its rows one after the other.
struct WrittenImage {
  ValueId value;
  int64_t height = 1, row_bytes = 1;
  Beat beat;
};

/// One that it consumes.
struct ReadImage {
  int64_t height = 1, row_bytes = 1;
  SweepPace pace;
  std::span<const int64_t> from;  ///< per tile of a period, after which all repeats: the first row
};

/// The most that bytes of `out` written are ahead of bytes of `in` still needed.
[[nodiscard]] int64_t sweep_lead(const WrittenImage& out, const ReadImage& in);

}  // namespace thimble
