// SPDX-License-Identifier: Apache-2.0
// The layers of the builder have the shapes and attributes that their callers expect.
#include "zoo/builder.h"

#include <gtest/gtest.h>

#include "thimble/model/error.h"

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
  const Graph graph = net.finish({net.softmax(net.fully_connected(x, 3))});
  EXPECT_EQ(graph.ops.size(), 10U);
  EXPECT_EQ(graph.tensors.back().shape, (Shape{1, 3}));
}

TEST(Builder, RefusesConcatOfDifferentScales) {
  Builder net("n", 1);
  const TensorId x = net.input({1, 4, 4, 2});
  const TensorId clamped = net.conv(x, {.channels = 2});
  const TensorId y = net.concat({x, clamped}, 3);
  EXPECT_THROW(static_cast<void>(net.finish({y})), InternalError);
}

}  // namespace
}  // namespace thimble::zoo
