// SPDX-License-Identifier: Apache-2.0
// Alarms: what raises one, with which layer, and what does not.
#include "thimble/report/warnings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "tests/support/test_graph.h"
#include "thimble/report/inspect.h"
#include "zoo/zoo.h"

namespace thimble {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::TestGraph;

// The first `channels` outputs of a convolution or a fully connected layer no longer read anything;
// their bias, if it is given, is far beyond what the output holds.
void silence(Graph& graph, size_t op, size_t channels, std::optional<int32_t> bias = {}) {
  Tensor& weights = graph.tensor(graph.ops[op].inputs[1]);
  const auto all = static_cast<size_t>(graph.tensor(graph.ops[op].outputs[0]).shape.back());
  Bytes bytes = *weights.data;
  std::fill_n(bytes.begin(), bytes.size() / all * channels, uint8_t{0});
  weights.data = std::make_shared<const Bytes>(std::move(bytes));
  if (!bias) return;
  Tensor& biases = graph.tensor(graph.ops[op].inputs[2]);
  Bytes values = *biases.data;
  for (size_t k = 0; k < channels; ++k) std::memcpy(&values[4 * k], &*bias, sizeof *bias);
  biases.data = std::make_shared<const Bytes>(std::move(values));
}

/// conv #0 (8 channels), conv #1 (4), mean, fully connected (6), softmax.
TestGraph classifier() {
  TestGraph net(3);
  const TensorId features = net.conv(net.conv(net.input({1, 8, 8, 3}), 8, 3, 1), 4, 1, 1);
  net.output(net.softmax(net.fully_connected(net.reshape(net.mean(features), {1, 4}), 6)));
  return net;
}

const Warning& only(const std::vector<Warning>& warnings) {
  EXPECT_EQ(warnings.size(), 1U) << warnings_text(warnings);
  return warnings.at(0);
}

TEST(Warnings, ANetworkThatLearnedSomethingHasNone) {
  EXPECT_THAT(network_warnings(classifier().graph()), IsEmpty());
  for (const char* name : {"demo", "ds_cnn_s"})
    EXPECT_THAT(network_warnings(build_zoo(name)), IsEmpty()) << name;
}

TEST(Warnings, AnOutputThatIsTheSameForEveryInputNamesTheLayer) {
  TestGraph net = classifier();
  silence(net.graph(), 1, 4);
  const std::vector<Warning> warnings = network_warnings(net.graph());
  ASSERT_FALSE(warnings.empty());
  EXPECT_EQ(warnings[0].kind, WarningKind::kConstantOutput);
  EXPECT_EQ(warnings[0].number, net.graph().ops[1].file_index);
  EXPECT_EQ(warnings[0].layer, net.graph().tensor(net.graph().ops[1].outputs[0]).name);
  EXPECT_THAT(warnings[0].text, HasSubstr("is the same for every input: nothing that varies"));
}

// What a branch adds still varies.
TEST(Warnings, ASilentBranchIsNoSilentOutput) {
  TestGraph net(3);
  const TensorId x = net.conv(net.input({1, 8, 8, 3}), 16, 3, 1);
  net.output(net.add(x, net.conv(x, 16, 1, 1)));
  silence(net.graph(), 1, 16);
  EXPECT_EQ(only(network_warnings(net.graph())).kind, WarningKind::kVanishingChannels);
}

TEST(Warnings, ChannelsOfAnOutputThatSaturateAreCounted) {
  TestGraph net = classifier();
  silence(net.graph(), 4, 2, 2'000'000'000);
  const Warning warning = only(network_warnings(net.graph()));
  EXPECT_EQ(warning.kind, WarningKind::kSaturatedOutput);
  EXPECT_EQ(warning.layer, net.graph().tensor(net.graph().ops[4].outputs[0]).name);
  EXPECT_THAT(warning.text, HasSubstr("2 of 6 channels of the output"));
  EXPECT_THAT(warning.text, HasSubstr("at an end of int8 for every input"));
}

TEST(Warnings, AThirdOfAllChannelsIsInBulk) {
  TestGraph few = classifier(), many = classifier();  // 18 channels
  silence(few.graph(), 0, 5);
  EXPECT_THAT(network_warnings(few.graph()), IsEmpty());
  silence(many.graph(), 0, 6);
  const Warning warning = only(network_warnings(many.graph()));
  EXPECT_EQ(warning.kind, WarningKind::kVanishingChannels);
  EXPECT_THAT(warning.text,
              HasSubstr("6 of 18 channels are the same for every input, in 1 layer;"));
  EXPECT_THAT(warning.text, HasSubstr("6 of 8"));
}

TEST(Warnings, APortDominatesAboveHalfOfTheBottleneck) {
  const auto warnings_with = [](int64_t rows, int64_t stride, int layers) {
    TestGraph net(1);
    TensorId x = net.conv(net.input({1, rows, rows, 2}), 2, 3, stride);
    for (int k = 1; k < layers; ++k) x = net.conv(x, 2, 3, 1);
    net.output(x);
    return port_warnings(net.graph(), inspect(net.graph()));
  };
  EXPECT_THAT(warnings_with(64, 1, 4), IsEmpty()) << "half of it";
  EXPECT_THAT(warnings_with(16, 2, 4), IsEmpty()) << "a trifle";
  EXPECT_THAT(warnings_with(64, 2, 3), IsEmpty()) << "few operators";
  const Warning warning = only(warnings_with(64, 2, 4));
  EXPECT_EQ(warning.kind, WarningKind::kDominantPort);
  EXPECT_THAT(warning.text, HasSubstr("8.0 KiB (8,192 B) of the 10.0 KiB (10,240 B)"));
  EXPECT_THAT(warning.text, HasSubstr("--input user"));
}

}  // namespace
}  // namespace thimble
