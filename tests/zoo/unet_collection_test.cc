// SPDX-License-Identifier: Apache-2.0
// The large networks of TinySeg's table 4 have the parameters of their definitions, about the
// published size, and what TFLM's planner needs of them is what the published figures are of.
#include <gtest/gtest.h>

#include <string>

#include "thimble/export/tflite.h"
#include "thimble/operators/operators.h"
#include "thimble/plan/order_problem.h"
#include "thimble/planners/tinyseg_count.h"
#include "zoo/zoo.h"

namespace thimble {
namespace {

struct Collected {
  const char* network;
  int64_t parameters;   ///< weights and biases, batch normalisations folded
  int64_t channels;     ///< of all layers with weights: a bias each
  double file_bytes;    ///< published, to 0.01 MB
  int64_t peak_bytes;   ///< of whole operators in the file's order
  int64_t arena_bytes;  ///< TinySeg's "original"
  int64_t spilled_arena_bytes;
};
void PrintTo(const Collected& c, std::ostream* out) { *out << c.network; }

class CollectedNetwork : public ::testing::TestWithParam<Collected> {};

TEST_P(CollectedNetwork, IsAsTinySegHasIt) {
  const Collected& expected = GetParam();
  const Graph graph = build_zoo(expected.network);
  int64_t weights = 0, biases = 0;
  for (const Op& op : graph.ops) {
    if (op.inputs.size() != 3 || !graph.tensor(op.inputs[1]).is_constant()) continue;
    weights += elements(graph.tensor(op.inputs[1]).shape);
    biases += elements(graph.tensor(op.inputs[2]).shape);
  }
  EXPECT_EQ(weights + biases, expected.parameters);
  EXPECT_EQ(biases, expected.channels);
  EXPECT_NEAR(static_cast<double>(export_tflite(graph).size()) / expected.file_bytes, 1, 0.01);

  const OrderProblem problem = order_problem(graph, instances_of(graph, {}), /*in_place=*/false);
  EXPECT_EQ(original_order(problem).peak_bytes, expected.peak_bytes);
  const auto counted = [&](const char* steps) {
    return tinyseg::count(graph, tinyseg::counted_steps(steps)).arena_bytes;
  };
  EXPECT_EQ(counted("scratch16"), expected.arena_bytes);
  EXPECT_EQ(counted("scratch16,spill,concat,conv"), expected.spilled_arena_bytes);
}

constexpr int64_t kMiB = 1 << 20;

INSTANTIATE_TEST_SUITE_P(Table4, CollectedNetwork,
                         ::testing::Values(Collected{"vnet_2d", 3'681'458, 2'818, 4.30e6, kMiB,
                                                     5 * kMiB / 4, kMiB},
                                           Collected{"attention_unet", 10'149'924, 4'164, 10.27e6,
                                                     6 * kMiB, 7 * kMiB, 7 * kMiB / 2},
                                           Collected{"resunet_a", 52'780'098, 17'442, 53.32e6,
                                                     20 * kMiB, 20 * kMiB, 10 * kMiB}),
                         [](const auto& network) { return std::string(network.param.network); });

// The other constants that are no weights: an element of each image, for all layers of its shape.
TEST(VNet, HasSlopesForEachElementOnceForEachShape) {
  const Graph graph = build_zoo("vnet_2d:resolution=32,filters=4");
  int64_t slopes = 0, layers = 0;
  for (const Tensor& t : graph.tensors) {
    if (t.is_constant() && t.shape.size() == 3) slopes += elements(t.shape);
  }
  for (const Op& op : graph.ops) layers += std::holds_alternative<Prelu>(op.attributes) ? 1 : 0;
  EXPECT_EQ(slopes, 32 * 32 * 4 + 16 * 16 * 8 + 8 * 8 * 16 + 4 * 4 * 32 + 2 * 2 * 64);
  EXPECT_EQ(layers, 39);
}

TEST(ResUnetA, DilatesByLevel) {
  const Graph graph = build_zoo("resunet_a:resolution=32,filters=2");
  std::string dilations;  // of the first convolution of each branch, down and up
  int64_t before = 0;
  for (const Op& op : graph.ops) {
    const auto* conv = std::get_if<Conv2D>(&op.attributes);
    if (conv == nullptr || conv->window.kernel_h != 3) continue;
    const int64_t d = conv->window.dilation_h;
    if (before == d) {
      before = 0;
      continue;
    }
    dilations += std::to_string(d) + ' ';
    before = d;
  }
  EXPECT_EQ(dilations,
            "1 3 15 31 1 3 15 31 1 3 15 1 3 15 1 1 "
            "1 1 3 15 1 3 15 1 3 15 31 1 3 15 31 ");
}

}  // namespace
}  // namespace thimble
