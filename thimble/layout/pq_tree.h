// SPDX-License-Identifier: Apache-2.0
// Sets of orders in which given subsets are contiguous (Booth & Lueker 1976): a tree whose leaves
// are items; children of a P node come in any order, those of a Q node in the order given or its
// reverse.
//
//   P            twelve orders: a, b and {c d e} in any, the last as c d e or e d c
//   +- a
//   +- b
//   +- Q - c d e
//
// Trees here are small (what is live at one moment), so that nodes are plain values and
// a restriction walks the whole tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace thimble::layout {

struct PqNode {
  enum class Kind { kLeaf, kP, kQ };
  Kind kind = Kind::kLeaf;
  int item = 0;                  ///< of a leaf
  std::vector<PqNode> children;  ///< of a P node two or more, of a Q node three or more
  int leaves = 1, marked = 0;    ///< as the functions below count them
};

/// Any order of these; items: not empty.
[[nodiscard]] PqNode any_order(const std::vector<int>& items);

/// Makes the marked items contiguous; false if no order of the tree has them so (then the tree is
/// of no use any more). marks: per item.
[[nodiscard]] bool restrict(PqNode& tree, const std::vector<bool>& marks);

/// The marked items of a tree, in runs: sets that are contiguous in every order and cannot be
/// joined.
struct MarkedRuns {
  std::vector<std::vector<int>> runs;
  /// Orders of runs, as far as they matter for what can be made contiguous: run r is item r, and
  /// what is not marked is one item, runs.size(), wherever something of it is.
  PqNode tree;
};
[[nodiscard]] MarkedRuns marked_runs(PqNode& tree, const std::vector<bool>& marks);

/// Puts by[s] where set s is; sets are contiguous in every order of the tree. set_of: per item, -1
/// for those that stay.
void replace(PqNode& tree, const std::vector<int>& set_of, const std::vector<PqNode>& by);

/// The natural logarithm of n!.
[[nodiscard]] double log_factorial(size_t n);
/// The natural logarithm of the number of orders.
[[nodiscard]] double log_orders(const PqNode& tree);

/// An order of the tree; in that of `rank` (per item, equal for contiguous items of which any order
/// will do), which must be one.
[[nodiscard]] std::vector<int> order_by(const PqNode& tree, const std::vector<int>& rank);

/// An equal hash for trees that have the same orders, but for items with equal keys.
[[nodiscard]] uint64_t hash_of(const PqNode& tree, const std::vector<uint64_t>& keys);

}  // namespace thimble::layout
