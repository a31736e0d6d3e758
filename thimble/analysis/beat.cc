// SPDX-License-Identifier: Apache-2.0
#include "thimble/analysis/beat.h"

namespace thimble {

IntervalExpr Beat::interval(LoopId loop) const {
  IndexExpr first = index(loop, rows, phase - rows - again), last = index(loop, rows, phase);
  first.divisor = last.divisor = tiles;
  return {first, last};
}

}  // namespace thimble
