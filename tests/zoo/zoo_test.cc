// SPDX-License-Identifier: Apache-2.0
// The networks of the zoo are what their descriptions say.
#include "zoo/zoo.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "thimble/model/error.h"
#include "thimble/operators/operators.h"

namespace thimble {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

int64_t weight_bytes(const Graph& graph) {
  int64_t sum = 0;
  for (const Tensor& t : graph.tensors) sum += t.is_constant() ? t.size_bytes() : 0;
  return sum;
}

TEST(Zoo, BuildsTheSameNetworkEachTime) {
  for (const char* name : {"demo", "res8", "randomly_wired:nodes=5,resolution=64"}) {
    EXPECT_EQ(build_zoo(name), build_zoo(name)) << name;
  }
}

TEST(Zoo, ParametersChangeTheNetwork) {
  EXPECT_LT(macs(build_zoo("mobilenet_v2:width=0.35,resolution=96")),
            macs(build_zoo("mobilenet_v2:width=0.5,resolution=96")));
  EXPECT_NE(build_zoo("randomly_wired:nodes=5,resolution=64"),
            build_zoo("randomly_wired:nodes=5,resolution=64,seed=2"));
}

TEST(Zoo, EntriesAreSortedAndDescribed) {
  const std::vector<ZooEntry> entries = zoo_entries();
  for (size_t i = 0; i < entries.size(); ++i) {
    EXPECT_FALSE(entries[i].about.empty());
    if (i > 0) {
      EXPECT_LT(entries[i - 1].name, entries[i].name);
    }
  }
}

TEST(Zoo, DemoIsSmall) {
  const Graph graph = build_zoo("demo");
  EXPECT_GT(macs(graph), 1'000'000);
  EXPECT_LT(macs(graph), 2'000'000);
  EXPECT_GT(weight_bytes(graph), 30'000);
  EXPECT_LT(weight_bytes(graph), 60'000);
  EXPECT_EQ(graph.tensor(graph.inputs.at(0).tensor).shape, (Shape{1, 48, 48, 1}));
  EXPECT_EQ(graph.tensor(graph.outputs.at(0).tensor).shape, (Shape{1, 8}));
}

TEST(Zoo, Figure1HasThePapersSizes) {
  const Graph graph = build_zoo("reordering_figure1");
  std::vector<int64_t> sizes{graph.tensor(graph.inputs.at(0).tensor).size_bytes()};
  for (const Op& op : graph.ops) sizes.push_back(graph.tensor(op.outputs.at(0)).size_bytes());
  EXPECT_THAT(sizes, ElementsAre(1568, 3136, 1568, 512, 512, 256, 256, 512));
}

TEST(Zoo, MotesTable3HasTheMacsOfItsShape) {
  EXPECT_EQ(macs(build_zoo("motes_table3")), 32 * 32 * 8 * 3 * 3 * 8);
}

/// By hand: expansion, depthwise and projection of one block, its shortcut's convolution.
TEST(Zoo, FpnasHasTheMacsOfItsBlocks) {
  const Graph graph = build_zoo("fpnas");
  int64_t stem = 0, first = 0, last = 0;
  for (const Op& op : graph.ops) {
    const std::string& layer = graph.tensor(op.outputs[0]).name;
    if (layer.starts_with("block_0/")) first += macs(graph, op);
    if (layer.starts_with("block_15/")) last += macs(graph, op);
    if (!layer.starts_with("block_")) stem += macs(graph, op);
  }
  // 3 > 34 at 112 x 112; depthwise and 34 > 24 there; 320 > 1,280 at 7 x 7; the classifier.
  EXPECT_EQ(stem, 12'544 * (3 * 9 * 34 + 9 * 34 + 34 * 24) + 49 * 320 * 1'280 + 1'280 * 1'000);
  // 12 of 24 channels pass through depthwise and 12 > 12 at half the size; the others are expanded
  // to 48 at 112 x 112, filtered and projected to 12 at 56 x 56; the shortcut strides.
  EXPECT_EQ(first, 12'544 * 12 * 48 + 3'136 * (12 * 9 + 12 * 12 + 48 * 9 + 48 * 12 + 12 * 12));
  EXPECT_EQ(last, 49 * (192 * 1'152 + 1'152 * 9 + 1'152 * 320));
  EXPECT_EQ(macs(graph), 301'211'352);
}

/// Figure 1: the number of the operator that made each operand; 0 is the input.
TEST(Zoo, Figure1HasThePapersEdges) {
  const Graph graph = build_zoo("reordering_figure1");
  const std::vector<OpId> producer = producers(graph);
  std::vector<std::vector<int>> reads;
  for (const Op& op : graph.ops) {
    std::vector<int>& from = reads.emplace_back();
    for (TensorId t : op.inputs) {
      if (!graph.tensor(t).is_constant()) from.push_back(producer[t.index()].value + 1);
    }
  }
  EXPECT_THAT(reads, ElementsAre(ElementsAre(0), ElementsAre(1), ElementsAre(2), ElementsAre(1),
                                 ElementsAre(3), ElementsAre(4), ElementsAre(5, 6)));
}

std::string refusal(const std::string& spec) {
  try {
    static_cast<void>(build_zoo(spec));
  } catch (const CompileError& error) {
    return error.what();
  }
  return "";
}

TEST(Zoo, RefusesUnknownNameAndListsWhatExists) {
  EXPECT_THAT(refusal("resnet"), HasSubstr("zoo:resnet: there is no such network; there are "));
  EXPECT_THAT(refusal("resnet"), HasSubstr("resnet18, resnet8"));
}

TEST(Zoo, RefusesParametersThatItDoesNotHave) {
  EXPECT_EQ(refusal("demo:width=2"),
            "zoo:demo:width=2: there is no parameter 'width'; it takes no parameters");
  EXPECT_EQ(refusal("resnet18:width=2"),
            "zoo:resnet18:width=2: there is no parameter 'width'; there are resolution, classes");
  EXPECT_THAT(refusal("resnet18:classes"), HasSubstr("'classes' is not key=value"));
  EXPECT_THAT(refusal("resnet18:classes=2,classes=3"), HasSubstr("'classes' is given twice"));
}

TEST(Zoo, RefusesHeadsThatDoNotDivideTheWidth) {
  EXPECT_EQ(refusal("transformer:width=32,heads=5"),
            "zoo:transformer: the width, 32, is no multiple of the heads, 5");
  EXPECT_THAT(refusal("bert_tiny:hidden=1,heads=1,tokens=16"),
              HasSubstr("zoo:bert_tiny: with these parameters ADD #"));
}

TEST(Zoo, RefusesHeadsThatADecoderCannotHave) {
  EXPECT_EQ(refusal("decoder:heads=7"),
            "zoo:decoder: the width, 256, is no multiple of the heads, 7");
  EXPECT_EQ(refusal("decoder:kv_heads=3"),
            "zoo:decoder: the heads, 8, are no multiple of kv_heads, 3");
  EXPECT_EQ(refusal("decoder:width=24"),
            "zoo:decoder: a head of 3 channels, width / heads, has no halves to rotate");
}

TEST(Zoo, RefusesValuesThatAParameterDoesNotTake) {
  for (const char* value : {"", "0", "-3", "2.5", "1e3", "nan", "12x", "99999999999999999999"}) {
    EXPECT_THAT(refusal(std::string("resnet18:classes=") + value),
                HasSubstr("' is not a value of classes: it is an integer from 2 to 10000"))
        << value;
  }
  EXPECT_THAT(refusal("mobilenet_v2:width=nan"), HasSubstr("it is a number from 0.05 to 4"));
  EXPECT_THAT(refusal("mobilenet_v2:variant=x"),
              HasSubstr("it is one of plain, redistributed, downsampled"));
  for (const char* value : {"81", "0", "80.5", "-8", "1032"}) {
    EXPECT_THAT(refusal(std::string("tiny_unet:rows=") + value),
                HasSubstr("' is not a value of rows: it is a multiple of 8 from 8 to 1024"));
  }
}

}  // namespace
}  // namespace thimble
