// SPDX-License-Identifier: Apache-2.0
// The access map of each operator, literally; what it means is tested in tests/regions.
#include <gtest/gtest.h>

#include "tests/support/operators/claims.h"
#include "tests/support/operators/spoil.h"
#include "thimble/operators/operators.h"

namespace thimble::testing {
namespace {

AccessMap map_of(const Graph& graph) { return access_map(graph, graph.ops[0]); }
AccessMap map_of(const std::string& kind) { return map_of(literal_op(kind)); }

InputMap axes(std::vector<AxisMap> maps) { return {.axes = std::move(maps)}; }

TEST(AccessMapOf, Conv2D) {
  const Affine y{.out_axis = 1, .lo = -1, .hi = 1};
  const Affine x{.out_axis = 2, .lo = 0, .hi = 2};
  EXPECT_EQ(map_of("conv_2d"),
            (AccessMap{axes({Affine{0}, y, x, Reduced{}}),
                       axes({Affine{3}, Broadcast{}, Broadcast{}, Reduced{}}), axes({Affine{3}})}));
}

TEST(AccessMapOf, DilatedConv2DWithStride) {
  Graph graph = literal_op("conv_2d");
  Window& w = std::get<Conv2D>(graph.ops[0].attributes).window;
  w = {.kernel_h = 3, .kernel_w = 3, .stride_h = 2, .dilation_h = 4, .padding = {.top = 3}};
  EXPECT_EQ(map_of(graph).at(0).axes.at(1), AxisMap(Affine{1, 2, 1, -3, 5}));
}

TEST(AccessMapOf, GroupedConv2D) {
  Graph graph = literal_op("conv_2d");
  set_shape(graph, 1, {6, 3, 3, 2});  // two groups of 2 input and 3 output channels
  const AccessMap map = map_of(graph);
  EXPECT_EQ(map.at(0).axes.at(3), AxisMap(Grouped{3, 3, 2}));
  EXPECT_EQ(map.at(1).axes.at(3), AxisMap(Broadcast{}));
}

TEST(AccessMapOf, DepthwiseConv2DWithMultiplier) {
  const Affine y{.out_axis = 1, .num = 2, .lo = 0, .hi = 2};
  const Affine x{.out_axis = 2, .num = 2, .lo = 0, .hi = 2};
  EXPECT_EQ(
      map_of("depthwise_conv_2d"),
      (AccessMap{axes({Affine{0}, y, x, Affine{3, 1, 3, 0, 0}}),
                 axes({Broadcast{}, Broadcast{}, Broadcast{}, Affine{3}}), axes({Affine{3}})}));
}

TEST(AccessMapOf, FullyConnectedByRows) {
  EXPECT_EQ(map_of("fully_connected"),
            (AccessMap{axes({Affine{0}, Affine{1}, Reduced{}}), axes({Affine{2}, Reduced{}}),
                       axes({Affine{2}})}));
}

TEST(AccessMapOf, FullyConnectedOfOneRowReducesEverything) {
  Graph graph = literal_op("fully_connected");
  set_shape(graph, 1, {5, 24});
  set_shape(graph, 3, {1, 5});
  EXPECT_EQ(map_of(graph).at(0), axes({Reduced{}, Reduced{}, Reduced{}}));
}

TEST(AccessMapOf, FullyConnectedSkipsExtentsOfOne) {
  Graph graph = literal_op("fully_connected");
  set_shape(graph, 0, {1, 6, 4});
  set_shape(graph, 3, {6, 5});
  EXPECT_EQ(map_of(graph).at(0), axes({Broadcast{}, Affine{0}, Reduced{}}));
}

TEST(AccessMapOf, FullyConnectedOfMergedRowsNeedsThemAll) {
  Graph graph = literal_op("fully_connected");
  set_shape(graph, 3, {6, 5});
  EXPECT_EQ(map_of(graph).at(0), axes({Whole{}, Whole{}, Reduced{}}));
}

TEST(AccessMapOf, BatchMatMul) {
  EXPECT_EQ(map_of("batch_matmul"),
            (AccessMap{axes({Affine{0}, Affine{1}, Reduced{}}), axes({Affine{2}, Reduced{}})}));
}

TEST(AccessMapOf, BatchMatMulOfAnAdjointAndOfOneBatch) {
  Graph graph = literal_op("batch_matmul");
  set_shape(graph, 0, {1, 4, 3});
  set_shape(graph, 1, {2, 4, 5});
  std::get<BatchMatMul>(graph.ops[0].attributes) = {.adjoint_x = true, .adjoint_y = false};
  EXPECT_EQ(map_of(graph), (AccessMap{axes({Broadcast{}, Reduced{}, Affine{1}}),
                                      axes({Affine{0}, Reduced{}, Affine{2}})}));
}

TEST(AccessMapOf, Pools) {
  const InputMap expected =
      axes({Affine{0}, Affine{1, 2, 1, 0, 1}, Affine{2, 2, 1, 0, 1}, Affine{3}});
  EXPECT_EQ(map_of("average_pool_2d"), AccessMap{expected});
  EXPECT_EQ(map_of("max_pool_2d"), AccessMap{expected});
}

TEST(AccessMapOf, MeanThatDropsAxes) {
  EXPECT_EQ(map_of("mean"), AccessMap{axes({Affine{0}, Reduced{}, Reduced{}, Affine{1}})});
}

TEST(AccessMapOf, MeanThatKeepsAxes) {
  Graph graph = literal_op("mean");
  set_shape(graph, 1, {1, 1, 1, 3});
  EXPECT_EQ(map_of(graph), AccessMap{axes({Affine{0}, Reduced{}, Reduced{}, Affine{3}})});
}

TEST(AccessMapOf, BroadcastAlignsAtTheLastAxis) {
  const InputMap full = axes({Affine{0}, Affine{1}, Affine{2}});
  EXPECT_EQ(map_of("add"), (AccessMap{full, axes({Affine{2}})}));
  Graph graph = literal_op("mul");
  set_shape(graph, 1, {3, 1});
  EXPECT_EQ(map_of(graph), (AccessMap{full, axes({Affine{1}, Broadcast{}})}));
}

TEST(AccessMapOf, PadShiftsByWhatIsBefore) {
  EXPECT_EQ(map_of("pad"), AccessMap{axes({Affine{0, 1, 1, -1, -1}, Affine{1}})});
}

TEST(AccessMapOf, ReshapeIsLinear) {
  EXPECT_EQ(map_of("reshape"), (AccessMap{{.axes = {}, .linear = true}}));
}

TEST(AccessMapOf, TransposeNamesTheOutputsAxis) {
  EXPECT_EQ(map_of("transpose"), AccessMap{axes({Affine{1}, Affine{2}, Affine{0}})});
}

TEST(AccessMapOf, SoftmaxNeedsItsAxisWhole) {
  EXPECT_EQ(map_of("softmax"), AccessMap{axes({Affine{0}, Affine{1}, Whole{}})});
}

TEST(AccessMapOf, ElementwiseIsTheIdentity) {
  for (const char* kind : {"relu", "relu6", "logistic", "quantize", "dequantize"}) {
    EXPECT_EQ(map_of(kind), AccessMap{axes({Affine{0}, Affine{1}, Affine{2}})}) << kind;
  }
}

TEST(AccessMapOf, SliceStridesAndNamesTheIndexOfADroppedAxis) {
  EXPECT_EQ(map_of("slice"),
            AccessMap{axes({Point{1}, Affine{.out_axis = 0, .num = 2, .lo = 3, .hi = 3},
                            Affine{.out_axis = 1, .num = -1, .lo = 3, .hi = 3}})});
}

Graph resized(Attributes attributes, int64_t in, int64_t out) {
  Graph graph = literal_op("resize_nearest_neighbor");
  set_shape(graph, 0, {1, in, in, 4});
  set_shape(graph, 1, {1, out, out, 4});
  graph.ops[0].attributes = std::move(attributes);
  return graph;
}

AxisMap rows_of(const Graph& graph) { return map_of(graph).at(0).axes.at(1); }

TEST(AccessMapOf, NearestUpsamplingRepeatsRows) {
  EXPECT_EQ(map_of("resize_nearest_neighbor"),
            AccessMap{axes({Affine{0}, Affine{1, 1, 2, 0, 0}, Affine{2, 1, 2, 0, 0}, Affine{3}})});
  EXPECT_EQ(rows_of(resized(ResizeNearestNeighbor{}, 8, 24)), AxisMap(Affine{1, 1, 3, 0, 0}));
  EXPECT_EQ(rows_of(resized(ResizeNearestNeighbor{}, 24, 8)), AxisMap(Affine{1, 3, 1, 0, 0}));
}

TEST(AccessMapOf, BilinearUpsamplingReadsTheNeighbour) {
  const AxisMap half_pixel = Affine{1, 1, 2, -1, 1};
  EXPECT_EQ(map_of("resize_bilinear").at(0).axes.at(1), half_pixel);
  EXPECT_EQ(rows_of(resized(ResizeBilinear{}, 8, 16)), AxisMap(Affine{1, 1, 2, 0, 1}));
}

// Row 2 i of 97 is row i of 49, as if 49 were what a stride of 2 leaves of 97.
TEST(AccessMapOf, ResizeOfOddSizesKeepsThePaceOfTheStride) {
  EXPECT_EQ(rows_of(resized(ResizeBilinear{.align_corners = true}, 49, 97)),
            AxisMap(Affine{1, 1, 2, 0, 1}));
  EXPECT_EQ(rows_of(resized(ResizeNearestNeighbor{}, 97, 49)), AxisMap(Affine{1, 2, 1, -1, 0}));
}

// Aligned corners: floor((r + 1) / 3) at the top, floor((r - 1) / 3) at the bottom.
TEST(AccessMapOf, AlignedCornersCostOneRowAtMost) {
  EXPECT_EQ(rows_of(resized(ResizeNearestNeighbor{.align_corners = true}, 8, 24)),
            AxisMap(Affine{1, 1, 3, -1, 1}));
}

// The rounding of float32 makes row 41 of 82 a copy of row 0: no one line through all rows.
TEST(AccessMapOf, NearestFollowsTheRoundingOfItsScale) {
  EXPECT_EQ(rows_of(resized(ResizeNearestNeighbor{}, 2, 82)), AxisMap(Affine{1, 1, 41, -1, 0}));
}

TEST(AccessMapOf, ConcatenationShiftsByWhatStandsBefore) {
  EXPECT_EQ(map_of("concatenation"),
            (AccessMap{axes({Affine{0}, Affine{1}}), axes({Affine{0}, Affine{1, 1, 1, -3, -3}})}));
}

}  // namespace
}  // namespace thimble::testing
