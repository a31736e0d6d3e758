// SPDX-License-Identifier: Apache-2.0
// The layers of the builder have the shapes and attributes that their callers expect.
#include "zoo/builder.h"

#include <gtest/gtest.h>

namespace thimble::zoo {
namespace {

TEST(Builder, SamePaddingKeepsExtentOverStride) {
  Builder net("n", 1);
  const TensorId x = net.input({1, 7, 8, 3});
  EXPECT_EQ(net.shape(net.conv(x, {.channels = 5, .kernel = 3, .stride = 2})), (Shape{1, 4, 4, 5}));
  EXPECT_EQ(net.shape(net.depthwise(x, {.kernel = 5, .stride = 3, .multiplier = 2})),
            (Shape{1, 3, 3, 6}));
}

TEST(Builder, ValidPaddingDropsTheEdge) {
  Builder net("n", 1);
  const TensorId x = net.input({1, 7, 8, 3});
  EXPECT_EQ(net.shape(net.max_pool(x, {})), (Shape{1, 3, 4, 3}));
  EXPECT_EQ(net.shape(net.conv(x, {.channels = 2, .kernel = 3, .pads = Pads::kValid})),
            (Shape{1, 5, 6, 2}));
}

TEST(Builder, BuildsEveryLayer) {
  Builder net("n", 1);
  TensorId x = net.conv(net.input({1, 8, 8, 3}), {.channels = 4, .kernel = 3});
  x = net.concat({net.average_pool(x, {}), net.max_pool(x, {})}, 3);
  x = net.add(x, net.mul(x, x));
  x = net.reshape(net.mean(x), {1, 1, 1, 8});
  const Graph graph = net.finish({net.softmax(net.fully_connected(x, {.channels = 3}))});
  EXPECT_EQ(graph.ops.size(), 10U);
  EXPECT_EQ(graph.tensors.back().shape, (Shape{1, 3}));
}

TEST(Builder, NamesLayersByScope) {
  Builder net("n", 1);
  TensorId x = net.input({1, 4, 4, 2});
  net.scope("stage");
  x = net.conv(net.conv(x, {.channels = 3}), {.channels = 4});
  net.scope("");
  x = net.relu(x);
  const Graph graph = net.finish({x});
  EXPECT_EQ(graph.tensor(graph.ops[0].outputs[0]).name, "stage/conv_2d");
  EXPECT_EQ(graph.tensor(graph.ops[1].outputs[0]).name, "stage/conv_2d_1");
  EXPECT_EQ(graph.tensor(graph.ops[1].inputs[1]).name, "stage/conv_2d_1/weights");
  EXPECT_EQ(graph.tensor(graph.ops[2].outputs[0]).name, "relu");
}

}  // namespace
}  // namespace thimble::zoo
