// SPDX-License-Identifier: Apache-2.0
// Sweeps found in one pass from their end, against what their groups are derived to.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/random_network.h"
#include "tests/support/test_graph.h"
#include "thimble/moves/sweeps.h"
#include "thimble/operators/operators.h"
#include "thimble/plan/order_problem.h"

namespace thimble {
namespace {

/// A network in the order of its instances, and the sweeps in it.
struct Swept {
  Graph graph;
  AxisGraph axes{graph};
  Instances instances;
  Dataflow flow{axes, instances};
  OrderProblem problem{order_problem(graph, instances, false)};
  std::vector<int> order{original_order(problem).ops};
  OrderBytes bytes{problem, order};
  Core core{.name = "cortex-m4"};  // no scratch but that of portable kernels
  LatencyModel model{*latency_model("cortex-m4")};
  LatencyEstimate latency{flow, core, model};

  explicit Swept(Graph of, const PortPlaces& ports = {})
      : graph(std::move(of)), instances(instances_of(graph, ports)) {}

  [[nodiscard]] std::vector<Sweep> sweeps(int end, const SweepTile& tile,
                                          const SweepOptions& options) {
    const std::vector<int64_t> incumbents(order.size(), int64_t{1} << 40);
    return Sweeps(flow, bytes, order, latency, options).ending_at(end, {tile}, incumbents);
  }
  [[nodiscard]] GroupCandidate candidate(const Sweep& sweep) {
    return Sweeps(flow, bytes, order, latency, {}).candidate(sweep);
  }
};

/// x > conv 3x3/2 > a > depthwise > b > expand > c > depthwise/2 > d > project > e; all 3x3
Graph bottleneck() {
  testing::TestGraph g(1);
  const TensorId x = g.input({1, 32, 32, 3});
  const TensorId a = g.conv(x, 8, 3, 2);
  const TensorId b = g.depthwise(a, 3, 1);
  const TensorId c = g.conv(b, 24, 1, 1);
  const TensorId d = g.depthwise(c, 3, 2);
  g.output(g.conv(d, 8, 1, 1));
  return g.graph();
}

struct Looked {
  int sweeps = 0, exact = 0, near = 0, macs_near = 0;
};
/// All sweeps of the network, each of which must have a derivation.
Looked look_at(Swept& net, bool turned = false) {
  int count = 0, exact = 0, near = 0, macs_near = 0;
  for (int end = 2; end <= static_cast<int>(net.order.size()); ++end) {
    for (const auto& [rows, period_tiles] :
         std::vector<std::pair<int, int>>{{1, 1}, {2, 1}, {3, 1}, {1, 2}}) {
      for (const int64_t columns : {int64_t{0}, int64_t{2}, SweepTile::kAll}) {
        const SweepTile tile{
            .rows = rows, .columns = columns, .period_tiles = period_tiles, .turned = turned};
        if (turned && period_tiles > 1) continue;
        for (const Sweep& sweep : net.sweeps(end, tile, {.in_place = false, .most_labels = 8})) {
          const auto derived = derive(net.flow, net.candidate(sweep).group);
          if (!derived) {
            ADD_FAILURE() << "no derivation: " << sweep.begin << " to " << end << ", " << rows
                          << " x " << columns << " among " << period_tiles;
            continue;
          }
          const int64_t bytes = net.bytes.group(sweep.begin, group_bytes(net.flow, *derived));
          // Borders are cut off, which the pass does not look at: much of tiny images.
          const double error = static_cast<double>(sweep.bytes) / static_cast<double>(bytes) - 1;
          near += std::abs(error) <= 0.1 ? 1 : 0;
          exact += error == 0 ? 1 : 0;
          const auto executed = static_cast<double>(work(net.flow, *derived).macs);
          // What is computed again where readers rest for the last time is counted, too.
          const double most = period_tiles == 1 ? 0.1 : 0.15;
          if (std::abs(static_cast<double>(sweep.macs) - executed) <= most * executed) ++macs_near;
          ++count;
        }
      }
    }
  }
  return {count, exact, near, macs_near};
}

TEST(Sweeps, NeedWhatTheirGroupsAreDerivedTo) {
  Swept net(bottleneck());
  const Looked looked = look_at(net);
  EXPECT_GT(looked.sweeps, 50);
  EXPECT_EQ(looked.near, looked.sweeps);
  EXPECT_EQ(looked.macs_near, looked.sweeps);
  EXPECT_GT(2 * looked.exact, looked.sweeps);
}

TEST(Sweeps, NeedWhatTheirGroupsAreDerivedToWithRowsReceived) {
  Swept net(bottleneck(), {.input = Place::kStreamed});
  const Looked looked = look_at(net);
  EXPECT_GT(looked.sweeps, 50);
  EXPECT_EQ(looked.near, looked.sweeps);
  EXPECT_EQ(looked.macs_near, looked.sweeps);
}

TEST(Sweeps, NeedWhatTheirGroupsAreDerivedToWithColumnsOutside) {
  Swept net(bottleneck());
  const Looked looked = look_at(net, true);
  EXPECT_GT(looked.sweeps, 50);
  EXPECT_EQ(looked.near, looked.sweeps);
  EXPECT_EQ(looked.macs_near, looked.sweeps);
  EXPECT_GT(2 * looked.exact, looked.sweeps);
}

TEST(Sweeps, OfRandomNetworksNeedWhatTheirGroupsAreDerivedTo) {
  Looked all;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    Swept net(testing::random_chain(seed));
    const Looked looked = look_at(net);
    all.sweeps += looked.sweeps;
    all.near += looked.near;
    all.macs_near += looked.macs_near;
  }
  EXPECT_GT(all.sweeps, 500);
  EXPECT_GT(all.near, all.sweeps * 3 / 4);
  EXPECT_GT(all.macs_near, all.sweeps * 3 / 4);
}

// d is read row by row: of c, 24 channels, rows 2 r .. 2 r + 2; of b, 8 channels, the same. To make
// c again, b's last row stays: one row of b instead of one of c.
TEST(Sweeps, KeepNarrowValuesAndComputeWideOnesAgain) {
  Swept net(bottleneck());
  const std::vector<Sweep> found = net.sweeps(5, {.rows = 1, .columns = 0}, {.in_place = false});
  const auto of = [&](const std::vector<ValueId>& recomputed) {
    const auto sweep = std::ranges::find_if(
        found, [&](const Sweep& s) { return s.begin == 2 && s.recomputed == recomputed; });
    return sweep == found.end() ? int64_t{-1} : sweep->bytes;
  };
  const ValueId c = net.instances.list[2].makes;
  const int64_t whole = 16 * 16 * 8 + 8 * 8 * 8;  // b and the output
  // c: a kept row of 16 pixels and 3 x 3 of them, or these alone; d: one pixel.
  EXPECT_EQ(of({}), whole + (16 + 9) * 24 + 24);
  EXPECT_EQ(of({c}), whole + 9 * 24 + 24);
}

int64_t fewest_bytes(Swept& net, int begin, int end, bool turned) {
  int64_t fewest = INT64_MAX;
  for (const int64_t rows : {1, 2}) {
    const SweepTile tile{.rows = rows, .columns = 0, .turned = turned};
    for (const Sweep& sweep : net.sweeps(end, tile, {.in_place = false, .recomputes = false})) {
      if (sweep.begin == begin) fewest = std::min(fewest, sweep.bytes);
    }
  }
  return fewest;
}

// In an image of 80 rows and 120 columns what is kept is a third less, windows are the same.
TEST(Sweeps, OfWideImagesKeepColumns) {
  testing::TestGraph g(1);
  const TensorId x = g.input({1, 80, 120, 3});
  const TensorId a = g.conv(x, 8, 3, 1);
  const TensorId b = g.conv(a, 16, 3, 2);
  g.output(g.conv(b, 8, 3, 2));
  Swept net(g.graph());
  const int64_t whole = 80 * 120 * 3 + 20 * 30 * 8;  // input and output
  const int64_t rows = fewest_bytes(net, 0, 3, false) - whole;
  const int64_t columns = fewest_bytes(net, 0, 3, true) - whole;
  EXPECT_GT(rows, 0);
  EXPECT_LE(static_cast<double>(columns), 0.71 * static_cast<double>(rows));
}

TEST(Sweeps, ComputeNothingAgainUnlessTheyMay) {
  Swept net(bottleneck());
  for (const Sweep& sweep : net.sweeps(5, {.rows = 1, .columns = 0}, {.recomputes = false})) {
    int64_t once = 0;
    for (int p = sweep.begin; p < sweep.end; ++p)
      once += macs(net.graph, net.graph.op(net.instances.list[static_cast<size_t>(p)].op));
    EXPECT_EQ(sweep.macs, once);
  }
}

TEST(Sweeps, EndWhereRowsAreAddedUp) {
  testing::TestGraph g(1);
  const TensorId x = g.input({1, 16, 16, 4});
  const TensorId a = g.conv(x, 32, 1, 1);
  const TensorId b = g.depthwise(a, 3, 1);
  g.output(g.mean(b));
  Swept net(g.graph());
  const std::vector<Sweep> found = net.sweeps(3, {.rows = 1, .columns = 0}, {.in_place = false});
  ASSERT_FALSE(found.empty());
  const GroupCandidate piece = net.candidate(found.front());
  ASSERT_EQ(piece.finalised.size(), 1U);
  EXPECT_EQ(piece.finalised[0].method, Method::kFinalise);
  EXPECT_TRUE(derive(net.flow, piece.group).has_value());
}

}  // namespace
}  // namespace thimble
