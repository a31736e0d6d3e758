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

TEST(Builder, TransposedConvolutionsReachAsFarAsTheirPadsSay) {
  Builder net("n", 1);
  const TensorId x = net.input({1, 5, 6, 3});
  using Layer = TransposeConvLayer;
  const TensorId same = net.transpose_conv(x, Layer{.channels = 4, .kernel = 3});
  EXPECT_EQ(net.shape(same), (Shape{1, 10, 12, 4}));
  const auto valid = [&](Size2D kernel, Size2D stride) {
    return net.shape(
        net.transpose_conv(x, Layer{.kernel = kernel, .stride = stride, .pads = Pads::kValid}));
  };
  EXPECT_EQ(valid(3, 2), (Shape{1, 11, 13, 1}));
  EXPECT_EQ(valid(2, {2, 3}), (Shape{1, 10, 18, 1}));
  // One more than fits stands behind; what stands there makes no difference to the operator.
  const TensorId wide = net.transpose_conv(x, Layer{.kernel = 5});
  const Graph graph = net.finish({same, wide});
  EXPECT_EQ(std::get<TransposeConv>(graph.ops[0].attributes).window.padding, Padding{});
  EXPECT_EQ(std::get<TransposeConv>(graph.ops[3].attributes).window.padding,
            (Padding{.top = 1, .left = 1}));
}

TEST(Builder, SlopesOfEachElementBroadcast) {
  Builder net("n", 1);
  const TensorId x = net.input({1, 4, 6, 3});
  const TensorId zeros = net.zeros("alpha", {4, 6, 3});
  const TensorId y = net.prelu(net.prelu(x, zeros), zeros);
  const Graph graph = net.finish({net.prelu(y, net.vector("alpha", 3, 0.1, 0.3))});
  EXPECT_EQ(graph.ops[0].inputs[1], graph.ops[1].inputs[1]);
  const Tensor& alpha = graph.tensor(zeros);
  const auto zero = static_cast<uint8_t>(alpha.quantization.zero_points[0]);
  EXPECT_EQ(*alpha.data, Bytes(4 * 6 * 3, zero));
  EXPECT_EQ(graph.tensor(graph.outputs[0].tensor).shape, (Shape{1, 4, 6, 3}));
}

TEST(Builder, BilinearCentersAreThoseOfKerasOrTheCorners) {
  Builder net("n", 1);
  const TensorId x = net.input({1, 2, 3, 4});
  const TensorId centers = net.upsample_bilinear(x, {1, 4, 6, 1});
  const TensorId corners = net.upsample_bilinear(x, {1, 5, 7, 1}, true);
  const Graph graph = net.finish({centers, corners});
  EXPECT_EQ(graph.tensor(centers).shape, (Shape{1, 4, 6, 4}));
  EXPECT_EQ(graph.tensor(corners).shape, (Shape{1, 5, 7, 4}));
  EXPECT_EQ(graph.ops[0].attributes, Attributes(ResizeBilinear{.half_pixel_centers = true}));
  EXPECT_EQ(graph.ops[1].attributes, Attributes(ResizeBilinear{.align_corners = true}));
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
