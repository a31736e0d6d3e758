// SPDX-License-Identifier: Apache-2.0
#include "look_up.h"

namespace thimble::runtime {
namespace {

// Four at a time, read before any is written, where they are side by side.
void look_up(const int8_t* table, MapRun<int8_t, int8_t> run) noexcept {
  const int8_t* const zero = table + 128;
  if (run.in_step == 1 && run.out_step == 1) {
    for (; run.count >= 4; run.count -= 4, run.from += 4, run.to += 4) {
      const int8_t a = zero[run.from[0]], b = zero[run.from[1]];
      const int8_t c = zero[run.from[2]], d = zero[run.from[3]];
      run.to[0] = a;
      run.to[1] = b;
      run.to[2] = c;
      run.to[3] = d;
    }
  }
  look_up_one_by_one(table, run);
}

}  // namespace

void lookup_i8(const LookupParams& p, const View& x, const View& out,
               const Region& region) noexcept {
  look_up_runs<look_up>(p, x, out, region);
}

}  // namespace thimble::runtime
