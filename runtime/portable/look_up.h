// SPDX-License-Identifier: Apache-2.0
// Functions of one int8 by a table of all 256.
#pragma once

#include "thimble_runtime/kernels.h"
#include "walk.h"

namespace thimble::runtime {

inline void look_up_one_by_one(const int8_t* table, MapRun<int8_t, int8_t> run) noexcept {
  const int8_t* const zero = table + 128;
  for (; run.count > 0; --run.count, run.from += run.in_step, run.to += run.out_step)
    *run.to = zero[*run.from];
}

template <void kLookUp(const int8_t* table, MapRun<int8_t, int8_t> run) noexcept>
inline void look_up_runs(const LookupParams& p, const View& x, const View& out,
                         const Region& region) noexcept {
  const int8_t* const table = p.table;  // a copy that stores of int8 cannot alias
  map_runs<int8_t, int8_t>(x, out, region, [table](MapRun<int8_t, int8_t> run) {
    if (run.count > 0) kLookUp(table, run);
  });
}

}  // namespace thimble::runtime
