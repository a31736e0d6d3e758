// SPDX-License-Identifier: Apache-2.0
#include "thimble/analysis/beat.h"

#include "thimble/model/division.h"

namespace thimble {

int64_t Beat::end(int64_t tile) const { return floor_div(rows * tile + phase, tiles); }

int64_t Beat::begin(int64_t tile) const {
  return floor_div(rows * (tile - 1) + phase - again, tiles);
}

IntervalExpr Beat::interval(LoopId loop) const {
  IndexExpr first = index(loop, rows, phase - rows - again), last = index(loop, rows, phase);
  first.divisor = last.divisor = tiles;
  return {first, last};
}

int64_t first_read(const Affine& pace, int64_t row) {
  return floor_div(row * pace.num + pace.lo, pace.den);
}

int64_t end_of_reads(const Affine& pace, int64_t row) {
  return floor_div((row - 1) * pace.num + pace.hi, pace.den) + 1;
}

}  // namespace thimble
