// SPDX-License-Identifier: Apache-2.0
// Pictures from files, in the size of a network, with boxes drawn on them.
#include "thimble/inputs/image.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/support/workload.h"
#include "thimble/import/file_bytes.h"
#include "thimble/inputs/draw.h"
#include "thimble/inputs/fit.h"
#include "thimble/inputs/image_faults.h"
#include "thimble/inputs/stb.h"
#include "thimble/model/error.h"
#include "thimble/toolchain/temporary_folder.h"

namespace thimble::testing {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// 3x2: red, green, blue; black, grey, white.
Image small_picture() {
  return {.width = 3,
          .height = 2,
          .channels = 3,
          .pixels = {255, 0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 128, 128, 128, 255, 255, 255}};
}

Bytes png_of(const Image& image) {
  const TemporaryFolder folder;
  write_png(folder.path() / "a.png", image);
  return read_file(folder.path() / "a.png", 1 << 20);
}

Bytes jpeg_of(const Image& image) {
  Bytes jpeg;
  const auto append = [](void* to, void* bytes, int count) {
    const auto* from = static_cast<const uint8_t*>(bytes);
    static_cast<Bytes*>(to)->insert(static_cast<Bytes*>(to)->end(), from, from + count);
  };
  stbi_write_jpg_to_func(append, &jpeg, image.width, image.height, 3, image.pixels.data(), 100);
  return jpeg;
}

Bytes bmp_of(const Image& image) {
  Bytes bmp;
  const auto append = [](void* to, void* bytes, int count) {
    const auto* from = static_cast<const uint8_t*>(bytes);
    static_cast<Bytes*>(to)->insert(static_cast<Bytes*>(to)->end(), from, from + count);
  };
  stbi_write_bmp_to_func(append, &bmp, image.width, image.height, 3, image.pixels.data());
  return bmp;
}

std::string fault_of_image(const Bytes& bytes) {
  try {
    (void)decoded_image(bytes, "a.png");
  } catch (const CompileError& error) {
    return error.what();
  }
  return "";
}

TEST(Images, AreReadAsTheyWereWritten) {
  EXPECT_EQ(decoded_image(png_of(small_picture()), ""), small_picture());
  EXPECT_EQ(decoded_image(bmp_of(small_picture()), ""), small_picture());
  const Image gray{.width = 2, .height = 1, .channels = 1, .pixels = {7, 200}};
  EXPECT_EQ(decoded_image(png_of(gray), ""), gray);
  const Image blue{.width = 8, .height = 8, .channels = 3, .pixels = Bytes(192, 90)};
  const Image again = decoded_image(jpeg_of(blue), "");
  EXPECT_EQ(again.width, 8);
  EXPECT_THAT(again.pixels, Each(90));
}

TEST(Images, AreRefusedUnlessTheyCanBeRead) {
  EXPECT_THAT(fault_of_image({}), HasSubstr("a.png: is no picture that can be read"));
  EXPECT_THAT(fault_of_image({'G', 'I', 'F', '8', '9', 'a', 1, 0, 1, 0, 0, 0, 0}),
              HasSubstr("supported are PNG, JPEG and BMP"));
  Bytes png = png_of(small_picture());
  for (size_t at = 16; at < 24; at += 4) png[at + 1] = 0xFF;  // sides of 16 M pixels
  EXPECT_THAT(fault_of_image(png), HasSubstr("a.png: is"));
  EXPECT_NE(fault_of_image({png.begin(), png.begin() + 30}), "");
}

// stb_image 2.27 writes the lengths of all codes one behind the other, whatever room there is.
TEST(Images, WithAnOverlongHuffmanTableAreRefused) {
  Bytes jpeg = {0xff, 0xd8, 0xff, 0xc4, 0x00, 0x13, 0x00};
  jpeg.insert(jpeg.end(), 16, 17);  // codes of each length: 272 in all
  EXPECT_TRUE(has_overlong_table(jpeg));
  jpeg.back() = 1;  // 256
  EXPECT_FALSE(has_overlong_table(jpeg));
}

TEST(Images, SurviveAnyByte) {
  std::mt19937_64 random(7);
  const Image picture{.width = 16, .height = 16, .channels = 3, .pixels = Bytes(768, 50)};
  for (const Bytes& whole : {png_of(picture), jpeg_of(picture), bmp_of(picture)}) {
    for (uint64_t n = 0; n < random_cases(400, 20'000); ++n) {
      Bytes bytes = whole;
      for (uint64_t k = 0; k <= n % 3; ++k)
        bytes[random() % bytes.size()] = static_cast<uint8_t>(random());
      if (n % 4 == 0) bytes.resize(random() % bytes.size());
      (void)fault_of_image(bytes);
    }
  }
}

TEST(Images, BecomeGrayByTheLumaOfTheirColours) {
  EXPECT_THAT(as_gray(small_picture()).pixels, ElementsAre(76, 150, 29, 0, 128, 255));
  EXPECT_THAT(as_rgb({.width = 1, .height = 1, .channels = 1, .pixels = {9}}).pixels,
              ElementsAre(9, 9, 9));
}

Image row(const Bytes& pixels) {
  return {
      .width = static_cast<int32_t>(pixels.size()), .height = 1, .channels = 1, .pixels = pixels};
}

TEST(Fit, ResizesBetweenCentresOfPixels) {
  EXPECT_THAT(fitted(row({0, 100}), 4, 1, Resize::kBilinear, Fit::kStretch).pixels,
              ElementsAre(0, 25, 75, 100));
  EXPECT_THAT(fitted(row({0, 100, 200, 40}), 2, 1, Resize::kBilinear, Fit::kStretch).pixels,
              ElementsAre(50, 120));
  EXPECT_THAT(fitted(row({0, 100, 200}), 6, 1, Resize::kNearest, Fit::kStretch).pixels,
              ElementsAre(0, 0, 100, 100, 200, 200));
  EXPECT_THAT(fitted(row({0, 90, 30, 60, 60, 60}), 2, 1, Resize::kArea, Fit::kStretch).pixels,
              ElementsAre(40, 60));
  EXPECT_THAT(fitted(row({10, 40}), 3, 2, Resize::kNearest, Fit::kStretch).pixels,
              ElementsAre(10, 40, 40, 10, 40, 40));
}

TEST(Fit, CropsAndPadsInTheMiddle) {
  const Image wide = row({1, 2, 3, 4, 5});
  EXPECT_THAT(fitted(wide, 1, 1, Resize::kNearest, Fit::kCrop).pixels, ElementsAre(3));
  EXPECT_THAT(fitted(row({8, 9}), 2, 3, Resize::kNearest, Fit::kPad).pixels,
              ElementsAre(0, 0, 8, 9, 0, 0));
  const SeenPart crop = seen_part(wide, 1, 1, Fit::kCrop), pad = seen_part(wide, 1, 1, Fit::kPad);
  EXPECT_EQ(crop.left, 2);
  EXPECT_EQ(crop.width, 1);
  EXPECT_EQ(pad.top, -2);
  EXPECT_EQ(pad.height, 5);
}

TEST(Draw, BoxesBeyondThePictureAreCut) {
  Image image{.width = 40, .height = 30, .channels = 3, .pixels = Bytes(3600, 0)};
  draw_box(image, {.left = 5, .top = 15, .right = 20, .bottom = 25, .caption = "a", .colour = 0});
  EXPECT_EQ(image.at(24, 10, 0), 230);
  EXPECT_EQ(image.at(20, 10, 0), 0);
  draw_box(image, {.left = -1e30, .top = NAN, .right = 1e30, .bottom = 9e9, .caption = "b\n\xFF"});
}

}  // namespace
}  // namespace thimble::testing
