// SPDX-License-Identifier: Apache-2.0
// Passes over a data set.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <functional>

#include "training/data/dataset.h"
#include "training/learn/network.h"

namespace thimble::training {

/// Called after each batch with what is done of the stage's work; false: stop.
using BatchCallback = std::function<bool(int64_t batches_done, int64_t of)>;

struct PassOptions {
  const Dataset& data;
  int64_t batch = 64;
  uint64_t seed = 1;
  double smoothing = 0;  ///< of labels
};

struct Pass {
  double loss = 0, accuracy = 0;
  bool stopped = false;
};

/// One epoch, in an order that follows from seed, stage and epoch alone. after: once gradients are
/// there. Throws CompileError where the loss is no number any more.
[[nodiscard]] Pass learn(Network& network, const Taps& taps, const PassOptions& options,
                         uint64_t stage, uint64_t epoch,
                         const std::function<bool(int64_t batch, int64_t of)>& after);

/// Of all test samples, the share whose class has the best score.
[[nodiscard]] double accuracy(Network& network, const Taps& taps, const Examples& examples);

/// So many samples from `begin` on, as they are.
[[nodiscard]] std::vector<float> plain_samples(const Examples& examples, size_t begin,
                                               size_t count);

}  // namespace thimble::training
