// SPDX-License-Identifier: Apache-2.0
// Any text is a layout problem or refused; what is laid out is disjoint, and reads back as it was
// written.
#include <string_view>

#include "thimble/layout/layout.h"
#include "thimble/layout/problem_csv.h"
#include "thimble/model/error.h"

namespace layout = thimble::layout;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr size_t kMostBuffers = 200;  // the greedy layout takes their square
  try {
    const layout::NamedProblem named =
        layout::problem_from_csv({reinterpret_cast<const char*>(data), size}, "fuzz.csv");
    if (named.problem.buffers.size() > kMostBuffers) return 0;
    const layout::Solution found = layout::greedy_by_size(named.problem);
    thimble::check(layout::validate(named.problem, found.addresses).empty(), "buffers overlap");
    thimble::check(found.arena_bytes >= layout::lower_bound_bytes(named.problem),
                   "an arena below its bound");
  } catch (const thimble::CompileError&) {
    // The input's fault, and said so.
  }
  return 0;
}
