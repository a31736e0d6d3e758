// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/out_of_core.h"

#include <algorithm>
#include <set>

#include "thimble/model/division.h"
#include "thimble/planners/piece_members.h"
#include "thimble/planners/piece_prices.h"

namespace thimble {
namespace {

class OutOfCore {
 public:
  OutOfCore(const AxisGraph& axes, const Limits& limits, const OutOfCoreOptions& options)
      : limits_(limits),
        options_(options),
        order_(axes, limits.ports),
        prices_(order_, limits,
                {.brings_weights = options.weight_bytes.has_value(),
                 .holds_weights = !options.buffer_bytes,
                 .cycles_per_byte = options.cycles_per_byte}) {}

  std::optional<Decision> decided() {
    if (order_.cuts.size() < 2) return std::nullopt;
    std::optional<std::vector<StreamedPiece>> path = cheapest();
    if (!path) return std::nullopt;
    if (options_.weight_bytes && choose_kept(*path)) path = cheapest();
    return path ? std::optional(plan_of(*path)) : std::nullopt;
  }

 private:
  std::optional<std::vector<StreamedPiece>> chain() const {
    return cheapest_chain(pieces_, order_.cuts.front(), order_.cuts.back(),
                          {.sram_bytes = *limits_.sram_bytes,
                           .most_in_flight = prices_.reads_early(0),
                           .cycles_per_byte = options_.cycles_per_byte});
  }

  std::optional<std::vector<StreamedPiece>> cheapest() {
    pieces_.clear();
    if (options_.buffer_bytes) {
      for (size_t c = 0; c + 1 < order_.cuts.size(); ++c)
        add_layer(order_.cuts[c], order_.cuts[c + 1]);
      return chain();
    }
    for (size_t b = 0; b + 1 < order_.cuts.size(); ++b) {
      for (size_t e = b + 1; e < order_.cuts.size(); ++e) {
        if (e > b + 1 && order_.cuts[e] - order_.cuts[b] > kMostInPiece) break;
        add_pieces(order_.cuts[b], order_.cuts[e]);
      }
    }
    return chain();
  }

  /// What flash has room for stays there, if anything: what is read most often in a plan without,
  /// and of what is read as often that with which the least is computed, for its bytes: it hides
  /// nothing of what is read meanwhile.
  bool choose_kept(const std::vector<StreamedPiece>& path) {
    struct Weighed {
      OpId op;
      int64_t bytes = 0, reads = 0;
      double cycles = 0;
    };
    std::vector<Weighed> all;
    for (const StreamedPiece& piece : path) {
      for (int p = piece.begin; p < piece.end; ++p) {
        const StreamedConstants& constants = piece.constants[static_cast<size_t>(p - piece.begin)];
        if (constants.how == StreamedConstants::How::kInFlash) continue;
        all.push_back({order_.at(p).op, prices_.packed_bytes(order_.at(p).op, constants.kernel),
                       constants.reads, prices_.whole_times(p).back().instructions});
      }
    }
    std::ranges::stable_sort(all, {}, [](const Weighed& each) {
      return std::pair(-each.reads,
                       each.cycles / static_cast<double>(std::max<int64_t>(each.bytes, 1)));
    });
    std::set<OpId> kept;
    int64_t left = *options_.weight_bytes;
    for (const Weighed& each : all) {
      if (each.bytes > left) continue;
      left -= each.bytes;
      kept.insert(each.op);
    }
    prices_.keep_in_flash(kept);
    return !kept.empty();
  }

  static constexpr int kMostInPiece = 10;
  /// Bytes of a record of some channels, about: less where there is no room.
  static constexpr int64_t kRecordTargets[] = {65536, 32768, 16384, 8192, 4096, 2048, 1024};
  static constexpr int kMostTargets = 2;  ///< that fit, of a band

  void add_pieces(int begin, int end) {
    for (const bool fetches : {false, true}) {
      for (const bool stores : {false, true}) {
        if ((fetches && !order_.can_store(begin)) || (stores && !order_.can_store(end))) continue;
        StreamedPiece piece{
            .begin = begin, .end = end, .fetches = fetches, .stores = stores, .constants = {}};
        if (order_.next_cut(begin) == end) {
          for (const int64_t target : kRecordTargets) add(prices_.whole(piece, target));
        }
        for (const int64_t target : kRecordTargets) add(prices_.in_channels(piece, target));
        const Shape& last = order_.flow.shape(order_.at(end - 1).makes);
        if (last.size() < 3 || last[kBandRows] < 2) continue;
        for (const bool beside : {false, true}) {
          piece.beside = beside;
          if (beside && !(fetches || stores)) continue;
          piece.again.clear();
          for (const int64_t rows : band_rows(last[kBandRows])) {
            piece.rows = rows;
            const std::optional<PieceBands> bands = prices_.bands(piece);
            if (!bands || add_bands(piece, *bands)) continue;
            if (!fetches || !piece.again.empty()) break;
            piece.again = prices_.leave_nothing(piece, *bands);
            const std::optional<PieceBands> again = prices_.bands(piece);
            if (!again || !add_bands(piece, *again)) break;
          }
        }
      }
    }
  }

  /// With records of some sizes; whether any fits.
  bool add_bands(const StreamedPiece& piece, const PieceBands& bands) {
    int fit = 0;
    for (const int64_t target : kRecordTargets) {
      if (fit < kMostTargets) fit += add(prices_.in_bands(piece, bands, target)) ? 1 : 0;
    }
    return fit > 0;
  }

  /// A layer as SwapNN has it: what it reads and makes goes through storage, as many rows at a time
  /// as each buffer holds, and its weights come by the buffer, again for each of these tiles.
  void add_layer(int begin, int end) {
    StreamedPiece piece{.begin = begin,
                        .end = end,
                        .fetches = order_.can_store(begin),
                        .stores = order_.can_store(end),
                        .constants = {}};
    const Shape& last = order_.flow.shape(order_.at(end - 1).makes);
    const bool has_bands = last.size() >= 3 && last[kBandRows] > 1;
    for (int64_t rows = has_bands ? last[kBandRows] : 0; rows >= 1; --rows) {
      piece.rows = ceil_div(last[kBandRows], ceil_div(last[kBandRows], rows));
      if (piece.rows != rows && rows != 1) continue;
      const std::optional<PieceBands> bands = prices_.bands(piece);
      if (!bands || (rows > 1 && !prices_.fits_buffers(*bands, *options_.buffer_bytes))) continue;
      if (add(prices_.in_bands(piece, *bands, *options_.buffer_bytes))) return;
    }
    piece.rows = 0;
    add(prices_.whole(piece, *options_.buffer_bytes));
  }

  /// Every number of rows up to a few, then those that divide the image into one band less.
  static std::vector<int64_t> band_rows(int64_t all) {
    constexpr int64_t kEach = 8;
    std::set<int64_t> rows;
    for (int64_t r = 1; r <= std::min(all, kEach); ++r)
      rows.insert(ceil_div(all, ceil_div(all, r)));
    for (int64_t bands = all / kEach; bands >= 1; --bands) rows.insert(ceil_div(all, bands));
    return {rows.begin(), rows.end()};
  }

  /// Whether it fits.
  bool add(std::optional<StreamedPiece> piece) {
    if (piece) pieces_.push_back(*std::move(piece));
    return piece.has_value();
  }

  Decision plan_of(const std::vector<StreamedPiece>& path) const {
    std::vector<ValueId> stored;
    for (const StreamedPiece& piece : path) {
      if (piece.stores) stored.push_back(order_.value_at(piece.end));
    }
    Decision result{.plan = {.instances = order_.spilling(stored)}, .notes = {}};
    const Dataflow flow(order_.axes, result.plan.instances);
    for (const StreamedPiece& piece : path)
      std::ranges::move(members_of(order_, flow, piece), std::back_inserter(result.plan.members));
    result.plan.memories.push_back(*limits_.storage);
    if (!stored.empty())
      result.notes.emplace_back(
          spilled(order_.graph, result.plan.instances, limits_.storage->name));
    return result;
  }

  const Limits& limits_;
  const OutOfCoreOptions options_;
  const CutOrder order_;
  PiecePrices prices_;
  std::vector<StreamedPiece> pieces_;
};

}  // namespace

std::optional<Decision> out_of_core(const Graph& graph, const Limits& limits,
                                    const OutOfCoreOptions& options) {
  const AxisGraph axes(graph);
  return OutOfCore(axes, limits, options).decided();
}

}  // namespace thimble
