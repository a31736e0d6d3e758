// SPDX-License-Identifier: Apache-2.0
// What a piece comes to: bytes of the arena, bytes that it moves, cycles that it computes and that
// nothing is computed beside. Its constants come as suits it, as early as there is room for.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "thimble/plan/derived.h"
#include "thimble/plan/latency_estimate.h"
#include "thimble/plan/packed_forms.h"
#include "thimble/planners/cut_order.h"
#include "thimble/planners/planner.h"
#include "thimble/planners/streamed_piece.h"

namespace thimble {

/// The piece as a loop over bands, whatever its records are.
struct PieceBands {
  /// What brings its constants; kernels: in records, where it can, and all at once.
  struct Bringing {
    size_t number = 0, step = 0;
    OpId op;
    std::optional<KernelTime> tiled;
    KernelTime whole;
  };
  Derived derived;
  std::vector<int64_t> live;      ///< bytes per step, with scratch
  std::vector<double> computing;  ///< cycles per step
  std::vector<Bringing> bringing;
};

struct PriceOptions {
  bool brings_weights = false;  ///< but for those kept in flash
  bool holds_weights = true;    ///< from band to band, where there is room
  double cycles_per_byte = 0;   ///< that a byte moved is taken to cost beside its time
};

class PiecePrices {
 public:
  PiecePrices(const CutOrder& order, const Limits& limits, const PriceOptions& options);
  ~PiecePrices();

  /// The constants of these stay in flash.
  void keep_in_flash(std::set<OpId> ops) { kept_ = std::move(ops); }

  // Nothing: it cannot be executed so, or does not fit. record_target: bytes of a record of some
  // channels, about.
  /// Each instance by itself.
  [[nodiscard]] std::optional<StreamedPiece> whole(StreamedPiece piece, int64_t record_target);
  /// A convolution and what follows each of its channels by itself, so that no more than a few of
  /// its channels are there at a time.
  [[nodiscard]] std::optional<StreamedPiece> in_channels(StreamedPiece piece,
                                                         int64_t record_target);
  /// Nothing if the values cannot be cut so.
  [[nodiscard]] std::optional<PieceBands> bands(StreamedPiece piece);
  [[nodiscard]] std::optional<StreamedPiece> in_bands(StreamedPiece piece, const PieceBands& bands,
                                                      int64_t record_target);
  /// Per position, whether what it makes leaves nothing for the next band.
  [[nodiscard]] static std::vector<bool> leave_nothing(const StreamedPiece& piece,
                                                       const PieceBands& bands);
  /// Whether each of the values of a band fits so many bytes.
  [[nodiscard]] static bool fits_buffers(const PieceBands& bands, int64_t buffer_bytes);

  /// How many reads may begin before what is in front of a member, beside others.
  [[nodiscard]] int reads_early(int in_flight) const;
  [[nodiscard]] const KernelTimes& whole_times(int position);
  [[nodiscard]] int64_t packed_bytes(OpId op, KernelId kernel) { return forms_.bytes(op, kernel); }

 private:
  struct Part;
  struct Copied;

  Part& part_of(int begin, int end);
  [[nodiscard]] double transfer_cycles(int64_t bytes, int64_t transfers, bool writes) const;
  [[nodiscard]] std::pair<int64_t, int64_t> stored_value(int cut) const;
  [[nodiscard]] std::optional<KernelTime> kernel_for(OpId op, const KernelTimes& times, bool tiled,
                                                     int64_t often = 1);
  [[nodiscard]] StreamedConstants constants_of(OpId op, const KernelTime& kernel,
                                               StreamedConstants::How how,
                                               int64_t record_target = 0);
  [[nodiscard]] bool brings(OpId op) const;
  [[nodiscard]] StreamedPiece::Head head_of(const StreamedPiece& piece,
                                            std::vector<size_t> positions) const;
  [[nodiscard]] Copied copied(StreamedPiece& piece, double fetches = 1) const;
  [[nodiscard]] double reading_cycles(const StreamedConstants& constants, int64_t times) const;
  [[nodiscard]] double first_reading_cycles(const StreamedConstants& constants) const;
  [[nodiscard]] std::optional<StreamedPiece> within(StreamedPiece piece) const;

  const CutOrder& order_;
  const Limits& limits_;
  const PriceOptions options_;
  const BlockStorage storage_;
  const std::vector<int64_t> apart_;  ///< per position, bytes of the arena where each is by itself
  const LatencyModel model_;
  LatencyEstimate known_;
  PackedForms forms_;
  std::set<OpId> kept_;
  std::map<std::pair<int, int>, std::unique_ptr<Part>> parts_;
};

}  // namespace thimble
