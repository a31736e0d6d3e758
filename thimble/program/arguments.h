// SPDX-License-Identifier: Apache-2.0
// The numbers that a kernel is handed at one execution of a call. The host, the verifier and the
// trace all take them from here, and the emitted code must form the same.
#pragma once

#include <string>
#include <vector>

#include "thimble/program/kernel_walk.h"
#include "thimble/program/program.h"

namespace thimble {

/// Memory apart: the views' data are null.
struct Arguments {
  std::vector<runtime::View> in;
  runtime::View out;
  runtime::Region region;
  int32_t chunk_begin = 0, chunk_end = 0;  ///< accumulate
};

/// The arguments of a call without width_fault().
[[nodiscard]] Arguments arguments(const Call& call, const Counters& counters);

/// Iterations of every loop of the program, by LoopId.
[[nodiscard]] std::vector<int64_t> loop_counts(const Program& program);

/// Empty, or what does not fit 32 bits, on the device as on the host: a bound of the region or the
/// chunk, a view's bias, stride or modulus, the number of an element that the kernel may reach
/// through it, or anything that the emitted code computes on the way, whatever the counters of the
/// loops. walk: of the call.
[[nodiscard]] std::string width_fault(const Graph& graph, const Call& call, const Walk& walk,
                                      const std::vector<int64_t>& loop_counts);

}  // namespace thimble
