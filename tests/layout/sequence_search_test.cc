// SPDX-License-Identifier: Apache-2.0
// PQ-trees against all permutations, the filling of holes, and the search that uses both.
#include "thimble/layout/sequence_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include "generated_problems.h"
#include "thimble/layout/hole_filling.h"
#include "thimble/layout/pq_tree.h"

namespace thimble::layout {
namespace {

constexpr int64_t kWork = 10'000'000;

std::vector<int> first_items(int count) {
  std::vector<int> result(index(count));
  std::iota(result.begin(), result.end(), 0);
  return result;
}

bool contiguous(const std::vector<int>& order, const std::vector<bool>& marks) {
  int changes = 0;
  bool before = false;
  for (const int item : order) {
    changes += marks[index(item)] != before ? 1 : 0;
    before = marks[index(item)];
  }
  return changes <= 2;
}

using Orders = std::set<std::vector<int>>;
Orders all_orders(int count) {
  Orders result;
  std::vector<int> order = first_items(count);
  do {
    result.insert(order);
  } while (std::ranges::next_permutation(order).found);
  return result;
}

/// The orders of a tree: those that it gives back where they are asked for.
Orders orders_of(const PqNode& tree, int count) {
  Orders result;
  for (const std::vector<int>& order : all_orders(count)) {
    std::vector<int> rank(index(count));
    for (int i = 0; i < count; ++i) rank[index(order[index(i)])] = i;
    if (order_by(tree, rank) == order) result.insert(order);
  }
  return result;
}

std::vector<bool> random_marks(int count, std::mt19937& random) {
  std::vector<bool> marks(index(count));
  for (int i = 0; i < count; ++i) marks[index(i)] = random() % 2 == 0;
  return marks;
}

TEST(PqTree, HasTheOrdersOfItsRestrictions) {
  constexpr int kItems = 6;
  std::mt19937 random(1);
  int impossible = 0;
  for (int round = 0; round < 150; ++round) {
    PqNode tree = any_order(first_items(kItems));
    Orders orders = all_orders(kItems);
    for (int restriction = 0; restriction < 4; ++restriction) {
      const std::vector<bool> marks = random_marks(kItems, random);
      std::erase_if(orders, [&](const auto& order) { return !contiguous(order, marks); });
      const bool possible = restrict(tree, marks);
      ASSERT_EQ(possible, !orders.empty());
      if (!possible) {
        ++impossible;
        break;
      }
      ASSERT_EQ(orders_of(tree, kItems), orders);
      EXPECT_NEAR(std::exp(log_orders(tree)), static_cast<double>(orders.size()), 1e-6);
    }
  }
  EXPECT_GT(impossible, 20);
}

TEST(PqTree, HasRunsThatAreAlwaysContiguous) {
  constexpr int kItems = 7;
  std::mt19937 random(2);
  int possible_pairs = 0;
  for (int round = 0; round < 150; ++round) {
    PqNode tree = any_order(first_items(kItems));
    (void)restrict(tree, random_marks(kItems, random));
    PqNode other = tree;
    if (restrict(other, random_marks(kItems, random))) tree = other;
    const Orders orders = orders_of(tree, kItems);
    const std::vector<bool> marks = random_marks(kItems, random);
    const MarkedRuns marked = marked_runs(tree, marks);
    size_t items = 0;
    for (const std::vector<int>& run : marked.runs) {
      items += run.size();
      std::vector<bool> own(kItems, false);
      for (const int item : run) own[index(item)] = true;
      for (const auto& order : orders) EXPECT_TRUE(contiguous(order, own));
    }
    EXPECT_EQ(items, std::ranges::count(marks, true));
    // One pair after the other becomes contiguous in the condensed tree if it can in the whole.
    PqNode whole = tree, condensed = marked.tree;
    for (size_t r = 0; r + 1 < marked.runs.size(); r += 2) {
      std::vector<bool> both(kItems, false), runs(marked.runs.size() + 1, false);
      for (const size_t of_pair : {r, r + 1}) {
        runs[of_pair] = true;
        for (const int item : marked.runs[of_pair]) both[index(item)] = true;
      }
      const bool possible = restrict(whole, both);
      ASSERT_EQ(restrict(condensed, runs), possible);
      possible_pairs += possible ? 1 : 0;
      if (!possible) break;
    }
  }
  EXPECT_GT(possible_pairs, 100);
}

TEST(PqTree, PutsSetsInThePlaceOfOthers) {
  PqNode tree = any_order({0, 1, 2, 3});
  ASSERT_TRUE(restrict(tree, {true, true, false, false, false, false}));
  replace(tree, {0, 0, -1, 1, -1, -1}, {any_order({4, 5}), any_order({3})});
  // {4 5}, 2 and 3 in any order.
  EXPECT_NEAR(std::exp(log_orders(tree)), 12, 1e-9);
  EXPECT_EQ(order_by(tree, {0, 0, 1, 0, 3, 2}), (std::vector<int>{3, 2, 5, 4}));
  const std::vector<uint64_t> keys = {0, 0, 7, 7, 1, 2}, others = {0, 0, 7, 7, 1, 3};
  PqNode same = any_order({3, 2});
  same.children.push_back(any_order({5, 4}));
  EXPECT_EQ(hash_of(tree, keys), hash_of(same, keys));
  EXPECT_NE(hash_of(tree, keys), hash_of(same, others));
}

/// The picture of sequence_search.h: a, b of 3 and 2 bytes become c of 3, d and e of 1.
TEST(HoleFilling, FindsAllWays) {
  const std::vector<Item> items = {{3, 1}, {2, 1}, {9, 2}, {3, 2}, {1, 2}, {1, 3}};
  std::vector<bool> marks(items.size(), false);
  int64_t work = kWork;
  std::mt19937 random(1);
  HoleFilling filling(items, {3, 4, 5}, 1, marks, work);
  PqNode tree = any_order({0, 1, 2});
  std::set<size_t> counts;
  for (const Holes& holes : filling.fill(tree, {0, 1}, {1000, 100}, random)) {
    counts.insert(holes.size());
    for (const Hole& hole : holes) {
      EXPECT_EQ(bytes_of(items, hole.ends), bytes_of(items, hole.begins) + hole.unused);
      EXPECT_EQ(hole.joined, holes.size() == 1);
    }
  }
  EXPECT_EQ(counts, (std::set<size_t>{1, 2}));
  EXPECT_LT(work, kWork);
  // Apart from each other, as 2 stands between them.
  PqNode apart = any_order({0, 1, 2});
  ASSERT_TRUE(restrict(apart, {true, false, true, false, false, false}));
  ASSERT_TRUE(restrict(apart, {false, true, true, false, false, false}));
  const std::vector<Holes> found = filling.fill(apart, {0, 1}, {1000, 100}, random);
  ASSERT_FALSE(found.empty());
  for (const Holes& holes : found) EXPECT_EQ(holes.size(), 2U);
}

/// Holes of many sizes that cannot be joined, each of which one buffer fills.
TEST(HoleFilling, FillsManyHolesAtOnce) {
  for (const int count : {10, 100, 300}) {
    SCOPED_TRACE(count);
    std::vector<Item> items;
    Items ends, begins;
    for (int i = 0; i < count; ++i) {
      ends.push_back(2 * i);
      items.push_back({100 + i, 1});
      items.push_back({7, 2});
    }
    PqNode tree = any_order(first_items(2 * count));
    for (int i = 0; i + 1 < 2 * count; ++i) {
      std::vector<bool> neighbours(index(3 * count), false);
      neighbours[index(i)] = neighbours[index(i + 1)] = true;
      ASSERT_TRUE(restrict(tree, neighbours));
    }
    for (int i = 0; i < count; ++i) {
      begins.push_back(2 * count + i);
      items.push_back({100 + i, 2});
    }
    std::vector<bool> marks(items.size(), false);
    int64_t work = kWork;
    std::mt19937 random(1);
    HoleFilling filling(items, begins, 1, marks, work);
    const std::vector<Holes> found = filling.fill(tree, ends, {10'000, 32}, random);
    ASSERT_FALSE(found.empty());
    for (const Hole& hole : found[0]) {
      EXPECT_FALSE(hole.joined);
      EXPECT_EQ(bytes_of(items, hole.ends), bytes_of(items, hole.begins));
    }
  }
}

TEST(HoleFilling, LeavesWhatIsUnused) {
  const std::vector<Item> items = {{3, 1}, {2, 1}, {1, 2}};
  std::vector<bool> marks(items.size(), false);
  int64_t work = kWork;
  std::mt19937 random(1);
  HoleFilling filling(items, {2}, 1, marks, work);
  PqNode tree = any_order({0, 1});
  const std::vector<Holes> found = filling.fill(tree, {0, 1}, {1000, 100}, random);
  EXPECT_FALSE(found.empty());
  for (const Holes& holes : found) {
    int64_t unused = 0;
    for (const Hole& hole : holes) unused += hole.unused;
    EXPECT_EQ(unused, 4);
  }
}

TEST(SequenceSearch, FindsLayouts) {
  for (const int holes : {0, 1, 5}) {
    SCOPED_TRACE(holes);
    const GeneratedProblem generated =
        packing_problem({.buffers = 120, .pinwheels = 30, .holes = holes, .seed = 9});
    const Sweep swept = sweep(generated.problem);
    ASSERT_TRUE(SequenceSearch::applies(generated.problem, swept));
    SequenceSearch search(generated.problem, swept);
    SearchBudget budget{.work = 20 * kWork, .time = nullptr};
    EXPECT_EQ(search.run(generated.capacity_bytes, 10 * kWork, budget), SearchOutcome::kFound);
    EXPECT_EQ(validate(generated.problem, search.addresses()), "");
    EXPECT_EQ(search.run(lower_bound_bytes(generated.problem) - 1, kWork, budget),
              SearchOutcome::kStopped);
  }
}

TEST(SequenceSearch, GivesUpWhereTooManyBeginAtOnce) {
  Problem problem;
  for (int64_t b = 0; b < 1000; ++b) {
    problem.buffers.push_back(
        {.size_bytes = 1 + b % 7, .lives = {{b % 2, b % 2 + 1}}, .address = {}});
  }
  const Sweep swept = sweep(problem);
  SequenceSearch search(problem, swept);
  SearchBudget budget{.work = kWork, .time = nullptr};
  EXPECT_EQ(search.run(lower_bound_bytes(problem), 0, budget), SearchOutcome::kStopped);
  EXPECT_EQ(search.nodes(), 0);
}

/// One byte more is unused at each moment, and the gaps are never taken in again: trees of ever
/// more gaps, until the attempt has had its share.
TEST(SequenceSearch, AttemptsHaveALimit) {
  constexpr int64_t kSteps = 3000;
  Problem problem;
  problem.buffers.push_back({.size_bytes = 1, .lives = {{0, kSteps}}, .address = {}});
  for (int64_t step = 0; step < kSteps; ++step) {
    problem.buffers.push_back(
        {.size_bytes = 3 * kSteps - step, .lives = {{step, step + 1}}, .address = {}});
  }
  const Sweep swept = sweep(problem);
  const auto used = [&](int64_t work) {
    SequenceSearch search(problem, swept);
    SearchBudget budget{.work = work, .time = nullptr};
    (void)search.run(lower_bound_bytes(problem), 0, budget);
    return work - budget.work;
  };
  EXPECT_LT(used(10'000'000), 5'000'000);  // a tenth for each of two, and what was begun
  EXPECT_GT(used(1'000'000'000), 20'000'000);
}

TEST(SequenceSearch, NeedsEqualAlignmentsAndLivesWithoutGaps) {
  const auto applies = [](const std::vector<Buffer>& buffers) {
    const Problem problem{.buffers = buffers, .overlaps = {}};
    return SequenceSearch::applies(problem, sweep(problem));
  };
  const Buffer first{.size_bytes = 8, .alignment = 4, .lives = {{0, 2}}, .address = {}};
  Buffer second{.size_bytes = 8, .alignment = 4, .lives = {{1, 3}}, .address = {}};
  EXPECT_TRUE(applies({first, second}));
  second.alignment = 8;
  EXPECT_FALSE(applies({first, second}));
  const Buffer gap{.size_bytes = 8, .alignment = 4, .lives = {{0, 1}, {4, 5}}, .address = {}};
  const Buffer between{.size_bytes = 8, .alignment = 4, .lives = {{2, 3}}, .address = {}};
  EXPECT_FALSE(applies({gap, between}));
}

}  // namespace
}  // namespace thimble::layout
