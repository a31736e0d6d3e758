// SPDX-License-Identifier: Apache-2.0
// Convolutions in MVE beside the portable ones, in every tail: 1 to 17 channels, widths 1 to 9,
// windows of 1 to 7, strides 1 to 3, padding on any side.
#include <gtest/gtest.h>

#include "tests/runtime/cases.h"

namespace thimble::testing {
namespace {

using namespace runtime;
using runtime::Region;

using Compute = std::function<void(const View& x, const View& out, const Region&)>;

std::vector<int8_t> computed(const Convolution& c, const std::vector<int8_t>& x,
                             const Region& region, const Compute& kernel) {
  auto from = store(x, c.in, whole(c.in), Layout::kRowMajor);
  auto to = allocate<int8_t>(c.out, region, Layout::kRowMajor);
  kernel(from.view, to.view, region);
  return elements(to, region);
}

ConvolutionShape shape_of(Random& random, int32_t channels, int32_t width, int32_t kernel) {
  ConvolutionShape shape;
  shape.in = {1, random.between(1, 9), width, random.between(1, 33)};
  shape.channels = channels;
  shape.kernel = kernel;
  shape.pad = random.between(0, kernel - 1);
  shape.pad_end = random.between(0, kernel - 1);
  return shape;
}

void expect_conv_2d(Random& random, const ConvolutionShape& shape) {
  const Convolution c = convolution_of(random, shape);
  const std::vector<int8_t> x = random.bytes(count(c.in));
  const Conv2DFoursParams p = c.conv_2d_fours();
  std::vector<int8_t> scratch(static_cast<size_t>(conv_2d_mve_scratch_bytes(p)));
  for (const Region& region : {whole(c.out), random_region(random, c.out)}) {
    ASSERT_EQ(computed(c, x, region,
                       [&](const View& from, const View& to, const Region& r) {
                         conv_2d_mve(p, from, to, r, scratch.data());
                       }),
              computed(c, x, region, [&](const View& from, const View& to, const Region& r) {
                conv_2d(c.conv_2d(), from, to, r);
              }));
  }
}

void expect_conv_2d_1x1(Random& random, const ConvolutionShape& shape) {
  const Convolution c = convolution_of(random, shape);
  const std::vector<int8_t> x = random.bytes(count(c.in));
  for (const Region& region : {whole(c.out), random_region(random, c.out)}) {
    ASSERT_EQ(computed(c, x, region,
                       [&](const View& from, const View& to, const Region& r) {
                         conv_2d_1x1_mve(c.conv_2d_fours(), from, to, r);
                       }),
              computed(c, x, region, [&](const View& from, const View& to, const Region& r) {
                conv_2d(c.conv_2d(), from, to, r);
              }));
  }
}

void expect_depthwise(Random& random, const ConvolutionShape& shape) {
  const Convolution c = convolution_of(random, shape);
  const std::vector<int8_t> x = random.bytes(count(c.in));
  const DepthwiseConv2DParams p = c.depthwise();
  std::vector<int8_t> scratch(static_cast<size_t>(depthwise_conv_2d_mve_scratch_bytes(p)));
  for (const Region& region : {whole(c.out), random_region(random, c.out)}) {
    ASSERT_EQ(computed(c, x, region,
                       [&](const View& from, const View& to, const Region& r) {
                         depthwise_conv_2d_mve(p, from, to, r, scratch.data());
                       }),
              computed(c, x, region, [&](const View& from, const View& to, const Region& r) {
                depthwise_conv_2d(p, from, to, r);
              }));
  }
}

template <class Expect>
void expect_all(Expect expect) {
  Random random(55);
  for (int32_t channels = 1; channels <= 17; ++channels) {
    for (int32_t width = 1; width <= 9; ++width) {
      for (int32_t kernel = 1; kernel <= 7; ++kernel) {
        ConvolutionShape shape = shape_of(random, channels, width, kernel);
        for (shape.stride = 1; shape.stride <= 3; ++shape.stride) {
          expect(random, shape);
          if (::testing::Test::HasFatalFailure()) {
            FAIL() << channels << " channels, width " << width << ", window " << kernel
                   << ", stride " << shape.stride;
          }
        }
      }
    }
  }
}

TEST(MveShapes, ConvolutionsEqualThePortableOnes) {
  expect_all([](Random& random, const ConvolutionShape& shape) { expect_conv_2d(random, shape); });
}

TEST(MveShapes, PointwiseOnesDo) {
  expect_all([](Random& random, ConvolutionShape shape) {
    shape.kernel = 1;
    shape.pad = shape.pad_end = 0;
    expect_conv_2d_1x1(random, shape);
  });
}

TEST(MveShapes, DepthwiseOnesDo) {
  expect_all([](Random& random, ConvolutionShape shape) {
    shape.in[3] = shape.channels;
    shape.depthwise = true;
    expect_depthwise(random, shape);
  });
}

// Rows that scratch has no room for are computed in strips.
TEST(MveShapes, DepthwiseOnesOfWideRowsDo) {
  Random random(56);
  for (const int32_t width : {90, 200, 401}) {
    for (int32_t stride = 1; stride <= 2; ++stride) {
      const ConvolutionShape shape{{1, 5, width, 47}, 47, random.between(2, 5), stride, 1, 1, true};
      expect_depthwise(random, shape);
    }
  }
}

// Outputs over the inputs of pixels before, as plans have them.
TEST(MveShapes, PointwiseOutputsMayFollowTheirInputs) {
  Random random(57);
  for (int k = 0; k < 400; ++k) {
    const int32_t in = random.between(1, 40), out = random.between(1, 40);
    const int32_t pixels = random.between(1, 30);
    const Convolution c = convolution_of(random, {{1, 1, pixels, in}, out});
    const Conv2DFoursParams p = c.conv_2d_fours();
    const std::vector<int8_t> x = random.bytes(count(c.in));
    const std::vector<int8_t> expected =
        computed(c, x, whole(c.out), [&](const View& from, const View& to, const Region& r) {
          conv_2d(c.conv_2d(), from, to, r);
        });
    // An output ends where the inputs of the next pixel begin, or before.
    int32_t lead = 0;
    for (int32_t pixel = 0; pixel < pixels; ++pixel)
      lead = std::max(lead, (pixel + 1) * out - pixel * in);
    std::vector<int8_t> memory(static_cast<size_t>(lead + pixels * in));
    std::ranges::copy(x, memory.begin() + lead);
    const View from{memory.data() + lead, 0, 0, 0, {pixels * in, pixels * in, in, 1}};
    const View to{memory.data(), 0, 0, 0, {pixels * out, pixels * out, out, 1}};
    conv_2d_1x1_mve(p, from, to, whole(c.out));
    memory.resize(expected.size());
    ASSERT_EQ(memory, expected) << in << " -> " << out << ", " << pixels << " pixels";
  }
}

}  // namespace
}  // namespace thimble::testing
