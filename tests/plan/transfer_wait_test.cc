// SPDX-License-Identifier: Apache-2.0
#include "thimble/plan/transfer_wait.h"

#include <gtest/gtest.h>

#include "tests/support/test_graph.h"
#include "thimble/moves/spill.h"
#include "thimble/plan/order_plan.h"
#include "thimble/plan/order_problem.h"
#include "thimble/planners/planner.h"

namespace thimble {
namespace {

// x 8x8x4 -> conv a 8x8x16
// -> depthwise b;  a, spilled, + b -> y. 1,024 B of a in 8 records.
class TransferWait : public ::testing::Test {
 protected:
  TransferWait() {
    const TensorId a = g_.conv(g_.input({1, 8, 8, 4}), 16, 3, 1);
    g_.output(g_.add(a, g_.depthwise(a, 3, 1)));
    instances_ = spill(instances_of(g_.graph(), {}),
                       {{.value = {a.value}, .fetched_for = {{{2}}}, .axis_order = {}}},
                       kFirstFurtherMemory);
  }

  // Instances: 0 conv, 1 depthwise, 2 store, 3 fetch, 4 add. in_group: these last two by rows.
  // beside: TileLoop::transfers_beside.
  double wait(const TransferCycles& cycles, const BlockStorage& blocks, bool in_group,
              bool beside = true) const {
    const AxisGraph axes(g_.graph());
    const Dataflow flow(axes, instances_);
    const OrderProblem problem = order_problem(g_.graph(), instances_, false);
    std::vector<OrderPiece> pieces;
    if (in_group) {
      const ValueId y = instances_.list[4].makes;
      pieces.push_back({3,
                        5,
                        {{Group{.loop = {.paced = y, .axis = kRowAxis, .transfers_beside = beside},
                                .members = {{InstanceCall{.instance = {3}}},
                                            {InstanceCall{.instance = {4}}}}}}}});
    }
    Plan plan = order_plan(flow, problem, original_order(problem).ops, {.in_place = false},
                           std::move(pieces));
    plan.memories.push_back({.name = "card", .kind = MemoryKind::kBlockStorage, .storage = blocks});
    const LatencyModel model = latency_model_for(core_of_estimates());
    LatencyEstimate latency(flow, core_of_estimates(), model);
    return transfer_wait(latency, flow, plan, cycles);
  }

  testing::TestGraph g_{1};
  Instances instances_;
};

constexpr BlockStorage kTwoAtATime{.write_bytes = 128, .erase_bytes = 1024, .most_in_flight = 2};
constexpr BlockStorage kOneAtATime{.write_bytes = 128, .erase_bytes = 1024, .most_in_flight = 1};

TEST_F(TransferWait, OfWholeValuesIsAllThatTheyTake) {
  const TransferCycles cycles{.access = 100, .read_byte = 2, .write_byte = 3, .erase_block = 5000};
  EXPECT_DOUBLE_EQ(wait(cycles, kTwoAtATime, false), 5000 + 100 + 3 * 1024 + 100 + 2 * 1024);
}

TEST_F(TransferWait, OfRowsIsWhatGoesBeyondTheirGroup) {
  // Cycles of the fetch; the sum of 1,024 elements takes more than so little, and less than so
  // much. The store, whole, is its access alone.
  const TransferCycles quick{.read_byte = 0.01}, slow{.access = 1, .read_byte = 1000};
  EXPECT_EQ(wait(quick, kTwoAtATime, true), 0);
  const double all = 1 + 8 * 1 + 1000 * 1024;
  EXPECT_LT(wait(slow, kTwoAtATime, true), all);
  EXPECT_GT(wait(slow, kTwoAtATime, true), all / 2);
  EXPECT_DOUBLE_EQ(wait(slow, kTwoAtATime, true, false), all);
  EXPECT_DOUBLE_EQ(wait(slow, kOneAtATime, true), all);
  TransferCycles stalls = slow;
  stalls.beside = false;
  EXPECT_DOUBLE_EQ(wait(stalls, kTwoAtATime, true), all);
}

// x -> conv -> depthwise, whose constants come: all of them, or the conv's cycles, are not waited
// for where they are read while it computes.
TEST_F(TransferWait, OfConstantsReadEarlyIsWhatGoesBeyondWhatIsInFront) {
  testing::TestGraph g{1};
  g.output(g.depthwise(g.conv(g.input({1, 8, 8, 4}), 16, 3, 1), 3, 1));
  const AxisGraph axes(g.graph());
  const Instances instances = instances_of(g.graph(), {});
  const Dataflow flow(axes, instances);
  const LatencyModel model = latency_model_for(core_of_estimates());
  LatencyEstimate latency(flow, core_of_estimates(), model);
  const auto wait = [&](double read_byte, bool early, const BlockStorage& blocks) {
    const Brought brought{.from = kFirstFurtherMemory,
                          .channels = 16,
                          .records = 1,
                          .record_bytes = 100,
                          .early = early};
    Plan plan{.instances = instances,
              .members = {{InstanceCall{.instance = {0}}},
                          {InstanceCall{.instance = {1}, .constants = brought}}}};
    plan.memories.push_back({.name = "card", .kind = MemoryKind::kBlockStorage, .storage = blocks});
    return transfer_wait(latency, flow, plan, {.read_byte = read_byte});
  };
  EXPECT_EQ(wait(1, false, kTwoAtATime), 100);
  EXPECT_EQ(wait(1, true, kTwoAtATime), 0);
  EXPECT_EQ(wait(1, true, kOneAtATime), 100);
  const double conv = latency.whole_times(InstanceCall{.instance = {0}}).back().instructions;
  EXPECT_GT(conv, 10'000);
  EXPECT_DOUBLE_EQ(wait(1e6, true, kTwoAtATime), 1e8 - conv);
}

}  // namespace
}  // namespace thimble
