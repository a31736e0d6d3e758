// SPDX-License-Identifier: Apache-2.0
// Pieces of an order whose constants, and values between them, come from block storage, and the
// cheapest chain of such.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "thimble/target/kernels/kernel.h"

namespace thimble {

/// How a call of a piece has its constants.
struct StreamedConstants {
  enum class How : uint8_t { kInFlash, kHeld, kAgain, kTiled };
  How how = How::kInFlash;
  KernelId kernel = {};
  int64_t channels = 0;  ///< of a record
  int64_t records = 1, record_bytes = 0;
  int64_t all_bytes = 0;  ///< of all records, as stored
  int64_t reads = 1;      ///< of all of them
  bool early = false;     ///< Brought::early

  /// That are in the arena at a time.
  [[nodiscard]] int64_t held_bytes() const;
  /// That are there before the first call.
  [[nodiscard]] int64_t first_bytes() const { return how == How::kInFlash ? 0 : record_bytes; }
};

/// Positions [begin, end) of the order, some way.
struct StreamedPiece {
  int begin = 0, end = 0;
  bool fetches = false, stores = false;  ///< the value before it, or behind
  /// A band has so many of the last value; 0: each instance by itself, whole, or in a loop over
  /// channels.
  int64_t rows = 0;
  int64_t channels = 0;  ///< of the last value: a loop over these around all of the instances
  bool beside = false;   ///< rows of a band are transferred while another one is computed
  /// Not empty: rows that two bands read are fetched for each. Per position, whether the next band
  /// needs nothing of what it makes: that has no room between bands.
  std::vector<bool> again = {};
  std::vector<StreamedConstants> constants;  ///< per position
  int64_t bytes = 0, moved = 0;
  double cycles = 0;

  /// What is read before all else of it, and may be while the piece in front is computed.
  struct Head {
    std::vector<size_t> positions;  ///< whose constants, or the first record of them; from `begin`
    int64_t bytes = 0;
    double cycles = 0;
  } head = {};
  /// The last member of it, beside which what follows may be read.
  struct Tail {
    int64_t bytes = 0;  ///< of the arena
    double spare = 0;   ///< cycles that it computes with nothing moved beside
    int in_flight = 0;
  } tail = {};
};

struct ChainLimits {
  int64_t sram_bytes = 0;
  int most_in_flight = 1;
  double cycles_per_byte = 0;  ///< the price of a byte that is moved
};

/// The cheapest chain from one position to another, of pieces that leave values where the next one
/// finds them, the heads that are read early marked. Nothing if there is none.
[[nodiscard]] std::optional<std::vector<StreamedPiece>> cheapest_chain(
    const std::vector<StreamedPiece>& pieces, int begin, int end, const ChainLimits& limits);

}  // namespace thimble
