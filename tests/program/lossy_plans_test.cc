// SPDX-License-Identifier: Apache-2.0
// Plans with sums of 16 and 8 bits on the host: networks of the zoo and real models, equal to the
// reference with the same accumulators.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>

#include "tests/program/mutants.h"
#include "tests/support/golden.h"
#include "tests/support/random_network.h"
#include "tests/support/shared.h"
#include "tests/support/workload.h"
#include "thimble/import/tflite.h"
#include "thimble/planners/registry.h"
#include "thimble/program/host.h"
#include "thimble/program/lower.h"
#include "thimble/program/verify.h"
#include "thimble/rewrites/rewrites.h"
#include "zoo/zoo.h"

namespace thimble {
namespace {

struct Network {
  const char* name;
  int bits;
};
void PrintTo(const Network& n, std::ostream* out) { *out << n.name << ", " << n.bits; }

std::string name_of(const ::testing::TestParamInfo<Network>& network) {
  std::string name = fmt::format("{}_{}", network.param.name, network.param.bits);
  std::ranges::replace_if(
      name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

void expect_equal_to_the_reference(const Graph& exact, int bits) {
  const PlannerChoice choice = choose_planner(fmt::format("pex:accumulators={}", bits));
  const auto planned = std::get<Planned>(choice.planner->plan(exact, {}, choice.options));
  EXPECT_FALSE(planned.best().plan().accumulators.empty());
  const Graph graph = with_accumulators(exact, planned.best().plan().accumulators);
  check_graph(graph);
  ASSERT_EQ(malformed(graph, planned.schedule()), "");
  const Placement placement = place(graph, planned.schedule(), {});
  const Program program = lower(graph, planned.schedule(), placement);
  ASSERT_EQ(verify(graph, program).fault, "");
  const std::vector<Bytes> inputs = testing::noise(graph, 3);
  EXPECT_EQ(execute(program, inputs), testing::expected_outputs(graph, inputs));
}

class LossyZoo : public ::testing::TestWithParam<Network> {};

TEST_P(LossyZoo, EqualsTheReference) {
  expect_equal_to_the_reference(rewrite(build_zoo(GetParam().name)), GetParam().bits);
}

INSTANTIATE_TEST_SUITE_P(
    Networks, LossyZoo,
    ::testing::Values(Network{"demo", 8}, Network{"pex_figure1", 16}, Network{"resnet8", 8},
                      Network{"res8", 8}, Network{"micronet_kws_l", 8},
                      Network{"mobilenet_v2:resolution=96,width=0.35,variant=downsampled", 16},
                      Network{"mobilenet_v2:resolution=96,width=0.35", 8},
                      Network{"mobilenet_v2:resolution=96,width=0.35,variant=downsampled", 8}),
    name_of);

class LossyModels : public ::testing::TestWithParam<Network> {};

TEST_P(LossyModels, EqualTheReference) {
  THIMBLE_NEEDS_SHARED();
  const Graph graph = import_tflite(testing::model_path(GetParam().name));
  expect_equal_to_the_reference(rewrite(integer_io(graph)), GetParam().bits);
}

INSTANTIATE_TEST_SUITE_P(Shared, LossyModels,
                         ::testing::Values(Network{"pretrainedResnet_quant", 8},
                                           Network{"tinyengine_vww", 8},
                                           Network{"mcunetv2_large", 16},
                                           Network{"mcunetv2_large", 8},
                                           Network{"mobilenet_v2", 8}),
                         name_of);

TEST(LossyPlans, MutantsAreCaught) {
  const Graph exact = rewrite(build_zoo("demo"));
  const PlannerChoice choice = choose_planner("pex:accumulators=8");
  const auto planned = std::get<Planned>(choice.planner->plan(exact, {}, choice.options));
  const Graph graph = with_accumulators(exact, planned.best().plan().accumulators);
  const Placement placement = place(graph, planned.schedule(), {});
  const int every = testing::workload().all_mutants ? 1 : 5;
  const testing::MutantCount count =
      testing::count_mutants(graph, planned.schedule(), placement, every);
  fmt::print("{} mutants, {} caught, {} harmless\n", count.made, count.caught, count.harmless);
  for (const std::string& missed : count.missed) ADD_FAILURE() << "not caught: " << missed;
  EXPECT_GT(count.caught, 50);
}

}  // namespace
}  // namespace thimble
