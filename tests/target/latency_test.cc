// SPDX-License-Identifier: Apache-2.0
#include "thimble/target/latency.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "thimble/model/error.h"
#include "thimble/target/embedded_file.h"
#include "thimble/target/kernels/feature_sums.h"

namespace thimble {
namespace {

using ::testing::HasSubstr;

double count(const CallShape& call, Feature feature) {
  return features(call)[static_cast<size_t>(feature)];
}

// The view of a tensor of these extents, row-major; modulus: of a ring.
runtime::View view(int32_t columns, int32_t channels, int32_t rows, int32_t modulus = 0) {
  return {nullptr, 0, modulus, 0, {rows * columns * channels, columns * channels, channels, 1}};
}

// 3 x 3 taps over 6 x 8 x 5, padded by one: as many outputs.
CallShape convolution(int32_t out_channels) {
  runtime::Conv2DParams p{};
  p.window = {3, 3, 1, 1, 1, 1, 1, 1, 6, 8};
  p.in_per_group = 5;
  p.out_per_group = out_channels;
  return {.kernel = kernel_named("conv_2d"),
          .params = p,
          .in = {view(8, 5, 6)},
          .out = view(8, out_channels, 6),
          .region = {{0, 0, 0, 0}, {1, 6, 8, out_channels}}};
}

TEST(CallFeatures, OfAConvolutionFollowFromItsWindow) {
  const CallShape call = convolution(6);  // a quad and two singles
  EXPECT_EQ(count(call, Feature::kPixel), 48);
  EXPECT_EQ(count(call, Feature::kElement), 48 * 6);
  EXPECT_EQ(count(call, Feature::kQuad), 48);
  EXPECT_EQ(count(call, Feature::kSingle), 96);
  // Rows inside: 2 + 4 * 3 + 2 for each column.
  EXPECT_EQ(count(call, Feature::kQuadRun), 16 * 8);
  const double inside = 16.0 * 22 * 5, all = 48.0 * 9 * 5;
  EXPECT_EQ(count(call, Feature::kQuadProduct), inside);
  EXPECT_EQ(count(call, Feature::kQuadStrided), all - inside) << "padding";
  EXPECT_EQ(count(call, Feature::kSingleProduct), 2 * all);
}

// 9 taps of 5 channels at 48 pixels of 6.
TEST(LatencyModel, OfMacsHasNothingElse) {
  EXPECT_EQ(latency_model_of_macs(2).estimate(convolution(6)), 2.0 * 48 * 6 * 9 * 5);
}

TEST(CallFeatures, OfASliceAreOfFourPixelsAtATime) {
  const CallShape call = convolution(2);
  // Columns 1 to 6 read no padding: one four; rows 1 to 4 neither.
  EXPECT_EQ(count(call, Feature::kFour), 2 * 4 * 1);
  EXPECT_EQ(count(call, Feature::kOne), 2 * (48 - 16));
  EXPECT_EQ(count(call, Feature::kFourProduct), 2 * 4 * 9 * 5);
  EXPECT_EQ(count(call, Feature::kQuad), 0);
}

TEST(CallFeatures, OfPairsCountTheirOddEnds) {
  runtime::Conv2DPairsParams p{};
  p.window = {1, 1, 1, 1, 1, 1, 0, 0, 6, 7};
  p.in_channels = 6;
  p.out_channels = 5;
  CallShape call{.params = p,
                 .in = {view(7, 6, 6)},
                 .out = view(7, 5, 6),
                 .region = {{0, 0, 0, 0}, {1, 6, 7, 5}}};
  const double pairs = 21;  // of pixels; three of channels, one of which is cut
  int kernels_of_pairs = 0;
  for (const KernelInfo& kernel : kernels()) {
    if (kernel.params != KernelParams(p).index() || kernel.scratch_bytes == nullptr) continue;
    ++kernels_of_pairs;
    call.kernel = kernel_named(kernel.name);
    call.in[0].modulus = 0;
    EXPECT_EQ(count(call, Feature::kQuad), pairs * 3);
    const int blocks = kernel.form == WeightForm::kNibbles ? 1 : 2;
    EXPECT_EQ(count(call, Feature::kQuadProduct), pairs * 3 * blocks) << "two fours, or an eight";
    EXPECT_EQ(count(call, Feature::kOne), pairs);
    EXPECT_EQ(count(call, Feature::kElement), 6 * 7 * 5);
    call.in[0].modulus = 2 * 7 * 6;
    EXPECT_EQ(count(call, Feature::kSingleRun), 0) << "whole rows";
    call.in[0].modulus = 30 * 6;
    EXPECT_DOUBLE_EQ(count(call, Feature::kSingleRun), 2 * pairs * 6 / 30);
  }
  EXPECT_GE(kernels_of_pairs, 3) << "weights of 16, of 8 and of 4 bits";
}

TEST(CallFeatures, OfRingsKnowHowManyRowsAndPiecesTheyCut) {
  runtime::View ring = view(7, 5, 6);
  const TileColumns seven = {.begin = 0, .count = 7, .advance = 7, .extent = 7};
  EXPECT_EQ(cut_rows(ring, seven), 0) << "no ring";
  ring.modulus = 5 * 7 * 5;  // five rows
  EXPECT_EQ(cut_rows(ring, seven), 0);
  EXPECT_DOUBLE_EQ(cut_pieces(ring, 2), 0.2);  // rows 4 and 0
  EXPECT_DOUBLE_EQ(cut_pieces(ring, 3), 0.4);
  EXPECT_EQ(cut_pieces(ring, 5), 0);
  ring.modulus = 4 * 7 * 5;
  EXPECT_EQ(cut_pieces(ring, 2), 0) << "pieces begin at even rows";
  EXPECT_EQ(cut_pieces(ring, 6), 1);
  ring.modulus = 28 * 5 + 5;  // 29 pixels
  EXPECT_DOUBLE_EQ(cut_rows(ring, seven), 6.0 / 29);
  ring.modulus = 4 * 7 * 5 + 4 * 5;  // rows begin at any of 32 pixels
  EXPECT_DOUBLE_EQ(cut_rows(ring, {.begin = 2, .count = 3, .advance = 3, .extent = 7}), 2.0 / 32);
}

// Tiles of an image of 16 columns; those at its borders do not count.
TEST(CallFeatures, OfRingsOfColumnsKnowWhichTilesTheyCut) {
  const auto cut = [](int32_t held, int32_t begin, int32_t count, int32_t advance) {
    const runtime::View ring{nullptr, 0, held * 30, 0, {0, 5, 30, 1}};  // columns of six rows
    return cut_rows(ring, {begin, count, advance, 16});
  };
  EXPECT_EQ(cut(4, 0, 2, 2), 0);
  EXPECT_DOUBLE_EQ(cut(4, 3, 2, 2), 3.0 / 7) << "of 1, 3 .. 13 those at 3, 7, 11";
  EXPECT_DOUBLE_EQ(cut(4, -1, 4, 2), 1);
  EXPECT_DOUBLE_EQ(cut(4, 0, 4, 2), 3.0 / 7) << "at 2, 6 and 10";
  EXPECT_DOUBLE_EQ(cut(3, 0, 2, 2), 3.0 / 8) << "at 2, 8 and 14";
  EXPECT_EQ(cut(3, 16, 2, 2), cut(3, 0, 2, 2));
}

// 3 x 3 over 6 x 8 of 32 channels, with room for the rows of four.
TEST(CallFeatures, OfADepthwiseOneOverItsInputAreThoseOfPixels) {
  runtime::DepthwiseConv2DPackedParams p{};
  p.window = {3, 3, 1, 1, 1, 1, 1, 1, 6, 8};
  p.multiplier = 1;
  p.scratch_bytes = runtime::depthwise_scratch_bytes(p.window, 4, 8, 4);
  CallShape call{.kernel = kernel_named("depthwise_conv_2d_dsp"),
                 .params = p,
                 .in = {view(8, 32, 6)},
                 .out = view(8, 32, 6),
                 .region = {{0, 0, 0, 0}, {1, 6, 8, 32}}};
  EXPECT_EQ(count(call, Feature::kSingleRun), 0);
  EXPECT_EQ(count(call, Feature::kQuad), 3 * 4 * 32);
  call.over_input = true;
  EXPECT_EQ(count(call, Feature::kSingleRun), 48);
  EXPECT_EQ(count(call, Feature::kQuad), 0);
  p.scratch_bytes = runtime::depthwise_scratch_bytes(p.window, 32, 8, 4);
  call.params = p;
  EXPECT_EQ(count(call, Feature::kQuad), 3 * 4 * 32) << "all channels at a time";
}

TEST(CallFeatures, OfAFewChannelsOfAChunkAreWholeFoursAndWhatIsLeft) {
  runtime::Conv2DParams p{};
  p.window = {1, 1, 1, 1, 1, 1, 0, 0, 2, 3};
  p.in_per_group = 5;
  p.out_per_group = 4;
  const CallShape call{.kernel = kernel_named("conv_2d_accumulate"),
                       .params = p,
                       .in = {view(3, 5, 2)},
                       .out = view(3, 4, 2),
                       .region = {{0, 0, 0, 0}, {1, 2, 3, 4}},
                       .chunk_begin = 0,
                       .chunk_end = 2};
  EXPECT_EQ(count(call, Feature::kFour), 1) << "of six pixels that are one row";
  EXPECT_EQ(count(call, Feature::kPixel), 2);
}

TEST(CallFeatures, OfAnEmptyRegionAreTheCallAlone) {
  CallShape call = convolution(6);
  call.region.end[1] = 0;
  call.looped = true;
  Features expected{};
  expected[static_cast<size_t>(Feature::kCall)] = 1;
  expected[static_cast<size_t>(Feature::kLooped)] = 1;
  EXPECT_EQ(features(call), expected);
}

// Two rows of 8 pixels of 4 channels, of which the window's columns lie on both sides of the end.
TEST(CallFeatures, OfADepthwiseOneFindTheEndOfARing) {
  runtime::DepthwiseConv2DParams p{};
  p.window = {1, 3, 1, 1, 1, 1, 0, 1, 6, 8};
  p.out_channels = 4;
  p.multiplier = 1;
  CallShape call{.kernel = kernel_named("depthwise_conv_2d"),
                 .params = p,
                 .in = {view(8, 4, 6, 12 * 4)},
                 .out = view(8, 4, 6),
                 .region = {{0, 1, 2, 0}, {1, 2, 7, 4}}};
  // Row 1 begins at pixel 8 of 12: pixels 4 and 5 of it wrap from the ring's last to its first.
  EXPECT_EQ(count(call, Feature::kBroken), 2 * 3);
  EXPECT_EQ(count(call, Feature::kQuadProduct), 3 * 3);
  EXPECT_EQ(count(call, Feature::kRingPixel), 5);
  call.cut = 0.5;  // on average over some image
  EXPECT_EQ(count(call, Feature::kBroken), 2.5 * 3);
  EXPECT_EQ(count(call, Feature::kQuadProduct), 2.5 * 3);
  call.cut.reset();
  call.in[0].modulus = 0;
  EXPECT_EQ(count(call, Feature::kBroken), 0);
  EXPECT_EQ(count(call, Feature::kQuadProduct), 5 * 3);
}

TEST(CallFeatures, OfElementsJoinRowsThatLieEvenly) {
  CallShape call{.kernel = kernel_named("clamp"),
                 .params = runtime::ClampParams{},
                 .in = {view(8, 5, 6)},
                 .out = view(8, 5, 6),
                 .region = {{0, 0, 0, 0}, {1, 6, 8, 5}}};
  EXPECT_EQ(count(call, Feature::kPixel), 6);
  call.out.stride[2] = 7;
  EXPECT_EQ(count(call, Feature::kPixel), 48);
  EXPECT_EQ(count(call, Feature::kElement), 240);
}

constexpr const char* kModelFile = R"({"core": "cortex-m4", "program": 5,
  "kernels": {"conv_2d": {"call": 10, "quad": 2.5}, "conv_2d_finalise": {"call": 7}}})";

TEST(Latency, AddsUpWhatEachLoopTakes) {
  const LatencyModel model = parse_latency(kModelFile, "c.json");
  EXPECT_EQ(model.core, "cortex-m4");
  EXPECT_EQ(model.program, 5);
  EXPECT_EQ(model.estimate(convolution(6)), 10 + 2.5 * 48);
  CallShape clamp = convolution(6);
  clamp.kernel = kernel_named("clamp");
  EXPECT_EQ(model.estimate(clamp), std::nullopt);
}

TEST(Latency, OfAVariantIsThatOfTheLongestNameItBeginsWith) {
  const LatencyModel model = parse_latency(kModelFile, "c.json");
  EXPECT_EQ(model.coefficients("conv_2d_pairs_dsp"), model.coefficients("conv_2d"));
  EXPECT_EQ(model.coefficients("conv_2d_finalise_dsp"), model.coefficients("conv_2d_finalise"));
  EXPECT_NE(model.coefficients("conv_2d"), model.coefficients("conv_2d_finalise"));
  EXPECT_EQ(model.coefficients("depthwise_conv_2d"), nullptr);
}

TEST(Latency, OfAKernelWithoutFitIsThatOfTheSameParameters) {
  const LatencyModel model = parse_latency(
      R"({"core": "cortex-m4", "program": 5, "kernels": {"add": {"element": 30}, "mul": {"element": 20}}})",
      "c.json");
  EXPECT_EQ(model.coefficients("sub"), model.coefficients("add"));
  EXPECT_EQ(model.coefficients("squared_difference"), model.coefficients("add"));
  EXPECT_EQ(model.coefficients("clamp"), nullptr);
  EXPECT_EQ(model.coefficients("copy_16"), nullptr);
}

TEST(Latency, OfCopiesIsThatOfBytes) {
  const LatencyModel model = parse_latency(
      R"({"core": "cortex-m4", "program": 5, "kernels": {"copy_8": {"four_product": 9}}})",
      "c.json");
  EXPECT_EQ(model.coefficients("copy_16"), model.coefficients("copy_8"));
  EXPECT_EQ(model.coefficients("copy_32"), model.coefficients("copy_8"));
}

std::string latency_fault_of(const std::string& json) {
  try {
    (void)parse_latency(json, "c.json");
  } catch (const CompileError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Latency, RejectsWhatIsNoModel) {
  EXPECT_THAT(latency_fault_of("{"), HasSubstr("c.json: is not JSON"));
  EXPECT_EQ(latency_fault_of("{}"), "c.json: lacks the field 'core'");
  EXPECT_EQ(latency_fault_of(R"({"core": 1})"), "c.json: 'core' must be a text");
  EXPECT_EQ(latency_fault_of(R"({"core": "cortex-m4", "program": -1})"),
            "c.json: 'program' must be a number from 0 to 1e9");
  EXPECT_EQ(latency_fault_of(R"({"core": "cortex-m4", "program": 1e300})"),
            "c.json: 'program' must be a number from 0 to 1e9");
  EXPECT_EQ(
      latency_fault_of(R"({"core": "cortex-m4", "program": 0, "kernels": {"add": {"quod": 1}}})"),
      "c.json, add: has an unknown field 'quod'");
}

TEST(Latency, IsThereForTheCoresThatWereCounted) {
  for (const EmbeddedFile& file : core_files()) {
    const std::string path(file.path);
    const std::string core = path.substr(0, path.size() - std::string(".json").size());
    EXPECT_EQ(latency_model(core).value().core, core);
    EXPECT_NE(latency_model(core)->coefficients("conv_2d"), nullptr);
  }
  for (const char* core :
       {"cortex-m0", "cortex-m3", "cortex-m4", "cortex-m7", "cortex-m33", "cortex-m55", "rv32imc"})
    EXPECT_TRUE(latency_model(core)) << core;
  EXPECT_EQ(latency_model("cortex-m0plus"), latency_model("cortex-m0"));
  EXPECT_EQ(latency_model("cortex-m85"), latency_model("cortex-m55"));
  EXPECT_EQ(latency_model("cortex-m35p"), latency_model("cortex-m33"));
  EXPECT_EQ(latency_model("rv32imac"), latency_model("rv32imc"));
  EXPECT_EQ(latency_model("cortex-m23"), std::nullopt);
}

TEST(Latency, OfABoardIsReadAsItIsWritten) {
  const LatencyModel counted = *latency_model("cortex-m4");
  const LatencyModel measured = measured_model(
      counted, "cortex-m4", {{"average_pool_2d", 2}, {"floats", 3}, {"sub", 0.5}}, 1.25);
  EXPECT_EQ(parse_latency(latency_json(measured), "b.json"), measured);
  EXPECT_EQ(parse_latency(latency_json(counted), "b.json"), counted);
  const auto ratio = [&](const char* kernel) {
    const Features &before = *counted.coefficients(kernel), &now = *measured.coefficients(kernel);
    double most = 0, least = 1e9;
    for (size_t k = 0; k < before.size(); ++k) {
      if (before[k] == 0) continue;
      most = std::max(most, now[k] / before[k]);
      least = std::min(least, now[k] / before[k]);
    }
    EXPECT_DOUBLE_EQ(most, least) << kernel;
    return most;
  };
  EXPECT_DOUBLE_EQ(ratio("average_pool_2d"), 2);
  EXPECT_DOUBLE_EQ(ratio("conv_2d"), 1.25);
  EXPECT_DOUBLE_EQ(ratio("sub"), 0.5);
  EXPECT_DOUBLE_EQ(ratio("add_dsp"), 1.25);
  const auto floats = std::ranges::find_if(kernels(), [](const KernelInfo& kernel) {
    return kernel.in == DType::kFloat32 && kernel.out == DType::kFloat32;
  });
  EXPECT_DOUBLE_EQ(ratio(floats->name), 3);
  EXPECT_EQ(measured_as(*floats), "floats");
  EXPECT_EQ(latency_fault_of(R"({"core": "cortex-m4", "counted": "sheep"})"),
            "c.json: 'counted' must be \"instructions\" or \"cycles\"");
  EXPECT_EQ(latency_fault_of(R"({"core": "no such", "program": 0, "kernels": {}})"),
            "c.json: 'core' must be the name of one, such as cortex-m4");
  EXPECT_EQ(latency_fault_of(R"({"core": "cortex-m4", "program": 0, "kernels": {}})"),
            "c.json: has no kernels");
  EXPECT_EQ(latency_fault_of(R"({"core": "cortex-m4", "program": 0, "kernels": {"tea": {}}})"),
            "c.json: has a kernel 'tea' that is not known");
}

TEST(Latency, OfACoreIsWhatWasMeasuredOrSaidOfIt) {
  Core core = core_named("cortex-m4");
  EXPECT_EQ(latency_model(core), latency_model("cortex-m4"));
  core.cycles_per_mac = 2;
  EXPECT_EQ(latency_model(core)->core, "MACs");
  core.measured = std::make_shared<const LatencyModel>(
      measured_model(*latency_model("cortex-m4"), "cortex-m4", {}, 2));
  EXPECT_TRUE(latency_model(core)->cycles);
}

}  // namespace
}  // namespace thimble
