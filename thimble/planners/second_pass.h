// SPDX-License-Identifier: Apache-2.0
// Large tensors that are computed twice instead of kept, where an operator needs all of them before
// it can go on (squeeze-and-excitation: the mean of an image, then the image again).
//
//   x > expand > depthwise > t > mean > ... > gate;  t * gate > project
//   x > expand > depthwise > t > mean > ... > gate;  x > expand > depthwise > t' * gate > project
//
// In the second network t' has readers of its own; nothing needs t or t' in full, and any planner
// will find that out. Its schedule is turned back into one of the first.
#pragma once

#include <vector>

#include "thimble/schedule/schedule.h"

namespace thimble {

/// A tensor that several operators read, and what could make it again for the later ones.
struct SecondPass {
  std::vector<OpId> ops;      ///< in order; the last one makes the tensor
  std::vector<OpId> readers;  ///< of the second one
  int64_t bytes = 0;          ///< of the tensor
  int64_t macs = 0;           ///< of the operators
};

/// One for each tensor that a later reader cannot read row by row with the first, since it depends
/// on it by way of an operator that needs all rows. Its operators reach back to a tensor of at most
/// half its size, a network input or one that several operators read. Largest tensors first.
[[nodiscard]] std::vector<SecondPass> second_passes(const Graph& graph);

struct Doubled {
  Graph graph;
  std::vector<OpId> op_of;          ///< per operator: that of the network it came from
  std::vector<TensorId> tensor_of;  ///< per tensor
  std::vector<bool> twice;          ///< per operator: it executes twice
};
[[nodiscard]] Doubled doubled(const Graph& graph, const std::vector<SecondPass>& passes);

/// A schedule of the doubled network as one of the network it came from, with steps that recompute.
[[nodiscard]] Schedule undoubled(const Doubled& doubled, Schedule schedule);

}  // namespace thimble
