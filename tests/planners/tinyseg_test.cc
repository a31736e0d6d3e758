// SPDX-License-Identifier: Apache-2.0
// TinySeg's algorithms and accounting: the published figures less the interpreter's own data, and
// what was inferred of them (11.2 kB on Tiny U-Net).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/planners/listed_networks.h"
#include "thimble/model/error.h"
#include "thimble/planners/tinyseg_count.h"
#include "thimble/planners/tinyseg_spills.h"

namespace thimble {
namespace {

using ::testing::ElementsAre;
using testing::listed_attention_unet;
using testing::listed_resunet_a;
using testing::listed_tiny_unet;
using testing::listed_vnet_2d;
using tinyseg::Kind;
using tinyseg::OperatorList;
using tinyseg::SpilledList;

struct Bytes4 {
  int64_t scratch32, scratch16, spilled, fused;
  bool operator==(const Bytes4&) const = default;
};

Bytes4 steps_of_tiny_unet(bool float_ports) {
  return {.scratch32 = arena_of(listed_tiny_unet(float_ports, 4)).bytes,
          .scratch16 = arena_of(listed_tiny_unet(float_ports, 2)).bytes,
          .spilled = spill(listed_tiny_unet(float_ports, 2), {.fuse_conv = false}).arena_bytes,
          .fused = spill(listed_tiny_unet(float_ports, 2), {}).arena_bytes};
}

TEST(TinySeg, TinyUnetsStepsAreThePapersLessTheInterpretersData) {
  EXPECT_EQ(steps_of_tiny_unet(true), (Bytes4{307'216, 230'416, 192'000, 182'400}));
  EXPECT_EQ(steps_of_tiny_unet(false), (Bytes4{307'216, 230'416, 192'000, 153'616}));
}

TEST(TinySeg, TinyUnetsOnlyVictimIsTensor3) {
  const SpilledList spilled = spill(listed_tiny_unet(true, 2), {});
  ASSERT_EQ(spilled.steps.size(), 1u);
  const tinyseg::Spill& step = spilled.steps[0].spill;
  EXPECT_EQ(step.tensor, TensorId{3});
  EXPECT_EQ(step.bytes, 76'800);
  EXPECT_EQ(step.channels, 8);
  // pool 1, whose number is that of its output less 1; the concatenation of x1; the convolution
  // behind it.
  EXPECT_EQ(step.behind, OpId{3});
  EXPECT_EQ(step.before, OpId{33});
  EXPECT_EQ(step.concat, OpId{33});
  EXPECT_EQ(step.conv, OpId{34});
  EXPECT_EQ(spilled.written_bytes(), 76'800);
}

TEST(TinySeg, FetchingAloneSavesNothingButAShape) {
  const SpilledList alone =
      spill(listed_tiny_unet(true, 2), {.fuse_concat = false, .fuse_conv = false});
  EXPECT_EQ(alone.arena_bytes, 230'400);
  EXPECT_FALSE(alone.steps[0].spill.concat.valid());
}

// Figure 14.
TEST(TinySeg, PartialSpillingSavesAChannelAtATimeUntilAnotherOperatorIsFuller) {
  std::vector<int64_t> bytes, written;
  for (int64_t channels = 0; channels <= 8; ++channels) {
    const SpilledList spilled =
        spill(listed_tiny_unet(true, 2), {.target_bytes = 230'416 - 9600 * channels});
    bytes.push_back(spilled.arena_bytes);
    written.push_back(spilled.written_bytes());
  }
  EXPECT_THAT(bytes, ElementsAre(230'416, 220'816, 211'216, 201'616, 192'016, 182'416, 182'400,
                                 182'400, 182'400));
  EXPECT_THAT(written,
              ElementsAre(0, 9600, 19'200, 28'800, 38'400, 48'000, 57'600, 67'200, 76'800));
}

TEST(TinySeg, PartsAreWholeChannels) {
  const SpilledList spilled = spill(listed_tiny_unet(true, 2), {.target_bytes = 230'416 - 9601});
  ASSERT_EQ(spilled.steps.size(), 1u);
  EXPECT_EQ(spilled.steps[0].spill.first_channel, 6);
  EXPECT_EQ(spilled.steps[0].spill.channels, 2);
  EXPECT_EQ(spilled.steps[0].spill.bytes, 19'200);
}

// Table 4.
TEST(TinySeg, LargeNetworksFallAsFarAsCounted) {
  const SpilledList vnet = spill(listed_vnet_2d(2), {});
  EXPECT_EQ(vnet.original_bytes, 1'310'720);
  EXPECT_EQ(vnet.arena_bytes, 1'048'576);
  EXPECT_EQ(vnet.written_bytes(), 262'144);
  const SpilledList attention = spill(listed_attention_unet(), {});
  EXPECT_EQ(attention.original_bytes, 7'340'032);
  EXPECT_EQ(attention.arena_bytes, 3'670'016);
  EXPECT_EQ(attention.written_bytes(), 4'194'304);
  const SpilledList resunet = spill(listed_resunet_a(), {});
  EXPECT_EQ(resunet.original_bytes, 20'971'520);
  EXPECT_EQ(resunet.arena_bytes, 10'485'760);
  EXPECT_EQ(resunet.steps.size(), 1u);
  EXPECT_EQ(resunet.written_bytes(), 2'097'152);
}

// Whatever was spilled, what is left can execute: arena_of() throws where a tensor is read before
// it is written, and no tensor may have two writers.
TEST(TinySeg, TransformedListsStayExecutable) {
  for (OperatorList list : {listed_tiny_unet(false, 2), listed_vnet_2d(2), listed_attention_unet(),
                            listed_resunet_a()}) {
    const int64_t whole = arena_of(list).bytes;
    for (const int64_t target : {int64_t{0}, whole / 2, whole - whole / 9}) {
      for (const bool fuse : {false, true}) {
        const SpilledList spilled =
            spill(list, {.target_bytes = target, .fuse_concat = fuse, .fuse_conv = fuse});
        std::vector<int> written(spilled.list.tensors.size(), 0);
        int64_t fetched = 0;
        for (const tinyseg::ListedOp& op : spilled.list.ops) {
          fetched += op.fetched_bytes;
          for (const int t : op.writes) EXPECT_EQ(++written[static_cast<size_t>(t)], 1);
        }
        EXPECT_EQ(arena_of(spilled.list).bytes, spilled.arena_bytes);
        EXPECT_EQ(fetched, spilled.written_bytes());
      }
    }
  }
}

// A list of operators that each read and write tensors of 100 channels of a byte.
OperatorList list_with(int tensors, std::vector<std::pair<std::vector<int>, std::vector<int>>> ops,
                       std::vector<int> inputs) {
  OperatorList list{.inputs = std::move(inputs)};
  list.tensors.assign(static_cast<size_t>(tensors),
                      {.size_bytes = 160, .channels = 10, .of = TensorId{0}});
  for (auto& [reads, writes] : ops)
    list.ops.push_back({.reads = reads, .writes = writes, .of = OpId{0}});
  return list;
}

// Uses at 1, 9, 10 and 30: 9 to 30 would span a use.
TEST(TinySeg, ColdRangesSpanNoUse) {
  std::vector<std::pair<std::vector<int>, std::vector<int>>> ops(31);
  ops[0] = {{}, {0}};
  for (const size_t use : {1, 9, 10, 30}) ops[use].first = {0};
  const tinyseg::ColdRange range = cold_ranges(list_with(1, ops, {}))[0];
  EXPECT_EQ(range.start, 10);
  EXPECT_EQ(range.end, 30);
  EXPECT_EQ(range.last, 30);
}

// Figure 5: defined by operator 1, used by 2 and 9.
TEST(TinySeg, ColdRangesAreThoseOfFigure5) {
  std::vector<std::pair<std::vector<int>, std::vector<int>>> ops(10);
  ops[1] = {{}, {0}};
  ops[2].first = ops[9].first = {0};
  const tinyseg::ColdRange range = cold_ranges(list_with(1, ops, {}))[0];
  EXPECT_EQ(range.start, 2);
  EXPECT_EQ(range.length(), 7);
}

TEST(TinySeg, InputsAreColdFromTheFirstOperatorOn) {
  const OperatorList list = list_with(3, {{{1}, {2}}, {{2}, {}}, {{}, {}}, {{0}, {}}}, {0, 1});
  EXPECT_EQ(cold_ranges(list)[0].start, 0);
  EXPECT_EQ(cold_ranges(list)[0].end, 3);
}

TEST(TinySeg, OfEqualRangesTheFirstTensorIsTheVictim) {
  OperatorList list =
      list_with(5, {{{}, {0, 1}}, {{}, {2}}, {{2}, {3}}, {{3}, {4}}, {{0, 1, 4}, {}}}, {});
  for (const int t : {2, 3, 4}) list.tensors[static_cast<size_t>(t)].size_bytes = 320;
  list.tensors[1].of = TensorId{1};
  const SpilledList spilled = spill(list, {.target_bytes = arena_of(list).bytes - 1});
  ASSERT_FALSE(spilled.steps.empty());
  EXPECT_EQ(spilled.steps[0].spill.tensor, TensorId{0});
}

// The later one lies at 0, the earlier one above it.
TEST(TinySeg, OfEqualBuffersTheLaterIsPlacedFirst) {
  const OperatorList list = list_with(2, {{{}, {0}}, {{0}, {1}}, {{1}, {}}}, {});
  const tinyseg::ListedArena arena = arena_of(list);
  EXPECT_THAT(arena.heights, ElementsAre(320, 320, 160));
}

TEST(TinySeg, BuffersAreOf16ByteUnits) {
  OperatorList list = list_with(2, {{{}, {0}}, {{0}, {1}}}, {});
  list.tensors[0].size_bytes = 1;
  list.tensors[1].size_bytes = 17;
  EXPECT_EQ(arena_of(list).bytes, 48);
}

// A part of the channels cannot be joined along rows by the one operator that fetches it.
TEST(TinySeg, ConcatenationAlongRowsTakesWholeTensorsOnly) {
  OperatorList list =
      list_with(6, {{{}, {0}}, {{0}, {1}}, {{1}, {2}}, {{2}, {3}}, {{3}, {4}}, {{0, 4}, {5}}}, {});
  for (size_t k = 0; k < list.ops.size(); ++k) list.ops[k].of = OpId{static_cast<int32_t>(k)};
  list.ops[5].kind = Kind::kConcat;
  list.ops[5].along_channels = false;
  list.tensors[5].size_bytes = 320;
  list.tensors[2].size_bytes = list.tensors[3].size_bytes = 320;
  list.outputs = {5};
  const int64_t whole = arena_of(list).bytes;
  const SpilledList part = spill(list, {.target_bytes = whole - 32});
  ASSERT_EQ(part.steps.size(), 1u);
  EXPECT_FALSE(part.steps[0].spill.concat.valid());
  EXPECT_EQ(part.steps[0].spill.bytes, 32);
  const SpilledList all = spill(list, {});
  ASSERT_FALSE(all.steps.empty());
  EXPECT_EQ(all.steps[0].spill.concat, OpId{5});
}

// Section 4.2.2: without the interim tensor the operator would hold its inputs and its output at
// once, which may be more. kept: bytes of what is joined with the fetched tensor.
bool fuses_convolution(int64_t interim, int64_t kept, int64_t out) {
  OperatorList list = list_with(
      7, {{{}, {0}}, {{0}, {1}}, {{1}, {2}}, {{2}, {3}}, {{0, 3}, {4}}, {{4}, {5}}, {{5}, {6}}},
      {});
  for (size_t k = 0; k < list.ops.size(); ++k) list.ops[k].of = OpId{static_cast<int32_t>(k)};
  list.ops[4].kind = Kind::kConcat;
  list.ops[5].kind = Kind::kConv;
  list.tensors[1].size_bytes = list.tensors[2].size_bytes = 6400;
  list.tensors[3].size_bytes = kept;
  list.tensors[4].size_bytes = interim;
  list.tensors[5].size_bytes = out;
  const SpilledList spilled = spill(list, {});
  EXPECT_EQ(spilled.steps.at(0).spill.concat, OpId{4});
  return spilled.steps.at(0).spill.conv.valid();
}

TEST(TinySeg, ConvolutionsAreFusedUnlessTheInterimTensorIsTheSmallest) {
  EXPECT_TRUE(fuses_convolution(320, 160, 160));
  EXPECT_TRUE(fuses_convolution(320, 160, 480));  // not smaller than the input
  EXPECT_TRUE(fuses_convolution(320, 480, 160));  // not smaller than the output
  EXPECT_FALSE(fuses_convolution(320, 480, 480));
}

// What is fetched and has no room in the output of the convolution is counted beside it.
TEST(TinySeg, FetchedBytesBeyondTheOutputAreScratch) {
  const SpilledList spilled = spill(listed_resunet_a(), {});
  for (const tinyseg::ListedOp& op : spilled.list.ops) {
    if (op.kind != Kind::kFetchingConv) continue;
    EXPECT_EQ(op.fetched_bytes, 2'097'152);
    EXPECT_EQ(op.scratch_bytes, 2'097'152 - 16'384);
    return;
  }
  ADD_FAILURE() << "nothing is fused";
}

// Shapes, kinds and who reads what: all that is listed of a graph.
class ShapedGraph {
 public:
  TensorId tensor(const Shape& shape, DType type = DType::kInt8) {
    graph_.tensors.push_back({.name = "t", .shape = shape, .type = type});
    return TensorId{static_cast<int32_t>(graph_.tensors.size()) - 1};
  }
  TensorId weights(const Shape& shape) {
    const TensorId t = tensor(shape);
    graph_.tensor(t).data = std::make_shared<const Bytes>(static_cast<size_t>(elements(shape)));
    return t;
  }
  TensorId input(const Shape& shape, DType type) {
    graph_.inputs.push_back({tensor(shape, type)});
    return graph_.inputs.back().tensor;
  }
  TensorId op(Attributes attributes, std::vector<TensorId> inputs, const Shape& shape,
              DType type = DType::kInt8) {
    const TensorId out = tensor(shape, type);
    graph_.ops.push_back(
        {.attributes = std::move(attributes), .inputs = std::move(inputs), .outputs = {out}});
    return out;
  }
  TensorId conv(TensorId x, int64_t channels) {
    return op(Conv2D{}, {x, weights({channels, 3, 3, shape(x)[3]})}, scaled(x, 2, channels));
  }
  TensorId pool(TensorId x) { return op(MaxPool2D{}, {x}, scaled(x, 1, shape(x)[3])); }
  TensorId transposed(TensorId x, int64_t channels) {
    const TensorId up =
        op(TransposeConv{}, {x, weights({channels, 2, 2, shape(x)[3]})}, scaled(x, 4, channels));
    return op(Pad{}, {up}, shape(up));
  }
  TensorId concat(TensorId a, TensorId b) {
    return op(Concat{.axis = 3}, {a, b}, scaled(a, 2, shape(a)[3] + shape(b)[3]));
  }
  [[nodiscard]] const Shape& shape(TensorId t) const { return graph_.tensor(t).shape; }
  Graph with_output(TensorId t) {
    graph_.outputs = {{t}};
    return std::move(graph_);
  }

 private:
  [[nodiscard]] Shape scaled(TensorId x, int64_t halves, int64_t channels) const {
    return {1, shape(x)[1] * halves / 2, shape(x)[2] * halves / 2, channels};
  }
  Graph graph_;
};

Graph tiny_unet_graph() {
  ShapedGraph net;
  TensorId x = net.op(Quantize{}, {net.input({1, 80, 120, 3}, DType::kFloat32)}, {1, 80, 120, 3});
  std::vector<TensorId> skips;
  for (const int64_t channels : {8, 16, 32}) {
    skips.push_back(net.conv(net.conv(x, channels), channels));
    x = net.pool(skips.back());
  }
  x = net.conv(net.conv(x, 64), 64);
  for (const int64_t channels : {16, 8, 4}) {
    x = net.concat(skips.back(), net.transposed(x, channels));
    x = net.conv(net.conv(x, 2 * channels), 2 * channels);
    skips.pop_back();
  }
  return net.with_output(net.op(Dequantize{}, {net.conv(x, 1)}, {1, 80, 120, 1}, DType::kFloat32));
}

TEST(TinySeg, AGraphIsListedAsByHand) {
  const Graph graph = tiny_unet_graph();
  const auto counted = [&](const std::string& steps) {
    return tinyseg::count(graph, tinyseg::counted_steps(steps)).arena_bytes;
  };
  EXPECT_EQ(counted(""), 307'216);
  EXPECT_EQ(counted("scratch16"), 230'416);
  EXPECT_EQ(counted("scratch16,spill"), 230'400);
  EXPECT_EQ(counted("scratch16,spill,concat"), 192'000);
  EXPECT_EQ(counted("scratch16,spill,concat,conv"), 182'400);
  EXPECT_EQ(counted("scratch16,spill,concat,conv,target=201616"), 201'616);
  // The paper's buffers x and y (Figure 3b): numbers 33 and 34.
  const OperatorList list = tinyseg::list_of(graph, 32);
  EXPECT_EQ(list.tensors.size(), 39u);
  EXPECT_EQ(list.tensors[33].size_bytes, 38'400);
  EXPECT_EQ(list.tensors[34].size_bytes, 115'200);
}

Graph upsampling_network() {
  ShapedGraph net;
  const TensorId x = net.input({1, 4, 6, 2}, DType::kInt8);
  const TensorId up = net.op(TransposeConv{}, {x, net.weights({3, 2, 2, 2})}, {1, 8, 12, 3});
  return net.with_output(net.op(Dequantize{}, {up}, {1, 8, 12, 3}, DType::kFloat32));
}

TEST(TinySeg, TransposedConvolutionsHaveComputedShapesAndScratch) {
  const OperatorList list = tinyseg::list_of(upsampling_network(), 32);
  std::vector<int64_t> sizes;
  for (const tinyseg::ListedTensor& tensor : list.tensors) sizes.push_back(tensor.size_bytes);
  EXPECT_THAT(sizes, ElementsAre(48, 16, 16, 16, 288, 4 * 288));
  ASSERT_EQ(list.ops.size(), 5u);
  EXPECT_THAT(list.ops[0].reads, ElementsAre(0));     // SHAPE
  EXPECT_THAT(list.ops[3].reads, ElementsAre(0, 3));  // the input, and the shape of the output
  EXPECT_EQ(list.ops[3].of, OpId{0});
  EXPECT_EQ(list.ops[3].scratch_bytes, 4 * 288);
  EXPECT_EQ(list.tensors[4].channels, 3);
  EXPECT_EQ(tinyseg::list_of(upsampling_network(), 16).ops[3].scratch_bytes, 2 * 288);
}

TEST(TinySeg, CountsWhatStepsSay) {
  const Graph graph = upsampling_network();
  // Live at the convolution: input, shape, scratch, output.
  const int64_t bytes = 48 + 16 + 4 * 288 + 288;
  EXPECT_EQ(tinyseg::count(graph, {}).arena_bytes, bytes);
  const tinyseg::Count halved = tinyseg::count(graph, tinyseg::counted_steps("scratch16"));
  EXPECT_EQ(halved, (tinyseg::Count{.original_bytes = bytes, .arena_bytes = 288 + 4 * 288}));
  EXPECT_EQ(
      tinyseg::counted_steps("scratch16,spill,concat,conv,target=12"),
      (tinyseg::CountedSteps{
          .scratch16 = true, .spill = true, .concat = true, .conv = true, .target_bytes = 12}));
}

TEST(TinySeg, StepsThatDoNotExistAreRefused) {
  const auto message_of = [](const std::string& text) -> std::string {
    try {
      static_cast<void>(tinyseg::counted_steps(text));
    } catch (const CompileError& error) {
      return error.what();
    }
    return "";
  };
  using ::testing::HasSubstr;
  EXPECT_EQ(message_of("scratch16,spill"), "");
  EXPECT_THAT(message_of("spil"), HasSubstr("there is no 'spil'; there are scratch16, spill"));
  EXPECT_THAT(message_of("spill,target=-1"), HasSubstr("'target=-1' is no number of bytes"));
  EXPECT_THAT(message_of("spill,target="), HasSubstr("is no number of bytes"));
  EXPECT_THAT(message_of("spill,,concat"), HasSubstr("there is no ''"));
  EXPECT_THAT(message_of("spill,conv"), HasSubstr("conv needs concat"));
  EXPECT_THAT(message_of("target=5"), HasSubstr("concat and target need spill"));
}

}  // namespace
}  // namespace thimble
