// SPDX-License-Identifier: Apache-2.0
// The networks of msf-CNN are those that its figures were measured on.
#include <gtest/gtest.h>

#include <vector>

#include "tests/support/golden.h"
#include "tests/support/shared.h"
#include "thimble/import/tflite.h"
#include "thimble/operators/operators.h"
#include "thimble/rewrites/rewrites.h"
#include "zoo/zoo.h"

namespace thimble {
namespace {

struct MsfNetwork {
  const char* name;
  int64_t macs;
  Shape input, output;
};
void PrintTo(const MsfNetwork& network, std::ostream* out) { *out << network.name; }

class MsfCnn : public ::testing::TestWithParam<MsfNetwork> {};

TEST_P(MsfCnn, HasThePublishedMacsAndShapes) {
  const Graph graph = build_zoo(GetParam().name);
  EXPECT_EQ(macs(graph), GetParam().macs);
  EXPECT_EQ(graph.tensor(graph.inputs.at(0).tensor).shape, GetParam().input);
  EXPECT_EQ(graph.tensor(graph.outputs.at(0).tensor).shape, GetParam().output);
}

TEST_P(MsfCnn, IsAChainOfConvolutions) {
  const Graph graph = rewrite(build_zoo(GetParam().name));
  TensorId before = graph.inputs.at(0).tensor;
  for (const Op& op : graph.ops) {
    EXPECT_TRUE(std::holds_alternative<Conv2D>(op.attributes) ||
                std::holds_alternative<DepthwiseConv2D>(op.attributes))
        << label(op);
    EXPECT_EQ(op.inputs.at(0), before) << label(op);
    before = op.outputs.at(0);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Zoo, MsfCnn,
    ::testing::Values(MsfNetwork{"msf_cnn_mbv2", 18'909'490, {1, 144, 144, 3}, {1, 5, 5, 448}},
                      MsfNetwork{"msf_cnn_vww5", 11'578'496, {1, 80, 80, 3}, {1, 3, 3, 160}},
                      MsfNetwork{"msf_cnn_320k", 81'625'520, {1, 176, 176, 3}, {1, 6, 6, 160}}));

struct Layer {
  bool depthwise;
  Window window;
  Shape weights, output;

  bool operator==(const Layer&) const = default;
};
void PrintTo(const Layer& layer, std::ostream* out) {
  *out << (layer.depthwise ? "depthwise " : "conv ") << ::testing::PrintToString(layer.weights)
       << " > " << ::testing::PrintToString(layer.output);
}

std::vector<Layer> layers(const Graph& graph) {
  std::vector<Layer> list;
  for (const Op& op : graph.ops) {
    const auto* conv = std::get_if<Conv2D>(&op.attributes);
    const auto* depthwise = std::get_if<DepthwiseConv2D>(&op.attributes);
    if (conv == nullptr && depthwise == nullptr) continue;
    list.push_back({depthwise != nullptr, conv != nullptr ? conv->window : depthwise->window,
                    graph.tensor(op.inputs.at(1)).shape, graph.tensor(op.outputs.at(0)).shape});
  }
  return list;
}

TEST(MsfCnnVww5, HasTheLayersOfThePublishedModel) {
  THIMBLE_NEEDS_SHARED();
  const Graph published =
      rewrite(import_tflite(testing::model_path("tinyengine_vww")), ConstantChannels::kKept);
  EXPECT_EQ(layers(rewrite(build_zoo("msf_cnn_vww5"))), layers(published));
}

}  // namespace
}  // namespace thimble
