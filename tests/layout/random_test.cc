// SPDX-License-Identifier: Apache-2.0
// Random small problems against the enumeration of every integer address.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "tests/support/workload.h"
#include "thimble/layout/bound.h"
#include "thimble/layout/disjunctive_search.h"
#include "thimble/layout/greedy.h"
#include "thimble/layout/layout.h"
#include "thimble/layout/niche_search.h"
#include "thimble/layout/packing_search.h"

namespace thimble::layout {
namespace {

struct Kind {
  const char* name;
  int buffers;
  int cases;
  bool aligned = false, gaps = false, overlaps = false, fixed = false;
  uint32_t seed = 1;
};
void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

class RandomProblem {
 public:
  RandomProblem(const Kind& kind, uint32_t seed) : kind_(kind), random_(seed) {}

  Problem make() {
    Problem problem;
    for (int i = 0; i < kind_.buffers; ++i) problem.buffers.push_back(buffer());
    if (kind_.overlaps) add_overlaps(problem);
    if (kind_.fixed && draw(0, 1) == 0) {
      Buffer& chosen = problem.buffers[static_cast<size_t>(draw(0, kind_.buffers - 1))];
      chosen.address = draw(0, 6) / chosen.alignment * chosen.alignment;
    }
    return problem;
  }

 private:
  int64_t draw(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random_() % static_cast<uint64_t>(high - low + 1));
  }

  Buffer buffer() {
    Buffer result;
    result.size_bytes = draw(1, 5);
    result.alignment = kind_.aligned ? int64_t{1} << draw(0, 2) : 1;
    const int64_t begin = draw(0, 7);
    result.lives = {{begin, begin + draw(1, 4)}};
    if (kind_.gaps && draw(0, 2) == 0) {
      const int64_t again = result.lives[0].end + draw(1, 2);
      result.lives.push_back({again, again + draw(1, 2)});
    }
    return result;
  }

  void add_overlaps(Problem& problem) {
    for (int i = 0; i < kind_.buffers; ++i) {
      for (int j = 0; j < i; ++j) {
        if (draw(0, 3) != 0) continue;
        Overlap overlap{.out = i, .in = j};
        if (draw(0, 1) == 0) std::swap(overlap.in, overlap.out);
        if (draw(0, 2) != 0) overlap.lead_bytes = draw(-4, 5);
        overlap.same_address = !overlap.lead_bytes || draw(0, 3) == 0;
        problem.overlaps.push_back(overlap);
      }
    }
  }

  const Kind& kind_;
  std::mt19937 random_;
};

/// Tries every address of every buffer; whether a pair agrees is a table made with validate().
class Enumeration {
 public:
  Enumeration(const Problem& problem, int64_t capacity) : problem_(problem), capacity_(capacity) {
    const size_t count = problem.buffers.size();
    for (size_t i = 0; i < count; ++i) {
      for (size_t j = 0; j < i; ++j) agree_.push_back(agreement(i, j));
    }
  }

  bool exists(size_t next = 0) {
    if (next == problem_.buffers.size()) return true;
    const Buffer& buffer = problem_.buffers[next];
    for (int64_t address = buffer.address.value_or(0); address + buffer.size_bytes <= capacity_;
         address += buffer.alignment) {
      addresses_.push_back(address);
      const bool found = agrees_with_those_before(next) && exists(next + 1);
      addresses_.pop_back();
      if (found || buffer.address) return found;
    }
    return false;
  }

 private:
  std::vector<bool> agreement(size_t i, size_t j) const {
    Problem pair{.buffers = {problem_.buffers[i], problem_.buffers[j]}, .overlaps = {}};
    for (Buffer& buffer : pair.buffers) buffer.alignment = 1, buffer.address.reset();
    for (const Overlap& overlap : problem_.overlaps) {
      const auto out = static_cast<size_t>(overlap.out), in = static_cast<size_t>(overlap.in);
      if (std::minmax(out, in) != std::minmax(i, j)) continue;
      pair.overlaps.push_back(overlap);
      pair.overlaps[0].out = out == i ? 0 : 1;
      pair.overlaps[0].in = in == i ? 0 : 1;
    }
    std::vector<bool> result;
    for (int64_t delta = -capacity_; delta <= capacity_; ++delta) {
      result.push_back(validate(pair, {capacity_, capacity_ + delta}).empty());
    }
    return result;
  }

  bool agrees_with_those_before(size_t i) const {
    for (size_t j = 0; j < i; ++j) {
      const int64_t delta = addresses_[j] - addresses_[i];
      if (!agree_[i * (i - 1) / 2 + j][static_cast<size_t>(delta + capacity_)]) return false;
    }
    return true;
  }

  const Problem& problem_;
  const int64_t capacity_;
  std::vector<std::vector<bool>> agree_;  ///< per pair j < i, by address(j) - address(i) + capacity
  std::vector<int64_t> addresses_;
};

class RandomLayout : public ::testing::TestWithParam<Kind> {};

TEST_P(RandomLayout, IsAsLowAsTheEnumerationFinds) {
  const Kind kind = GetParam();
  const int cases = kind.cases / testing::kOneIn;
  for (int c = 0; c < cases; ++c) {
    const uint32_t seed = kind.seed * 1'000'000 + static_cast<uint32_t>(c);
    SCOPED_TRACE(fmt::format("seed {}", seed));
    const Problem problem = RandomProblem(kind, seed).make();
    const Solution solution = exact(problem, {.work = 1'000'000'000, .good_enough_bytes = {}});
    ASSERT_EQ(validate(problem, solution.addresses), "");
    ASSERT_TRUE(solution.proven_optimal);
    ASSERT_LE(lower_bound_bytes(problem), solution.arena_bytes);
    ASSERT_LE(solution.arena_bytes, greedy_by_size(problem).arena_bytes);
    ASSERT_FALSE(Enumeration(problem, solution.arena_bytes - 1).exists());
  }
}

// Whatever the order tried, neither search may miss the least arena, nor find less.
TEST_P(RandomLayout, IsFoundByEachCompleteSearch) {
  const Kind kind = GetParam();
  const int cases = kind.cases / testing::kOneIn;
  SearchBudget never{.work = int64_t{1} << 60};
  for (int c = 0; c < cases / 2; ++c) {
    const uint32_t seed = kind.seed * 1'000'000 + static_cast<uint32_t>(c);
    SCOPED_TRACE(fmt::format("seed {}", seed));
    const Problem problem = RandomProblem(kind, seed).make();
    const Sweep swept = sweep(problem);
    const int64_t least =
        exact(problem, {.work = 1'000'000'000, .good_enough_bytes = {}}).arena_bytes;

    const std::vector<int64_t> bounds = section_bounds(problem, swept);
    DisjunctiveSearch disjunctive(problem, swept, bounds);
    ASSERT_EQ(disjunctive.run(least, 1'000'000, never), SearchOutcome::kFound);
    ASSERT_EQ(validate(problem, disjunctive.addresses()), "");
    ASSERT_EQ(disjunctive.run(least - 1, 1'000'000, never), SearchOutcome::kNone);

    std::vector<int> order(problem.buffers.size());
    std::iota(order.begin(), order.end(), 0);
    PackingSearch packing(problem, swept);
    NicheSearch niches(problem, swept);
    const auto check_order = [&](auto& search) {
      ASSERT_EQ(search.run(least, order, 1'000'000, never), SearchOutcome::kFound);
      ASSERT_EQ(validate(problem, search.addresses()), "");
      ASSERT_EQ(search.run(least - 1, order, 1'000'000, never), SearchOutcome::kNone);
    };
    for (int i = 0; i < 3; ++i, std::next_permutation(order.begin(), order.end())) {
      if (packing.complete()) check_order(packing);
      if (niches.applies()) check_order(niches);
      std::reverse(order.begin(), order.end());
    }
  }
}

TEST_P(RandomLayout, LosesEachBufferMovedIntoALiveOne) {
  const Kind kind = GetParam();
  const int cases = kind.cases / testing::kOneIn;
  int moved = 0;
  for (int c = 0; c < cases / 4; ++c) {
    Problem problem = RandomProblem(kind, kind.seed * 1'000'000 + static_cast<uint32_t>(c)).make();
    problem.overlaps.clear();
    for (Buffer& buffer : problem.buffers) buffer.alignment = 1, buffer.address.reset();
    const Solution solution = exact(problem, {.work = 1'000'000'000, .good_enough_bytes = {}});
    for (size_t i = 0; i < problem.buffers.size(); ++i) {
      for (size_t j = 0; j < problem.buffers.size(); ++j) {
        const Problem pair{.buffers = {problem.buffers[i], problem.buffers[j]}, .overlaps = {}};
        const bool touch =
            solution.addresses[i] + problem.buffers[i].size_bytes == solution.addresses[j];
        if (!touch || validate(pair, {0, 0}).empty()) continue;
        std::vector<int64_t> up = solution.addresses, down = solution.addresses;
        ++up[i];
        --down[j];
        ASSERT_NE(validate(problem, up), "");
        ASSERT_NE(validate(problem, down), "");
        ++moved;
      }
    }
  }
  EXPECT_GT(moved, cases / 4);
}

// What live buffers need, moment by moment; of large problems, the largest without any list.
TEST_P(RandomLayout, IsBoundedAtEachMoment) {
  const Kind kind = GetParam();
  for (int c = 0; c < kind.cases / testing::kOneIn; ++c) {
    SCOPED_TRACE(fmt::format("case {}", c));
    Problem problem = RandomProblem(kind, static_cast<uint32_t>(c)).make();
    for (Buffer& buffer : problem.buffers) {
      buffer.alignment = 1;
      buffer.address.reset();
    }
    const std::vector<int64_t> bounds = live_bounds(problem, 40);
    for (int64_t at = 0; at < 40; ++at) {
      Problem now = problem;
      for (Buffer& buffer : now.buffers) {
        const bool live = std::ranges::any_of(
            buffer.lives, [&](const Life& life) { return life.begin <= at && at < life.end; });
        if (!live) buffer.size_bytes = 0;
        buffer.lives = {{0, 1}};
      }
      std::erase_if(now.overlaps, [&](const Overlap& o) {
        return now.buffers[static_cast<size_t>(o.in)].size_bytes == 0 ||
               now.buffers[static_cast<size_t>(o.out)].size_bytes == 0;
      });
      ASSERT_EQ(bounds[static_cast<size_t>(at)], lower_bound_bytes(now)) << at;
    }
  }
}

TEST_P(RandomLayout, IsTheSameWithAndWithoutAListOfConflicts) {
  const Kind kind = GetParam();
  for (int c = 0; c < kind.cases / testing::kOneIn; ++c) {
    SCOPED_TRACE(fmt::format("case {}", c));
    const Problem problem = RandomProblem(kind, static_cast<uint32_t>(c)).make();
    const Sweep swept = sweep(problem);
    const std::vector<int> by_size = greedy_orders(problem, swept)[0];
    ASSERT_EQ(greedy(problem).addresses, place_in_order(problem, swept, by_size));
    ASSERT_EQ(validate(problem, greedy(problem).addresses), "");
  }
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, RandomLayout,
    ::testing::Values(
        Kind{.name = "Plain", .buffers = 6, .cases = 2000},
        Kind{.name = "Aligned", .buffers = 6, .cases = 1500, .aligned = true, .seed = 2},
        Kind{.name = "Gaps", .buffers = 7, .cases = 1000, .aligned = true, .gaps = true, .seed = 3},
        Kind{.name = "Overlaps", .buffers = 4, .cases = 3000, .overlaps = true, .seed = 4},
        Kind{.name = "MoreOverlaps", .buffers = 6, .cases = 1500, .overlaps = true, .seed = 5},
        Kind{.name = "Everything",
             .buffers = 6,
             .cases = 2000,
             .aligned = true,
             .gaps = true,
             .overlaps = true,
             .fixed = true,
             .seed = 6}),
    [](const auto& kind) { return std::string(kind.param.name); });

}  // namespace
}  // namespace thimble::layout
