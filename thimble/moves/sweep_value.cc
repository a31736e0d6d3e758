// SPDX-License-Identifier: Apache-2.0
#include "thimble/moves/sweep_value.h"

#include <algorithm>

#include "thimble/model/division.h"

namespace thimble {
namespace {

/// Positions of [0, extent) that tiles compute, each time: tile i the `count` from begin + step *
/// i.
int64_t covered(int64_t begin, int64_t count, int64_t step, int64_t extent) {
  int64_t sum = 0;
  for (int64_t from = begin + step * ceil_div(1 - count - begin, step); from < extent; from += step)
    sum += std::min(from + count, extent) - std::max<int64_t>(from, 0);
  return sum;
}

}  // namespace

int64_t SweptValue::bytes(const SweepChoice& choice) const {
  const bool rolls = by_rows || choice.kind == SweepChoice::Kind::kKept;
  const int64_t back = rolls ? std::max<int64_t>(choice.back, 0) : choice.back;
  const int64_t window = std::min(rows() + back, height);
  if (by_rows) return window * width * pixel_bytes;
  const bool recomputes_all = choice.kind == SweepChoice::Kind::kRecomputeAll;
  const int64_t columns_back =
      recomputes_all ? choice.back_columns : std::max<int64_t>(choice.back_columns, 0);
  const int64_t wide = std::min(columns() + columns_back, width);
  if (!rolls || back == 0) return window * wide * pixel_bytes;
  const int64_t kept = back * width;
  if (rows() == 1) return std::min(kept + wide, height * width) * pixel_bytes;
  return (kept + window * wide) * pixel_bytes;
}

int64_t SweptValue::macs(const SweepChoice& choice, int64_t once) const {
  const auto part = [&](int64_t all_macs, int64_t from, int64_t back, int64_t each, int64_t all) {
    return back == 0 ? all_macs : all_macs * covered(from - back, each + back, each, all) / all;
  };
  const int64_t all_columns = part(once, beat.begin(0), choice.recomputed_rows(), rows(), height);
  return part(all_columns, column_beat.begin(0), choice.recomputed_columns(), columns(), width);
}

}  // namespace thimble
