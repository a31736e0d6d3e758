// SPDX-License-Identifier: Apache-2.0
#include "../portable/look_up.h"
#include "assembly.h"

namespace thimble::runtime {
namespace {

// Sixteen at a time, gathered.
void look_up(const int8_t* table, MapRun<int8_t, int8_t> run) noexcept {
#if defined(THIMBLE_MVE_ASSEMBLY)
  if (run.in_step == 1 && run.out_step == 1) {
    __asm__ volatile(
        "vmov.i8 q2, #0x80\n"
        "dlstp.8 lr, %[count]\n"
        "1:\n"
        "vldrb.u8 q0, [%[from]], #16\n"
        "veor q0, q0, q2\n"
        "vldrb.u8 q1, [%[table], q0]\n"
        "vstrb.8 q1, [%[to]], #16\n"
        "letp lr, 1b\n"
        : [from] "+r"(run.from), [to] "+r"(run.to)
        : [table] "r"(table), [count] "r"(run.count)
        : "lr", "q0", "q1", "q2", "memory");
    return;
  }
#endif
  look_up_one_by_one(table, run);
}

}  // namespace

void lookup_i8_mve(const LookupParams& p, const View& x, const View& out,
                   const Region& region) noexcept {
  look_up_runs<look_up>(p, x, out, region);
}

}  // namespace thimble::runtime
