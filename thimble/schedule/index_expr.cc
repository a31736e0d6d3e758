// SPDX-License-Identifier: Apache-2.0
#include "thimble/schedule/index_expr.h"

#include <algorithm>

#include "thimble/model/division.h"

namespace thimble {

int64_t evaluate(const IndexExpr& expr, const Counters& counters) {
  int64_t value = expr.base;
  for (const Term& term : expr.terms) value += term.coefficient * counters[term.loop.index()];
  return expr.divisor == 1 ? value : floor_div(value, expr.divisor);
}

Interval evaluate(const IntervalExpr& expr, const Counters& counters) {
  const Interval result{evaluate(expr.begin, counters), evaluate(expr.end, counters)};
  if (!expr.within) return result;
  const int64_t low = evaluate(expr.within->begin, counters);
  const int64_t high = evaluate(expr.within->end, counters);
  return {std::clamp(result.begin, low, high), std::clamp(result.end, low, high)};
}

Region evaluate(const RegionExpr& expr, const Counters& counters, const Shape& extents) {
  Region region(expr.size());
  for (size_t axis = 0; axis < expr.size(); ++axis) {
    const Interval interval = evaluate(expr[axis], counters);
    region[axis].begin = std::clamp<int64_t>(interval.begin, 0, extents[axis]);
    region[axis].end = std::clamp<int64_t>(interval.end, region[axis].begin, extents[axis]);
  }
  return region;
}

Interval values(const IndexExpr& expr, const std::vector<int64_t>& counts) {
  IndexExpr least = expr, most = expr;
  least.terms.clear();
  most.terms.clear();
  for (const Term& term : expr.terms) {
    const int64_t last = term.coefficient * (counts[term.loop.index()] - 1);
    least.base += std::min<int64_t>(last, 0);
    most.base += std::max<int64_t>(last, 0);
  }
  return {evaluate(least, {}), evaluate(most, {}) + 1};
}

IndexExpr index(int64_t value) { return {.base = value, .terms = {}, .divisor = 1}; }

IndexExpr index(LoopId loop, int64_t coefficient, int64_t base) {
  IndexExpr expr = index(base);
  if (coefficient != 0) expr.terms.push_back({loop, coefficient});
  return expr;
}

IndexExpr operator+(IndexExpr expr, int64_t value) {
  expr.base += value * expr.divisor;
  return expr;
}

std::optional<IndexExpr> compose(const IndexExpr& expr, int64_t num, int64_t add, int64_t den) {
  IndexExpr result = expr;
  if (expr.divisor == 1) {
    result.base = expr.base * num + add;
    for (Term& term : result.terms) term.coefficient *= num;
    result.divisor = den;
  } else if (num == 1) {  // floor((floor(e / d) + add) / den) = floor((e + add d) / (d den))
    result.base = expr.base + add * expr.divisor;
    result.divisor = expr.divisor * den;
  } else {
    return std::nullopt;
  }
  if (result.terms.empty()) return index(floor_div(result.base, result.divisor));
  return result;
}

RegionExpr region_expr(const Region& region) {
  RegionExpr expr;
  for (const Interval& i : region) expr.push_back({index(i.begin), index(i.end)});
  return expr;
}

RegionExpr along(const Shape& shape, int axis, const IntervalExpr& interval) {
  RegionExpr expr = region_expr(whole(shape));
  expr[static_cast<size_t>(axis)] = interval;
  return expr;
}

bool advance_alike(const IndexExpr& a, const IndexExpr& b) {
  return a.terms == b.terms && a.divisor == b.divisor;
}

}  // namespace thimble
