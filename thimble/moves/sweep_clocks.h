// SPDX-License-Identifier: Apache-2.0
// The longest run of an order that ends at a position and can execute as a sweep (sweep.h), and its
// clocks: those of shorter runs with the same end are the same, but for where they begin.
#pragma once

#include <map>

#include "thimble/plan/clock.h"

namespace thimble {

/// What sweeps call rows and columns: the axes of the outer loop and of the inner one.
struct SweepAxes {
  int rows = kRowAxis, columns = kColumnAxis;
  auto operator<=>(const SweepAxes&) const = default;
};

/// Rows and columns that the last instance makes per tile. Both loops roll.
struct SweepTile {
  static constexpr int64_t kAll = -1;
  int64_t rows = 1;
  int64_t columns = 0;       ///< 0: one of the finest value; kAll: there is no loop over columns
  int64_t period_tiles = 1;  ///< tiles that make so many rows: in the others the instance rests
  /// Columns of the image outside and its rows within, for images that are wider than high: all
  /// that is said of rows then holds for columns, and the other way round.
  bool turned = false;

  [[nodiscard]] bool by_columns() const { return columns != kAll; }
  [[nodiscard]] SweepAxes axes() const {
    return turned ? SweepAxes{kColumnAxis, kRowAxis} : SweepAxes{};
  }
  bool operator==(const SweepTile&) const = default;
};

class SweepClocks {
 public:
  /// What is given must outlive it. Runs have at most so many instances.
  SweepClocks(const Dataflow& dataflow, const std::vector<int>& order, int end, int most_instances);

  [[nodiscard]] int end() const { return end_; }
  /// The position of the instance that paces; those behind it add up its rows.
  [[nodiscard]] int last() const { return last_; }
  /// Position at which the longest run begins.
  [[nodiscard]] int first(const SweepTile& tile);
  /// The loop over rows of a run that begins there; nothing if no value has whole rows per tile.
  [[nodiscard]] std::optional<TileLoop> row_loop(int begin, const SweepTile& tile);
  /// Clocks of the longest run; null if there is none. Calls as they stand in the order; of
  /// columns, without what is received or added up.
  [[nodiscard]] const Clock* rows(const SweepTile& tile);
  [[nodiscard]] const Clock* columns(const SweepTile& tile);
  [[nodiscard]] bool receives(int position) const { return flow_.instances.receives(at(position)); }
  /// Instances of the longest run before the position that have no columns.
  [[nodiscard]] size_t received_before(int position, const SweepTile& tile) const;

 private:
  /// By step and SweepTile::period_tiles.
  using Clocks = std::map<std::pair<int64_t, int64_t>, std::optional<Clock>>;
  /// Which loops there are.
  struct Loops {
    SweepAxes axes;
    bool by_columns = true;
    explicit Loops(const SweepTile& tile) : axes(tile.axes()), by_columns(tile.by_columns()) {}
    auto operator<=>(const Loops&) const = default;
  };

  [[nodiscard]] const Instance& at(int position) const {
    return flow_.instances.instance({order_[static_cast<size_t>(position)]});
  }
  [[nodiscard]] bool cuts(int position, const Loops& loops) const;
  [[nodiscard]] std::vector<InstanceCall> calls(int begin, bool with_columns) const;
  [[nodiscard]] std::optional<Clock> clock(int begin, const TileLoop& loop, bool inner) const;
  [[nodiscard]] TileLoop paced(int axis, int64_t step) const {
    return {.paced = at(last_).makes, .axis = axis, .step = step};
  }
  [[nodiscard]] bool runs_from(int begin, const Loops& loops) const;
  [[nodiscard]] std::optional<int> longest(const Loops& loops) const;

  const Dataflow& flow_;
  const std::vector<int>& order_;
  const int end_, most_;
  int last_;
  std::map<Loops, std::optional<int>> first_;
  std::map<Loops, Clocks> rows_, columns_;
};

}  // namespace thimble
