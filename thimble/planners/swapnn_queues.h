// SPDX-License-Identifier: Apache-2.0
// SwapNN's scheduler (section III-B, Algorithm 1): tasks of a card and of a core, in two queues.
//
//   card:  read input 0, weights 0, weights 1, .., write output 0        (one at a time)
//   core:            compute output 0 with weights 0, with weights 1, ..
//
// A task is ready when those before it have finished: weights of a tile behind its input, a
// computation behind its input and weights and behind that with the weights before, a write behind
// the last of them, an input behind the writes that it overlaps. Of the ready ones the first in
// frame, layer and tile begins, if there is a buffer: a read takes one of its pool, the first
// computation of a tile one for outputs. The last computation frees the input, each its weights, a
// write the output.
#pragma once

#include <cstdint>
#include <vector>

#include "thimble/planners/swapnn_layers.h"

namespace thimble::swapnn {

/// Tasks of all frames: more take a machine's memory.
constexpr int64_t kMostTasks = 5'000'000;

struct Rates {
  double bytes_per_second = 1e6;
  double access_seconds = 0;  ///< of each task of the card, beside its bytes
  double convolution = 1e6, pointwise = 1e6, fully_connected = 1e6;  ///< MACs a second
  bool operator==(const Rates&) const = default;
};

/// What frames that begin together take.
struct Queued {
  int64_t io_tasks = 0, compute_tasks = 0;
  double io_seconds = 0, compute_seconds = 0;  ///< if nothing went on beside anything
  double seconds = 0;
};

/// Throws CompileError: a tile that cannot be cut is larger than its pool, tiles of several buffers
/// wait for each other, or there are more than kMostTasks.
[[nodiscard]] Queued queued(const std::vector<Layer>& layers, const Buffers& buffers,
                            const Rates& rates, int frames);

}  // namespace thimble::swapnn
