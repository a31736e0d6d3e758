// SPDX-License-Identifier: Apache-2.0
// Random graphs against the enumeration of every order, measured by a simulation of its own.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <set>

#include "tests/support/workload.h"
#include "thimble/search/order.h"
#include "thimble/search/peak_bound.h"

namespace thimble {
namespace {

struct Kind {
  const char* name;
  int max_ops;
  int cases;
  bool in_place;
  bool runs;  ///< most operators go on from one tensor that nobody has read
  uint32_t seed;
};
void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

class RandomOrderProblem {
 public:
  RandomOrderProblem(const Kind& kind, uint32_t seed) : kind_(kind), random_(seed) {}

  OrderProblem make() {
    OrderProblem problem;
    const int inputs = draw(1, 2), ops = draw(1, kind_.max_ops);
    for (int i = 0; i < inputs; ++i) {
      problem.inputs.push_back(i);
      problem.size_bytes.push_back(draw(1, 20));
    }
    for (int o = 0; o < ops; ++o) problem.ops.push_back(op(problem));
    const auto count = static_cast<int>(problem.size_bytes.size());
    for (int t = 0; t < count; ++t) {
      if (t + 1 == count || draw(0, 5) == 0) problem.outputs.push_back(t);
    }
    return problem;
  }

 private:
  int draw(int low, int high) {
    return low + static_cast<int>(random_() % static_cast<unsigned>(high - low + 1));
  }

  OrderProblem::Op op(OrderProblem& problem) {
    OrderProblem::Op result;
    const auto made = static_cast<int>(problem.size_bytes.size());
    std::set<int> inputs;
    if (kind_.runs && draw(0, 4) > 0) {
      std::vector<int> unread(static_cast<size_t>(made));
      std::iota(unread.begin(), unread.end(), 0);
      for (const OrderProblem::Op& other : problem.ops) {
        for (const int t : other.inputs) std::erase(unread, t);
      }
      inputs.insert(unread[static_cast<size_t>(draw(0, static_cast<int>(unread.size()) - 1))]);
    } else {
      for (int i = draw(1, 3); i > 0; --i) inputs.insert(draw(std::max(0, made - 5), made - 1));
    }
    result.inputs.assign(inputs.begin(), inputs.end());
    for (int i = draw(0, 7) == 0 ? 2 : 1; i > 0; --i) {
      result.outputs.push_back(static_cast<int>(problem.size_bytes.size()));
      problem.size_bytes.push_back(draw(1, 20));
    }
    if (draw(0, 2) == 0) result.scratch_bytes = draw(1, 15);
    for (const int t : result.inputs) {
      if (kind_.in_place && draw(0, 1) == 0) {
        result.in_place.push_back({.input = t, .scratch_bytes = draw(0, 8)});
      }
    }
    return result;
  }

  const Kind& kind_;
  std::mt19937 random_;
};

/// Sums over sets of tensors, anew for each operator.
int64_t peak_of(const OrderProblem& problem, const std::vector<int>& order) {
  const auto sum = [&](const std::set<int>& tensors) {
    int64_t bytes = 0;
    for (const int t : tensors) bytes += problem.size_bytes[static_cast<size_t>(t)];
    return bytes;
  };
  int64_t peak = 0;
  std::set<int> made(problem.inputs.begin(), problem.inputs.end());
  for (size_t i = 0; i < order.size(); ++i) {
    const OrderProblem::Op& op = problem.ops[static_cast<size_t>(order[i])];
    std::set<int> later(problem.outputs.begin(), problem.outputs.end());
    for (size_t j = i + 1; j < order.size(); ++j) {
      const OrderProblem::Op& other = problem.ops[static_cast<size_t>(order[j])];
      later.insert(other.inputs.begin(), other.inputs.end());
    }
    std::set<int> live;
    std::set_intersection(made.begin(), made.end(), later.begin(), later.end(),
                          std::inserter(live, live.end()));
    live.insert(op.inputs.begin(), op.inputs.end());
    live.insert(op.outputs.begin(), op.outputs.end());
    int64_t least = sum(live) + op.scratch_bytes;
    for (const OrderProblem::Op::InPlace& in_place : op.in_place) {
      if (later.contains(in_place.input)) continue;
      const int64_t in = problem.size_bytes[static_cast<size_t>(in_place.input)];
      const int64_t out = problem.size_bytes[static_cast<size_t>(op.outputs[0])];
      least = std::min(least, sum(live) - in - out + std::max(in, out) + in_place.scratch_bytes);
    }
    peak = std::max(peak, least);
    made.insert(op.outputs.begin(), op.outputs.end());
  }
  return peak;
}

void enumerate(const OrderProblem& problem, std::set<int>& made, std::vector<int>& order,
               int64_t& least) {
  if (order.size() == problem.ops.size()) {
    least = std::min(least, peak_of(problem, order));
    return;
  }
  for (int o = 0; o < static_cast<int>(problem.ops.size()); ++o) {
    const OrderProblem::Op& op = problem.ops[static_cast<size_t>(o)];
    const bool ready =
        std::all_of(op.inputs.begin(), op.inputs.end(), [&](int t) { return made.contains(t); });
    if (!ready || std::find(order.begin(), order.end(), o) != order.end()) continue;
    order.push_back(o);
    made.insert(op.outputs.begin(), op.outputs.end());
    enumerate(problem, made, order, least);
    for (const int t : op.outputs) made.erase(t);
    order.pop_back();
  }
}

class RandomOrder : public ::testing::TestWithParam<Kind> {};

TEST_P(RandomOrder, HasTheLeastPeakOfAll) {
  const Kind kind = GetParam();
  const int cases = kind.cases / testing::kOneIn;
  int improved = 0;
  for (int c = 0; c < cases; ++c) {
    const uint32_t seed = kind.seed * 1'000'000 + static_cast<uint32_t>(c);
    SCOPED_TRACE(fmt::format("seed {}", seed));
    const OrderProblem problem = RandomOrderProblem(kind, seed).make();
    std::set<int> made(problem.inputs.begin(), problem.inputs.end());
    std::vector<int> prefix;
    int64_t least = std::numeric_limits<int64_t>::max();
    enumerate(problem, made, prefix, least);

    const Order order = reorder(problem), original = original_order(problem);
    ASSERT_EQ(order.peak_bytes, least);
    ASSERT_EQ(peak_of(problem, order.ops), least);
    ASSERT_TRUE(order.proven_optimal);
    ASSERT_EQ(order.lower_bound_bytes, least);
    ASSERT_LE(peak_bound_bytes(problem), least);
    ASSERT_EQ(peak_of(problem, original.ops), original.peak_bytes);
    const Order greedy = greedy_order(problem);
    ASSERT_EQ(peak_of(problem, greedy.ops), greedy.peak_bytes);
    improved += least < std::min(greedy.peak_bytes, original.peak_bytes);
  }
  EXPECT_GT(improved, cases / 200);  // else the search was not tested
}

TEST_P(RandomOrder, KeepsItsPromisesPastTheStates) {
  const Kind kind = GetParam();
  const int cases = kind.cases / testing::kOneIn;
  for (int c = 0; c < cases / 4; ++c) {
    const uint32_t seed = kind.seed * 1'000'000 + static_cast<uint32_t>(c);
    SCOPED_TRACE(fmt::format("seed {}", seed));
    const OrderProblem problem = RandomOrderProblem(kind, seed).make();
    const int64_t least = reorder(problem).peak_bytes;
    for (const int64_t states : {1, 4, 16}) {
      const Order order = reorder(problem, states);
      ASSERT_EQ(peak_of(problem, order.ops), order.peak_bytes);
      ASSERT_LE(order.peak_bytes, original_order(problem).peak_bytes);
      ASSERT_LE(order.lower_bound_bytes, least);
      ASSERT_EQ(order.proven_optimal, order.peak_bytes == order.lower_bound_bytes);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, RandomOrder,
                         ::testing::Values(Kind{.name = "Plain",
                                                .max_ops = 8,
                                                .cases = 3000,
                                                .in_place = false,
                                                .runs = false,
                                                .seed = 1},
                                           Kind{.name = "InPlace",
                                                .max_ops = 8,
                                                .cases = 3000,
                                                .in_place = true,
                                                .runs = false,
                                                .seed = 2},
                                           Kind{.name = "Runs",
                                                .max_ops = 9,
                                                .cases = 2000,
                                                .in_place = false,
                                                .runs = true,
                                                .seed = 3},
                                           Kind{.name = "RunsInPlace",
                                                .max_ops = 9,
                                                .cases = 2000,
                                                .in_place = true,
                                                .runs = true,
                                                .seed = 4}),
                         [](const auto& kind) { return std::string(kind.param.name); });

}  // namespace
}  // namespace thimble
