// SPDX-License-Identifier: Apache-2.0
// Numbers and regions that follow the counters of the loops around them.
//
//   IndexExpr{.base = 1, .terms = {{i, 2}}}           2 i + 1
//   IndexExpr{.base = 1, .terms = {{i, 1}}, 2}        floor((i + 1) / 2)
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "thimble/model/id.h"
#include "thimble/regions/region.h"

namespace thimble {

struct Term {
  LoopId loop;
  int64_t coefficient = 1;
  bool operator==(const Term&) const = default;
};

/// floor((base + sum of coefficient * counter) / divisor). Terms are sorted by loop, without zeros.
struct IndexExpr {
  int64_t base = 0;
  std::vector<Term> terms;
  int64_t divisor = 1;

  [[nodiscard]] bool constant() const { return terms.empty(); }
  bool operator==(const IndexExpr&) const = default;
};

/// What an interval is cut to: the tile of an outer loop along the same axis. The end is never
/// below the begin.
struct CutExpr {
  IndexExpr begin, end;
  bool operator==(const CutExpr&) const = default;
};

/// [begin, end), cut to `within` and to the extent of its axis wherever it is evaluated; so a loop
/// may run into a border, and a member that has nothing to do there computes an empty region.
struct IntervalExpr {
  IndexExpr begin, end;
  std::optional<CutExpr> within = {};  ///< where both are constants: of transfers alone
  bool operator==(const IntervalExpr&) const = default;
};

using RegionExpr = std::vector<IntervalExpr>;

/// Counter of every loop, by LoopId; those of loops that are not running have no meaning.
using Counters = std::vector<int64_t>;

[[nodiscard]] int64_t evaluate(const IndexExpr& expr, const Counters& counters);
/// Not cut to the extent.
[[nodiscard]] Interval evaluate(const IntervalExpr& expr, const Counters& counters);
/// Cut to [0, extent) on each axis.
[[nodiscard]] Region evaluate(const RegionExpr& expr, const Counters& counters,
                              const Shape& extents);

/// Calls visit(expr) for each expression of the interval.
template <typename Interval, typename Visit>
void each_bound(Interval& interval, Visit visit) {
  visit(interval.begin);
  visit(interval.end);
  if (!interval.within) return;
  visit(interval.within->begin);
  visit(interval.within->end);
}

/// All that it can be while the loops run, counts by LoopId: [least, most + 1).
[[nodiscard]] Interval values(const IndexExpr& expr, const std::vector<int64_t>& counts);

[[nodiscard]] IndexExpr index(int64_t value);
/// coefficient * counter of loop + base
[[nodiscard]] IndexExpr index(LoopId loop, int64_t coefficient, int64_t base = 0);
[[nodiscard]] IndexExpr operator+(IndexExpr expr, int64_t value);
/// floor((expr * num + add) / den), or nothing where no IndexExpr says that.
[[nodiscard]] std::optional<IndexExpr> compose(const IndexExpr& expr, int64_t num, int64_t add,
                                               int64_t den);
[[nodiscard]] RegionExpr region_expr(const Region& region);
/// Region of `shape` with `interval` along `axis` and everything else whole.
[[nodiscard]] RegionExpr along(const Shape& shape, int axis, const IntervalExpr& interval);
/// Both are the same but for base: the one with the larger base is never the lesser.
[[nodiscard]] bool advance_alike(const IndexExpr& a, const IndexExpr& b);

}  // namespace thimble
