// SPDX-License-Identifier: Apache-2.0
// The templates of Booth & Lueker, as recursions over values.
#include "thimble/layout/pq_tree.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "thimble/layout/mixed.h"

namespace thimble::layout {
namespace {

using Nodes = std::vector<PqNode>;
using Kind = PqNode::Kind;

constexpr size_t kTable = 256;  ///< of factorials

void count(PqNode& node, const std::vector<bool>& marks) {
  if (node.kind == Kind::kLeaf) {
    node.marked = marks[static_cast<size_t>(node.item)] ? 1 : 0;
    return;
  }
  node.leaves = node.marked = 0;
  for (PqNode& child : node.children) {
    count(child, marks);
    node.leaves += child.leaves;
    node.marked += child.marked;
  }
}

/// 0 without marks, 2 if all are marked, else 1.
int fullness(const PqNode& node) {
  return node.marked == 0 ? 0 : node.marked == node.leaves ? 2 : 1;
}

/// A node of these, or the only one.
PqNode node_of(Kind kind, Nodes children) {
  if (children.size() == 1) return std::move(children[0]);
  PqNode result{.kind = children.size() == 2 ? Kind::kP : kind, .children = std::move(children)};
  result.leaves = result.marked = 0;
  for (const PqNode& child : result.children) {
    result.leaves += child.leaves;
    result.marked += child.marked;
  }
  return result;
}

void append(Nodes& to, Nodes&& from) { std::ranges::move(from, std::back_inserter(to)); }

/// The children of a P node by fullness.
struct Sorted {
  explicit Sorted(Nodes&& children) {
    for (PqNode& child : children) of[fullness(child)].push_back(std::move(child));
  }
  Nodes of[3];
};

/// What stands below a Q node instead of `node`, which is marked in part: what is marked last.
bool line_up(PqNode&& node, Nodes& line) {
  if (fullness(node) != 1) {
    line.push_back(std::move(node));
    return true;
  }
  if (node.kind == Kind::kP) {
    Sorted sorted(std::move(node.children));
    if (sorted.of[1].size() > 1) return false;
    if (!sorted.of[0].empty()) line.push_back(node_of(Kind::kP, std::move(sorted.of[0])));
    if (!sorted.of[1].empty() && !line_up(std::move(sorted.of[1][0]), line)) return false;
    if (!sorted.of[2].empty()) line.push_back(node_of(Kind::kP, std::move(sorted.of[2])));
    return true;
  }
  if (fullness(node.children.front()) > fullness(node.children.back()))
    std::ranges::reverse(node.children);
  int before = 0;
  for (PqNode& child : node.children) {
    const int now = fullness(child);
    if (now < before || (now == 1 && before == 1)) return false;
    before = now;
    if (!line_up(std::move(child), line)) return false;
  }
  return true;
}

/// `node` is the lowest one above all marks.
bool restrict_root(PqNode& node) {
  if (node.kind == Kind::kP) {
    Sorted sorted(std::move(node.children));
    if (sorted.of[1].size() > 2) return false;
    Nodes line;
    if (!sorted.of[1].empty() && !line_up(std::move(sorted.of[1][0]), line)) return false;
    if (!sorted.of[2].empty()) line.push_back(node_of(Kind::kP, std::move(sorted.of[2])));
    if (sorted.of[1].size() == 2) {
      Nodes other;
      if (!line_up(std::move(sorted.of[1][1]), other)) return false;
      std::ranges::reverse(other);
      append(line, std::move(other));
    }
    sorted.of[0].push_back(node_of(Kind::kQ, std::move(line)));
    node = node_of(Kind::kP, std::move(sorted.of[0]));
    return true;
  }
  Nodes line;
  int stage = 0;  // 0 before the marks, 1 within, 2 behind
  for (PqNode& child : node.children) {
    const int now = fullness(child);
    if (now == 0) {
      stage = stage == 0 ? 0 : 2;
      line.push_back(std::move(child));
      continue;
    }
    if (stage == 2) return false;
    Nodes part;
    if (!line_up(std::move(child), part)) return false;
    if (now == 1 && stage == 1) {
      std::ranges::reverse(part);
      stage = 2;
    } else {
      stage = 1;
    }
    append(line, std::move(part));
  }
  node.children = std::move(line);
  return true;
}

/// The lowest node above all marks.
PqNode& root_of_marks(PqNode& tree) {
  PqNode* node = &tree;
  while (fullness(*node) == 1) {
    const auto next = std::ranges::find_if(
        node->children, [&](const PqNode& child) { return child.marked == node->marked; });
    if (next == node->children.end()) break;
    node = &*next;
  }
  return *node;
}

void collect(const PqNode& node, std::vector<int>& items) {
  if (node.kind == Kind::kLeaf) items.push_back(node.item);
  for (const PqNode& child : node.children) collect(child, items);
}

/// What `node` is in MarkedRuns; unmarked leaves get the item -1.
PqNode condensed(const PqNode& node, std::vector<std::vector<int>>& runs) {
  if (fullness(node) == 0) return {.item = -1, .children = {}, .leaves = 1};
  if (fullness(node) == 2) {
    collect(node, runs.emplace_back());
    return {.item = static_cast<int>(runs.size()) - 1, .children = {}, .leaves = 1};
  }
  Nodes children;
  int before = 1;
  bool has_unmarked = false;
  for (const PqNode& child : node.children) {
    const int now = fullness(child);
    const bool joins = node.kind == Kind::kQ && now == before;
    before = now;
    if (now == 0 && (joins || (node.kind == Kind::kP && has_unmarked))) continue;
    has_unmarked = has_unmarked || now == 0;
    if (now == 2 && joins) {
      collect(child, runs.back());
    } else {
      children.push_back(condensed(child, runs));
    }
  }
  return node_of(node.kind, std::move(children));
}

void name_unmarked(PqNode& node, int item) {
  if (node.kind == Kind::kLeaf && node.item < 0) node.item = item;
  for (PqNode& child : node.children) name_unmarked(child, item);
}

}  // namespace

PqNode any_order(const std::vector<int>& items) {
  Nodes leaves;
  for (const int item : items) leaves.push_back({.item = item, .children = {}});
  return node_of(Kind::kP, std::move(leaves));
}

bool restrict(PqNode& tree, const std::vector<bool>& marks) {
  count(tree, marks);
  PqNode& root = root_of_marks(tree);
  return fullness(root) != 1 || restrict_root(root);
}

MarkedRuns marked_runs(PqNode& tree, const std::vector<bool>& marks) {
  count(tree, marks);
  MarkedRuns result;
  result.tree = condensed(tree, result.runs);
  name_unmarked(result.tree, static_cast<int>(result.runs.size()));
  return result;
}

namespace {

/// The set that all items are of, then nothing is done yet; else -1.
int replace_below(PqNode& node, const std::vector<int>& set_of, const std::vector<PqNode>& by) {
  if (node.kind == Kind::kLeaf) return set_of[static_cast<size_t>(node.item)];
  Nodes children;
  int before = -1;
  bool all = true;
  for (PqNode& child : node.children) {
    const int set = replace_below(child, set_of, by);
    all = all && set >= 0 && (&child == &node.children.front() || set == before);
    if (set < 0) {
      children.push_back(std::move(child));
    } else if (set != before) {
      children.push_back(by[static_cast<size_t>(set)]);
    }
    before = set;
  }
  if (all) return before;
  node = node_of(node.kind, std::move(children));
  return -1;
}

}  // namespace

void replace(PqNode& tree, const std::vector<int>& set_of, const std::vector<PqNode>& by) {
  const int set = replace_below(tree, set_of, by);
  if (set >= 0) tree = by[static_cast<size_t>(set)];
}

double log_factorial(size_t n) {
  static const std::vector<double> table = [] {
    std::vector<double> result(kTable, 0);
    for (size_t i = 1; i < kTable; ++i)
      result[i] = result[i - 1] + std::log(static_cast<double>(i));
    return result;
  }();
  return n < kTable ? table[n] : std::lgamma(static_cast<double>(n + 1));
}

double log_orders(const PqNode& tree) {
  double result = 0;
  if (tree.kind == Kind::kP) result = log_factorial(tree.children.size());
  if (tree.kind == Kind::kQ) result = std::log(2.0);
  for (const PqNode& child : tree.children) result += log_orders(child);
  return result;
}

namespace {

/// Writes the order of `node`; the ranks of its first and last item.
std::pair<int, int> order_below(const PqNode& node, const std::vector<int>& rank,
                                std::vector<int>& order) {
  if (node.kind == Kind::kLeaf) {
    order.push_back(node.item);
    const int own = rank[static_cast<size_t>(node.item)];
    return {own, own};
  }
  struct Part {
    std::pair<int, int> ranks;
    std::vector<int> items;
  };
  std::vector<Part> parts;
  for (const PqNode& child : node.children) {
    Part& part = parts.emplace_back();
    part.ranks = order_below(child, rank, part.items);
  }
  if (node.kind == Kind::kP) {
    std::ranges::stable_sort(parts, {}, &Part::ranks);
  } else if (parts.front().ranks > parts.back().ranks) {
    std::ranges::reverse(parts);
  }
  for (const Part& part : parts) order.insert(order.end(), part.items.begin(), part.items.end());
  return {parts.front().ranks.first, parts.back().ranks.second};
}

}  // namespace

std::vector<int> order_by(const PqNode& tree, const std::vector<int>& rank) {
  std::vector<int> result;
  order_below(tree, rank, result);
  return result;
}

uint64_t hash_of(const PqNode& tree, const std::vector<uint64_t>& keys) {
  if (tree.kind == Kind::kLeaf) return mixed(keys[static_cast<size_t>(tree.item)]);
  uint64_t sum = 0, forward = 1, backward = 1;
  std::vector<uint64_t> hashes;
  for (const PqNode& child : tree.children) hashes.push_back(hash_of(child, keys));
  for (size_t i = 0; i < hashes.size(); ++i) {
    sum += mixed(hashes[i]);
    forward = mixed(forward ^ hashes[i]);
    backward = mixed(backward ^ hashes[hashes.size() - 1 - i]);
  }
  return tree.kind == Kind::kP ? mixed(sum) : mixed(forward + backward);
}

}  // namespace thimble::layout
