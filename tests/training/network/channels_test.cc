// SPDX-License-Identifier: Apache-2.0
#include "training/network/channels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "thimble/operators/operators.h"
#include "thimble/reference/interpreter.h"
#include "zoo/random.h"
#include "zoo/zoo.h"

namespace thimble::training {
namespace {

std::vector<float> floats_of(const Bytes& bytes) {
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

Bytes bytes_of(const std::vector<float>& values) {
  Bytes bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

/// Constants by chance, of a size at which activations neither grow nor vanish.
Graph with_weights(Graph graph, zoo::Random& random) {
  for (Tensor& tensor : graph.tensors) {
    if (!tensor.is_constant() || tensor.type != DType::kFloat32) continue;
    const auto count = static_cast<double>(elements(tensor.shape));
    const double fan = tensor.shape.size() < 2 ? 100 : count / static_cast<double>(tensor.shape[0]);
    std::vector<float> values(static_cast<size_t>(count));
    for (float& v : values) v = static_cast<float>((2 * random.unit() - 1) * std::sqrt(6 / fan));
    tensor.data = std::make_shared<const Bytes>(bytes_of(values));
  }
  return graph;
}

Kept some_kept(const Channels& channels, zoo::Random& random) {
  Kept kept;
  for (size_t g = 0; g < channels.groups(); ++g) {
    std::vector<bool>& open = kept.emplace_back();
    for (int64_t c = 0; c < channels.count(g); ++c) open.push_back(random.chance(0.6));
    open[0] = true;
  }
  return kept;
}

/// All weights of and for closed channels are 0.
Graph zeroed(Graph graph, const Channels& channels, const Kept& kept) {
  const Graph before = graph;
  for (size_t t = 0; t < graph.tensors.size(); ++t) {
    Tensor& tensor = graph.tensors[t];
    if (!tensor.is_constant() || tensor.type != DType::kFloat32) continue;
    const auto axes = channels.axes_of(TensorId{static_cast<int32_t>(t)});
    std::vector<float> values = floats_of(*tensor.data);
    for (size_t k = 0; k < values.size(); ++k) {
      auto rest = static_cast<int64_t>(k);
      for (size_t axis = tensor.shape.size(); axis-- > 0;) {
        const auto index = static_cast<size_t>(rest % tensor.shape[axis]);
        rest /= tensor.shape[axis];
        if (axis >= axes.size() || axes[axis].empty()) continue;
        const ChannelOf& of = axes[axis][index];
        if (of.group >= 0 && !kept[static_cast<size_t>(of.group)][static_cast<size_t>(of.channel)])
          values[k] = 0;
      }
    }
    tensor.data = std::make_shared<const Bytes>(bytes_of(values));
  }
  return graph;
}

std::vector<float> outputs_of(const Graph& graph, const Bytes& input) {
  return floats_of(interpret(graph, {input})[graph.outputs[0].tensor.index()]);
}

class SmallerNetworks : public ::testing::TestWithParam<const char*> {};

TEST_P(SmallerNetworks, ComputeWhatZeroedOnesDo) {
  zoo::Random random(7);
  const Graph graph = with_weights(build_zoo_float(GetParam()), random);
  const Channels channels(graph);
  ASSERT_GT(channels.groups(), 3U);
  const Kept kept = some_kept(channels, random);
  const Graph smaller = without_channels(graph, channels, kept);
  EXPECT_LT(macs(smaller), macs(graph));
  std::vector<float> input(
      static_cast<size_t>(elements(graph.tensor(graph.inputs[0].tensor).shape)));
  for (float& v : input) v = static_cast<float>(2 * random.unit() - 1);
  const std::vector<float> expected = outputs_of(zeroed(graph, channels, kept), bytes_of(input));
  const std::vector<float> actual = outputs_of(smaller, bytes_of(input));
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t k = 0; k < actual.size(); ++k) EXPECT_NEAR(actual[k], expected[k], 1e-4) << k;
}

INSTANTIATE_TEST_SUITE_P(Zoo, SmallerNetworks,
                         ::testing::Values("resnet8", "ds_cnn_s:classes=10", "res15:classes=10",
                                           "mobilenet_v2:resolution=32,width=0.35,classes=10"));

TEST(Channels, OfAResidualStageAreOneGroup) {
  const Graph graph = build_zoo_float("resnet8");
  const Channels channels(graph);
  // Three stages, and the convolution within each block.
  EXPECT_EQ(channels.groups(), 6U);
  std::vector<int64_t> counts;
  for (size_t g = 0; g < channels.groups(); ++g) counts.push_back(channels.count(g));
  std::ranges::sort(counts);
  EXPECT_EQ(counts, (std::vector<int64_t>{16, 16, 32, 32, 64, 64}));
  const Tensor& output = graph.tensor(graph.outputs[0].tensor);
  for (const ChannelOf& of : channels.of(graph.outputs[0].tensor)) EXPECT_EQ(of.group, -1);
  EXPECT_EQ(output.shape.back(), 10);
}

}  // namespace
}  // namespace thimble::training
