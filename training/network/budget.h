// SPDX-License-Identifier: Apache-2.0
// How far a network is beyond what it may take, and which channels that is because of.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "training/network/channels.h"
#include "training/network/footprint.h"

namespace thimble::training {

struct Budget {
  std::optional<int64_t> sram_bytes;    ///< of the arena
  std::optional<int64_t> weight_bytes;  ///< in int8
  std::optional<int64_t> macs;

  [[nodiscard]] bool any() const { return sram_bytes || weight_bytes || macs; }
  [[nodiscard]] bool met_by(const Footprint& footprint) const { return excess(footprint) == 0; }
  /// What is beyond it, in shares of it.
  [[nodiscard]] double excess(const Footprint& footprint) const;
  /// As far from `from` as `progress` (0 to 1) says, in equal ratios.
  [[nodiscard]] Budget on_the_way(const Footprint& from, double progress) const;
};

/// "arena 12,345 of 16,384 B, ..." for people.
[[nodiscard]] std::string to_string(const Footprint& footprint, const Budget& budget);

/// The compiler's answers on a network with some of its channels, each asked for once.
class Compiler {
 public:
  /// Both must outlive it.
  Compiler(const Graph& graph, const Channels& channels, PlanOptions options)
      : graph_(graph), channels_(channels), options_(std::move(options)) {}

  [[nodiscard]] Footprint footprint(const Kept& kept);
  /// From now on arenas are in the ratio to this one's that they have here: for answers that are
  /// quick, and off by about as much in networks that are alike.
  void adjust_to(Compiler& exact, const Kept& kept);
  [[nodiscard]] size_t questions() const { return known_.size(); }

  /// By group: what a channel takes, as a share of each budget that is not met. A channel's part of
  /// the arena is what it has live at the peak, which one question tells.
  [[nodiscard]] std::vector<double> pressure(const Kept& kept, const Budget& budget);
  /// Closes channels until the budget is met, or until channels of one group were closed so many
  /// times, or no other can be: where `worths` are least for the room that a channel takes. Where
  /// no number of times is given the budget must be met: throws CompileError if that is impossible.
  [[nodiscard]] Kept trimmed(Kept kept, const Budget& budget,
                             const std::vector<std::vector<float>>& worths,
                             std::optional<size_t> most_times = {});
  /// Throws CompileError unless the budget can be met; kept: as few channels as there can be.
  void check_possible(const Budget& budget);

 private:
  const Graph& graph_;
  const Channels& channels_;
  PlanOptions options_;
  double arena_ratio_ = 1;
  std::map<std::vector<int64_t>, Footprint> known_;  ///< by widths
};

/// Everything open.
[[nodiscard]] Kept all_kept(const Channels& channels);
/// Each group keeps the same share of its channels, those of most `worths`: as much as the budget
/// lets.
[[nodiscard]] Kept uniform(Compiler& compiler, const Channels& channels, const Budget& budget,
                           const std::vector<std::vector<float>>& worths);
/// Channels by chance, out of all groups alike, until the budget is met.
[[nodiscard]] Kept by_chance(Compiler& compiler, const Channels& channels, const Budget& budget,
                             uint64_t seed);

}  // namespace thimble::training
