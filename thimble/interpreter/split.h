// SPDX-License-Identifier: Apache-2.0
// A run of operators, executed part by part in standard operators, so that the tensors on the way
// are never whole:
//
//   x -> conv -> depthwise -> y     in two parts along the rows of y becomes
//   SLICE x > x0, conv > t0, depthwise > y0;  SLICE x > x1, conv > t1, depthwise > y1;  y0 y1 > y
//
// Slices overlap where windows do, whose rows are computed again; rows and columns of padding that
// neither SAME nor VALID mean any more are written by a PAD with the zero point. Along channels
// weights are divided, and nothing is computed again. Each number of `y` comes of the same sums.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "thimble/model/graph.h"

namespace thimble {

/// Operators [begin, end) of the graph's order, in parts of the last one's output along `axis`.
struct Split {
  int begin = 0, end = 0;
  int axis = 1;
  int parts = 2;
  bool operator==(const Split&) const = default;
};

/// What stands in place of the run. Tensors are numbered behind the graph's.
struct SplitRun {
  std::vector<Tensor> tensors;
  std::vector<Op> ops;
  int64_t macs = 0;
};

/// Where tensors of a graph are made and last read, as positions in its order.
struct Reach {
  explicit Reach(const Graph& graph);
  std::vector<int> made;  ///< -1: before the first, or a constant
  std::vector<int> last;  ///< -1: never read; outputs of the network: behind the last operator
};

/// Nothing: this run cannot be split so. An operator in it has a kind that splits differently, or
/// what it makes on the way is needed elsewhere. constants: false leaves those of channels whole,
/// for who only measures.
[[nodiscard]] std::optional<SplitRun> split_run(const Graph& graph, const Reach& reach,
                                                const Split& split, bool constants = true);

/// The graph with runs split: ascending, without overlaps, each of which can be split.
[[nodiscard]] Graph with_splits(const Graph& graph, const std::vector<Split>& splits);

}  // namespace thimble
