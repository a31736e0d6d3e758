// SPDX-License-Identifier: Apache-2.0
#include "thimble/moves/cold_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/test_graph.h"
#include "thimble/moves/by_columns.h"
#include "thimble/moves/roll.h"
#include "thimble/moves/spill.h"
#include "thimble/plan/order_problem.h"

namespace thimble {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// x -> conv a -> conv x1 -> pool -> conv -> conv -> ... -> up;  x1, up -> concat -> conv y
//   op    0        1        2       3       4      ..  8 up        9           10
struct Encoder {
  testing::TestGraph g{1};
  TensorId x1;
  explicit Encoder(int64_t rows = 8, int64_t columns = 16) {
    TensorId t = g.conv(g.input({1, rows, columns, 3}), 4, 3, 1);
    x1 = t = g.conv(t, 4, 3, 1);
    t = g.max_pool(t, 2, 2);
    for (int k = 0; k < 5; ++k) t = g.conv(t, 4, 3, 1);
    const ResizeNearestNeighbor kind;
    t = g.resize(t, kind, rows, columns);
    t = g.add(x1, g.conv(t, 4, 1, 1));
    g.output(g.conv(t, 1, 1, 1));
  }
  [[nodiscard]] const Graph& graph() const { return g.graph(); }
};

std::vector<int> ops_of(const Instances& instances) {
  std::vector<int> ops;
  for (const Instance& instance : instances.list) ops.push_back(instance.op.value);
  return ops;
}

TEST(ColdValues, RestBetweenEncoderAndDecoder) {
  const Encoder e;
  const std::vector<ColdValue> found = cold_values(e.graph(), instances_of(e.graph(), {}));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].value, ValueId{e.x1.value});
  EXPECT_EQ(found[0].bytes, 8 * 16 * 4);
  EXPECT_THAT(found[0].later, ElementsAre(InstanceId{10}));
}

TEST(ColdValues, DoNotRestAcrossAResidualBlock) {
  const Graph graph = testing::residual_network();
  EXPECT_THAT(cold_values(graph, instances_of(graph, {})), IsEmpty());
}

TEST(ColdValues, AreComputedAgainOrSpilledOrKept) {
  const Encoder e;
  const Instances before = instances_of(e.graph(), {});
  const std::vector<ValueId> values = {{e.x1.value}};
  const auto resting = [&](Rest way) {
    return rest(e.graph(), before, values, std::vector{way}, {});
  };
  EXPECT_EQ(resting(Rest::kKept), before);
  EXPECT_THAT(ops_of(resting(Rest::kAgain)),
              ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 10, 11));
  const Instances spilled = resting(Rest::kSpilled);
  EXPECT_THAT(ops_of(spilled), ElementsAre(0, 1, 2, -1, 3, 4, 5, 6, 7, 8, 9, -1, 10, 11));
  EXPECT_TRUE(spilled.stores(spilled.list[3]));
  EXPECT_TRUE(spilled.fetches(spilled.list[11]));
  const note::Spilled note = thimble::spilled(e.graph(), spilled, "card");
  EXPECT_EQ(note, (note::Spilled{
                      .storage = "card", .tensors = 1, .written_bytes = 512, .read_bytes = 512}));
}

// Both loops around what is computed; the row of x1 goes to storage when it is made, and comes back
// whole rows at a time.
TEST(ColdValues, GoThroughGroupsRowByRowAndPixelByPixel) {
  const Encoder e;
  const AxisGraph axes(e.graph());
  const Instances spilled =
      rest(e.graph(), instances_of(e.graph(), {}), std::vector<ValueId>{{e.x1.value}},
           std::vector{Rest::kSpilled}, {});
  const Dataflow flow(axes, spilled);
  const OrderProblem problem = order_problem(e.graph(), spilled, true);
  const std::vector<int> order = original_order(problem).ops;
  const RolledGroups rolls(flow, problem, order, {});
  for (const Granularity granularity : {Granularity::kRow, Granularity::kPixel}) {
    const int all = static_cast<int>(order.size());
    const std::vector<GroupCandidate> groups = rolls.groups(0, all, granularity);
    ASSERT_FALSE(groups.empty());
    const std::optional<Derived> derived = derive(flow, groups[0].group);
    ASSERT_TRUE(derived);
    for (const Storage& storage : derived->storages) {
      if (flow.tensor(storage.value) == e.x1) {
        // Three rows for the pool and the store, or what is fetched for a tile.
        EXPECT_LE(storage.buffer.extents[kRowAxis], 3);
        EXPECT_EQ(storage.buffer.extents[kColumnAxis], 16);
      }
    }
  }
}

TEST(ByColumns, LaysWideImagesOutColumnByColumn) {
  const Encoder e;
  const Instances before = instances_of(e.graph(), {});
  const std::optional<Instances> after = by_columns(AxisGraph(e.graph()), before);
  ASSERT_TRUE(after);
  EXPECT_EQ(after->value({e.x1.value}).axis_order, kColumnsOutermost);
  EXPECT_EQ(after->inputs, before.inputs);
  EXPECT_EQ(after->outputs, before.outputs);
  EXPECT_TRUE(after->value(after->inputs[0]).axis_order.empty());
  EXPECT_TRUE(after->value(after->outputs[0]).axis_order.empty());
  const Instance &in = after->list.front(), &out = after->list.back();
  EXPECT_FALSE(in.op.valid());
  EXPECT_FALSE(out.op.valid());
  EXPECT_TRUE(relayouts_in_place(e.graph(), after->value(in.reads[0]), after->value(in.makes)));
  EXPECT_TRUE(relayouts_in_place(e.graph(), after->value(out.reads[0]), after->value(out.makes)));
}

TEST(ByColumns, LeavesHighImagesAndStreams) {
  const Encoder high(16, 8);
  EXPECT_FALSE(by_columns(AxisGraph(high.graph()), instances_of(high.graph(), {})));
  const Encoder wide;
  const PortPlaces streamed{.input = Place::kStreamed, .output = Place::kResident};
  EXPECT_FALSE(by_columns(AxisGraph(wide.graph()), instances_of(wide.graph(), streamed)));
}

}  // namespace
}  // namespace thimble
