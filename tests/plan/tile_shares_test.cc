// SPDX-License-Identifier: Apache-2.0
#include "thimble/plan/tile_shares.h"

#include <gmock/gmock.h>

#include "tests/support/test_graph.h"
#include "tests/support/workload.h"
#include "thimble/plan/build.h"
#include "thimble/plan/derive.h"
#include "thimble/plan/packed_forms.h"
#include "thimble/schedule/records.h"

namespace thimble {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;

// x 8x8x4 -> depthwise a -> conv 1x1 b -> depthwise y, in bands of 2 rows.
class TileShares : public ::testing::Test {
 protected:
  TileShares() {
    const TensorId a = g_.depthwise(g_.input({1, 8, 8, 4}), 3, 1);
    g_.output(g_.depthwise(g_.conv(a, 16, 1, 1), 3, 1));
    instances_ = instances_of(g_.graph(), {});
  }

  // The constants of y from storage, again in each tile, or before all of them.
  Plan plan(int depth) const {
    const AxisGraph axes(g_.graph());
    const OpId last = instances_.list[2].op;
    const KernelId kernel = chosen({}, axes.kernel_uses().uses_of(last, Method::kCompute)[0]);
    PackedForms forms(g_.graph());
    const RecordLayout layout = *forms.layout({last, kernel, 16});
    const Brought brought{.from = kFirstFurtherMemory,
                          .kernel = kernel,
                          .channels = 16,
                          .records = layout.count,
                          .record_bytes = layout.record_bytes,
                          .depth = depth};
    Group bands{.loop = {.paced = instances_.list[2].makes, .axis = kRowAxis, .step = 2},
                .members = {}};
    for (int32_t i = 0; i < 3; ++i) {
      InstanceCall call{.instance = {i}};
      if (i == 2) call.constants = brought;
      bands.members.push_back({call});
    }
    Plan result{.instances = instances_, .members = {{bands}}};
    result.memories.push_back({.name = "card",
                               .kind = MemoryKind::kBlockStorage,
                               .storage = BlockStorage{.write_bytes = 512}});
    return result;
  }

  testing::TestGraph g_{1};
  Instances instances_;
};

// b begins with the row that the first band of y needs beside its own; a with no more, as the conv
// has no border. What is last lags by a tile.
TEST_F(TileShares, AreUnevenWhereRowsStay) {
  const AxisGraph axes(g_.graph());
  const Plan planned = plan(1);
  const Dataflow flow(axes, planned.instances);
  const auto derived = derive(flow, std::get<Group>(planned.members[0].what), Regions::kAll);
  ASSERT_TRUE(derived);
  EXPECT_THAT(tile_shares(*derived, 1, {1, 8, 8, 16}),
              ElementsAre(DoubleEq(0.125), DoubleEq(0.25), DoubleEq(0.25), DoubleEq(0.25),
                          DoubleEq(0.125)));
  EXPECT_THAT(tile_shares(*derived, 2, {1, 8, 8, 16}),
              ElementsAre(0, DoubleEq(0.25), DoubleEq(0.25), DoubleEq(0.25), DoubleEq(0.25)));
  EXPECT_EQ(computing_tiles(*derived, derived->steps[1].region, {1, 8, 8, 16}, 1).loop, -1);
  const ComputingTiles last = computing_tiles(*derived, derived->steps[2].region, {1, 8, 8, 16}, 1);
  EXPECT_EQ(last.loop, 0);
  EXPECT_EQ(last.tiles, (Interval{1, 5}));
  EXPECT_EQ(computing_tiles(*derived, derived->steps[2].region, {1, 8, 8, 16}, 0).loop, -1);
  EXPECT_EQ(times_made(*derived, 1, {1, 8, 8, 16}), 1);
}

TEST_F(TileShares, ConstantsAreReadWhereTheirCallComputes) {
  const Plan before = plan(0), again = plan(1);
  for (const auto& [planned, times] : {std::pair(&before, 1), std::pair(&again, 4)}) {
    const Schedule schedule = build(g_.graph(), *planned);
    const Brought& brought = *calls(planned->members)[2].constants;
    EXPECT_EQ(moved_records(schedule).constants, times * brought.records * brought.record_bytes);
    EXPECT_EQ(testing::fault_of(g_.graph(), schedule), "");
  }
}

TEST(WaitBeside, IsWhatGoesBeyondEachTile) {
  // 60 in each of the two tiles that compute anything.
  EXPECT_DOUBLE_EQ(wait_beside({0, 0.5, 0.5}, 100, 120), 20);
  EXPECT_DOUBLE_EQ(wait_beside({0, 0.25, 0.75}, 100, 120), 35);
  EXPECT_DOUBLE_EQ(wait_beside({0.5, 0.5}, 100, 80), 0);
  EXPECT_DOUBLE_EQ(wait_beside({0, 0}, 100, 80), 0);
}

}  // namespace
}  // namespace thimble
