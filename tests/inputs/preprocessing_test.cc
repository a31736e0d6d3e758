// SPDX-License-Identifier: Apache-2.0
// From pixels and numbers to the bytes of an input.
#include "thimble/inputs/preprocessing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "thimble/model/error.h"
#include "thimble/reference/elements.h"

namespace thimble::testing {
namespace {

using reference::elements_from;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// An input of int8 that takes real numbers from least to most.
InputPort port_of(const Shape& shape, float least, float most) {
  const float scale = (most - least) / 255;
  const int32_t zero = -128 - static_cast<int32_t>(std::lround(least / scale));
  InputPort port{.tensor = {.name = "in",
                            .shape = shape,
                            .type = DType::kInt8,
                            .quantization = {{scale}, {zero}}},
                 .shape = shape};
  port.range = {least, most};
  return port;
}

InputPort float_port(const Shape& shape) {
  return {.tensor = {.name = "in", .shape = shape, .type = DType::kFloat32}, .shape = shape};
}

/// 2x2 of one channel.
const Image kGray{.width = 2, .height = 2, .channels = 1, .pixels = {0, 255, 127, 128}};
/// 2x2; the first pixel is red 10, green 20, blue 30.
const Image kColours{.width = 2,
                     .height = 2,
                     .channels = 3,
                     .pixels = {10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120}};

PreparedInput pictured(const InputPort& port, const Image& image, const Preprocessing& asked = {}) {
  return prepared_picture(port, image, asked, "a.png");
}

template <class F>
std::string message_of(F action) {
  try {
    action();
  } catch (const CompileError& error) {
    return error.what();
  }
  return "";
}

TEST(Preprocessing, PixelsAreMovedWhereAStepOfTheInputIsOneOfThem) {
  const std::vector<std::pair<std::array<float, 2>, std::string>> ranges = {
      {{0, 255}, "x = int8 x-128"},
      {{0, 1}, "x/255 = int8 x-128"},
      {{-1, 1}, "(x-127.5)/127.5 = int8 x-128"},
      {{-128, 127}, "x-128 = int8 x-128"}};
  for (const auto& [range, how] : ranges) {
    const PreparedInput prepared = pictured(port_of({1, 2, 2, 1}, range[0], range[1]), kGray);
    EXPECT_THAT(elements_from<int8_t>(prepared.bytes), ElementsAre(-128, 127, -1, 0)) << how;
    EXPECT_EQ(prepared.how, "2x2 gray -> 2x2 gray, " + how);
    EXPECT_THAT(prepared.warnings, IsEmpty());
  }
}

TEST(Preprocessing, AnUnusualRangeIsFilledAndSaid) {
  const PreparedInput prepared = pictured(port_of({1, 2, 2, 1}, -7, 3), kGray);
  EXPECT_THAT(elements_from<int8_t>(prepared.bytes), ElementsAre(-128, 127, -1, 0));
  EXPECT_THAT(prepared.warnings, ElementsAre(HasSubstr("the input takes -7 to 3")));
}

TEST(Preprocessing, WhatIsAskedForComesBeforeMetadataAndTheseBeforeTheRange) {
  InputPort port = float_port({1, 2, 2, 1});
  const auto values = [&](const Preprocessing& asked) {
    return elements_from<float>(pictured(port, kGray, asked).bytes);
  };
  EXPECT_THAT(values({}), ElementsAre(0, 1, 127 / 255.0F, 128 / 255.0F));
  EXPECT_THAT(pictured(port, kGray).warnings, ElementsAre(HasSubstr("0 to 1 is taken")));
  port.metadata.mean = {127};
  port.metadata.std = {2};
  EXPECT_THAT(values({}), ElementsAre(-63.5, 64, 0, 0.5));
  EXPECT_THAT(pictured(port, kGray).warnings, IsEmpty());
  EXPECT_THAT(values({.scale = 2, .mean = {1}}), ElementsAre(-1, 509, 253, 255));
}

TEST(Preprocessing, WarnsWherePixelsDoNotFitTheInput) {
  const InputPort port = port_of({1, 2, 2, 1}, 0, 255);
  EXPECT_THAT(
      pictured(port, kGray, {.std = {255}}).warnings,
      ElementsAre(HasSubstr("pixels become 0 to 1, and the input takes 0 to 255: a small")));
  EXPECT_THAT(pictured(port_of({1, 2, 2, 1}, 0, 1), kGray, {.scale = 1}).warnings,
              ElementsAre(HasSubstr("what lies beyond is clipped")));
}

TEST(Preprocessing, ChannelsComeInTheOrderOfTheInput) {
  const auto bytes = [](const Shape& shape, const Preprocessing& asked) {
    const Bytes all = pictured(float_port(shape), kColours, asked).bytes;
    const std::vector<float> values = elements_from<float>(all);
    return std::vector<float>(values.begin(), values.begin() + 4);
  };
  EXPECT_THAT(bytes({1, 2, 2, 3}, {.scale = 1}), ElementsAre(10, 20, 30, 40));
  EXPECT_THAT(bytes({1, 2, 2, 3}, {.channels = ChannelOrder::kBgr, .scale = 1}),
              ElementsAre(30, 20, 10, 60));
  EXPECT_THAT(bytes({1, 3, 2, 2}, {.scale = 1}), ElementsAre(10, 40, 70, 100));
  EXPECT_THAT(bytes({1, 2, 2, 3}, {.mean = {10, 10, 20}}), ElementsAre(0, 10, 10, 30));
  EXPECT_THAT(elements_from<float>(pictured(float_port({2, 2}), kColours, {.scale = 1}).bytes),
              ElementsAre(18, 48, 78, 108));
}

TEST(Preprocessing, RefusesWhatDoesNotGoTogether) {
  EXPECT_THAT(message_of([] {
                (void)pictured(float_port({1, 640}), kGray);
              }),
              HasSubstr("a.png: is a picture; the network's 'in' is 1x640, which is no picture"));
  EXPECT_THAT(message_of([] {
                (void)pictured(float_port({1, 4, 4, 1}), kGray, {.resize = Resize::kNone});
              }),
              HasSubstr("a.png: is 2x2, the network takes 4x4"));
  EXPECT_THAT(message_of([] {
                (void)pictured(float_port({1, 2, 2, 3}), kGray, {.mean = {1, 2}});
              }),
              HasSubstr("--mean: has 2 numbers; one, or one for each of the input's 3 channels"));
  EXPECT_THAT(message_of([] {
                (void)pictured(float_port({1, 2, 2, 1}), kGray, {.channels = ChannelOrder::kRgb});
              }),
              HasSubstr("--channels: the network's 'in' has one channel; gray is supported"));
  InputPort flags = float_port({1, 2, 2, 1});
  flags.tensor.type = DType::kBool;
  EXPECT_THAT(message_of([&] { (void)pictured(flags, kGray); }), HasSubstr("is bool, which"));
}

TEST(Preprocessing, NumbersAreRoundedToTheNearestStepHalvesAwayFromZero) {
  InputPort port = port_of({1, 5}, 0, 255);
  port.tensor.quantization = {{0.5F}, {3}};
  const PreparedInput prepared = prepared_numbers(port, {0.25, -0.25, 0.2, 1000, -65}, {}, "n.csv");
  EXPECT_THAT(elements_from<int8_t>(prepared.bytes), ElementsAre(4, 2, 3, 127, -127));
  EXPECT_THAT(prepared.warnings, ElementsAre(HasSubstr("20.0 % of the values are clipped")));
  EXPECT_THAT(message_of([&] {
                (void)prepared_numbers(port, {1, 2}, {}, "n.csv");
              }),
              HasSubstr("n.csv: has 2 numbers, the network's 'in' 5 (1x5)"));
  EXPECT_THAT(prepared_numbers(port, {0, 0.1F, 0, 0, 0}, {}, "").warnings,
              ElementsAre(HasSubstr("a small part of what the input takes (0 to 255)")));
}

}  // namespace
}  // namespace thimble::testing
