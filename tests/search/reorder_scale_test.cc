// SPDX-License-Identifier: Apache-2.0
// Networks with many branches: proven least peaks, with states (not seconds) as the limit.
#include <gtest/gtest.h>

#include <algorithm>

#include "order_networks.h"

namespace thimble {
namespace {

struct Network {
  std::string name;
  OrderProblem (*make)(bool in_place);
  size_t ops;
  int64_t max_states;  ///< for a proof
};
void PrintTo(const Network& network, std::ostream* out) { *out << network.name; }

OrderProblem nasnet_a_mobile(bool in_place) {
  return nasnet_problem({.resolution = 224, .channels = 44, .cells = 4, .in_place = in_place},
                        true);
}
OrderProblem nasnet_a_cifar(bool in_place) {
  return nasnet_problem({.resolution = 32, .channels = 32, .cells = 6, .in_place = in_place},
                        false);
}
OrderProblem darts_imagenet(bool in_place) {
  return darts_problem({.resolution = 224, .channels = 48, .cells = 14, .in_place = in_place});
}
OrderProblem wired_one_stage(bool in_place) { return wired_problem({.in_place = in_place}); }
OrderProblem wired_two_stages(bool in_place) {
  return wired_problem({.stages = 2, .in_place = in_place});
}
OrderProblem wired_large_stage(bool in_place) {
  return wired_problem({.nodes = 64, .seed = 3, .in_place = in_place});
}

int64_t peak_of(const OrderProblem& problem, const std::vector<int>& order) {
  const std::vector<int64_t> bytes = working_sets(problem, order);
  return *std::max_element(bytes.begin(), bytes.end());
}

class LargeNetwork : public ::testing::TestWithParam<std::tuple<Network, bool>> {};

TEST_P(LargeNetwork, IsProvenOptimal) {
  const auto& [network, in_place] = GetParam();
  const OrderProblem problem = network.make(in_place);
  EXPECT_EQ(problem.ops.size(), network.ops);
  const Order order = reorder(problem, network.max_states);
  EXPECT_TRUE(order.proven_optimal);
  EXPECT_EQ(order.lower_bound_bytes, order.peak_bytes);
  EXPECT_EQ(peak_of(problem, order.ops), order.peak_bytes);
  EXPECT_LE(order.peak_bytes, original_order(problem).peak_bytes);
  EXPECT_LE(order.peak_bytes, greedy_order(problem).peak_bytes);
}

TEST_P(LargeNetwork, KeepsItsPromisesWithoutStates) {
  const auto& [network, in_place] = GetParam();
  const OrderProblem problem = network.make(in_place);
  const Order order = reorder(problem, 1);
  EXPECT_EQ(peak_of(problem, order.ops), order.peak_bytes);
  EXPECT_LE(order.lower_bound_bytes, order.peak_bytes);
  EXPECT_EQ(order.proven_optimal, order.lower_bound_bytes == order.peak_bytes);
  EXPECT_LE(order.peak_bytes, original_order(problem).peak_bytes);
  EXPECT_LE(order.peak_bytes, greedy_order(problem).peak_bytes);
}

INSTANTIATE_TEST_SUITE_P(
    Networks, LargeNetwork,
    ::testing::Combine(::testing::Values(Network{"NasnetAMobile", nasnet_a_mobile, 708, 20'000},
                                         Network{"NasnetACifar", nasnet_a_cifar, 872, 20'000},
                                         Network{"DartsImagenet", darts_imagenet, 548, 20'000},
                                         Network{"WiredOneStage", wired_one_stage, 138, 100'000},
                                         Network{"WiredTwoStages", wired_two_stages, 273, 100'000}),
                       ::testing::Bool()),
    [](const auto& instance) {
      return std::get<0>(instance.param).name + (std::get<1>(instance.param) ? "InPlace" : "");
    });

TEST(Reorder, TellsTheGapPastTheStates) {
  const OrderProblem problem = wired_large_stage(false);
  const Order least = reorder(problem), order = reorder(problem, 10'000);
  ASSERT_TRUE(least.proven_optimal);
  EXPECT_FALSE(order.proven_optimal);
  EXPECT_LE(order.lower_bound_bytes, least.peak_bytes);
  EXPECT_GE(order.peak_bytes, least.peak_bytes);
  EXPECT_LT(order.peak_bytes, greedy_order(problem).peak_bytes);
  EXPECT_LT(order.states, 20'000);
}

TEST(Reorder, GivesTheSameOrderAgain) {
  const OrderProblem problem = wired_large_stage(true);
  const Order order = reorder(problem, 10'000), again = reorder(problem, 10'000);
  EXPECT_EQ(order.ops, again.ops);
  EXPECT_EQ(order.lower_bound_bytes, again.lower_bound_bytes);
  EXPECT_EQ(order.states, again.states);
}

}  // namespace
}  // namespace thimble
