// SPDX-License-Identifier: Apache-2.0
// A convolution in parts: chunks of the input channels, then requantisation; and in place.
#include <gtest/gtest.h>

#include "tests/runtime/cases.h"

namespace thimble::testing {
namespace {

std::vector<int8_t> whole_result(const Case& c, const std::vector<int8_t>& x) {
  auto source = store(x, c.in);
  auto target = allocate<int8_t>(c.out, whole(c.out), Layout::kRowMajor);
  c.run(source.view, target.view, whole(c.out));
  return elements(target, whole(c.out));
}

TEST(Conv2DAccumulate, ChunksThenFinaliseEqualConv2D) {
  Random random(3);
  for (int round = 0; round < 200; ++round) {
    const Convolution c = random_convolution(random, 1);
    const runtime::Conv2DParams p = c.conv_2d();
    const std::vector<int8_t> x = random.bytes(count(c.in));
    const runtime::Region all = whole(c.out);
    const Layout layout = round % 2 == 0 ? Layout::kRowMajor : Layout::kChannelsFirst;
    auto sums = allocate<int32_t>(c.out, all, layout);
    for (int32_t begin = 0; begin < c.in[3];) {
      const int32_t end = random.between(begin + 1, c.in[3]);
      runtime::Region held = whole(c.in);  // the chunk's channels and no others
      held.begin[3] = begin;
      held.end[3] = end;
      auto chunk = store(x, c.in, held, Layout::kRowMajor);
      runtime::conv_2d_accumulate(p, chunk.view, sums.view, all, begin, end);
      begin = end;
    }
    auto target = allocate<int8_t>(c.out, all, Layout::kRowMajor);
    runtime::conv_2d_finalise(p, sums.view, target.view, all);
    const Case plain{c.in,
                     c.out,
                     [&](const auto& from, const auto& to, const auto& region) {
                       runtime::conv_2d(p, from, to, region);
                     },
                     {}};
    ASSERT_EQ(elements(target, all), whole_result(plain, x));
  }
}

TEST(DepthwiseConv2DInPlace, EqualsDepthwiseConv2D) {
  Random random(5);
  for (int round = 0; round < 200; ++round) {
    const Convolution c = random_same_depthwise(random);
    const runtime::DepthwiseConv2DParams p = c.depthwise();
    const std::vector<int8_t> x = random.bytes(count(c.in));
    const Layout layout = round % 2 == 0 ? Layout::kRowMajor : Layout::kChannelsFirst;
    auto both = store(x, c.in, whole(c.in), layout);
    const auto scratch = std::make_unique<int8_t[]>(
        static_cast<size_t>(runtime::depthwise_conv_2d_in_place_scratch_bytes(c.in[1], c.in[2])));
    runtime::depthwise_conv_2d_in_place(p, both.view, both.view, whole(c.out), scratch.get());
    const Case plain{c.in,
                     c.out,
                     [&](const auto& from, const auto& to, const auto& region) {
                       runtime::depthwise_conv_2d(p, from, to, region);
                     },
                     {}};
    ASSERT_EQ(elements(both, whole(c.out)), whole_result(plain, x));
  }
}

TEST(DepthwiseConv2DInPlace, LeavesOtherChannelsAlone) {
  Random random(6);
  const Convolution c = random_same_depthwise(random);
  const std::vector<int8_t> x = random.bytes(count(c.in));
  auto both = store(x, c.in);
  std::vector<int8_t> scratch(static_cast<size_t>(c.in[1] * c.in[2]));
  runtime::Region region = whole(c.out);
  region.end[3] = 1;
  runtime::depthwise_conv_2d_in_place(c.depthwise(), both.view, both.view, region, scratch.data());
  const std::vector<int8_t> after = elements(both, whole(c.out));
  for (size_t k = 0; k < x.size(); ++k) {
    if (k % static_cast<size_t>(c.in[3]) == 0) continue;
    EXPECT_EQ(after[k], x[k]);
  }
}

}  // namespace
}  // namespace thimble::testing
