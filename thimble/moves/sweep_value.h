// SPDX-License-Identifier: Apache-2.0
// What a value inside of a sweep (sweep.h) may become between two tiles, and what that takes.
#pragma once

#include <array>
#include <compare>
#include <cstdint>

#include "thimble/analysis/beat.h"
#include "thimble/plan/instances.h"

namespace thimble {

/// Bytes of scratch that kernels may have in a sweep: it is found with each of these budgets.
constexpr std::array<int64_t, 5> kScratchBudgets = {0, 256, 1024, 4096, INT64_MAX};
struct ScratchTime {
  int64_t scratch_bytes = 0;
  double instructions = 0;
};

/// Rows and columns of earlier tiles that readers of a value begin with, and what becomes of it.
/// Less than 0: so many of the tile's own that nobody reads, which are left out if nothing is kept.
struct SweepChoice {
  enum class Kind : uint8_t {
    kKept,           ///< rolls
    kRecomputeRows,  ///< rows that tiles share are computed again, columns roll
    kRecomputeAll,   ///< columns are computed again, too: new in each tile
  };
  int64_t back = 0, back_columns = 0;
  Kind kind = Kind::kKept;

  [[nodiscard]] int64_t recomputed_rows() const { return kind == Kind::kKept ? 0 : back; }
  [[nodiscard]] int64_t recomputed_columns() const {
    return kind == Kind::kRecomputeAll ? back_columns : 0;
  }
  auto operator<=>(const SweepChoice&) const = default;
};

struct SweptValue {
  ValueId value;
  Beat beat, column_beat;  ///< of its rows and columns
  int64_t height = 1, width = 1, pixel_bytes = 1;
  bool full = false;     ///< read outside
  bool by_rows = false;  ///< received, or added up: whole rows

  /// New ones in a tile, unless it rests.
  [[nodiscard]] int64_t rows() const { return ceil_div(beat.rows, beat.tiles); }
  [[nodiscard]] int64_t columns() const { return ceil_div(column_beat.rows, column_beat.tiles); }
  /// Bytes of its buffers, if it is not full; borders of the image are not cut off.
  [[nodiscard]] int64_t bytes(const SweepChoice& choice) const;
  /// MACs as executed, of an instance that has `once` of them.
  [[nodiscard]] int64_t macs(const SweepChoice& choice, int64_t once) const;
};

}  // namespace thimble
