// SPDX-License-Identifier: Apache-2.0
// A convolution in parts: chunks of the input channels, then requantisation; and in place.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "tests/runtime/cases.h"
#include "thimble/reference/fixed_point.h"

namespace thimble::testing {
namespace {

/// What kernel(params, x, out, region) makes of the whole input.
template <class Params, class Kernel>
std::vector<int8_t> whole_result(const Convolution& c, const std::vector<int8_t>& x,
                                 const Params& p, Kernel kernel) {
  auto source = store(x, c.in);
  auto target = allocate<int8_t>(c.out, whole(c.out), Layout::kRowMajor);
  kernel(p, source.view, target.view, whole(c.out));
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
      // Often few channels, which the kernel adds in a way of their own.
      const int32_t most = random.between(0, 1) == 0 ? std::min(begin + 3, c.in[3]) : c.in[3];
      const int32_t end = random.between(begin, most);  // some are empty
      runtime::Region held = whole(c.in);               // the chunk's channels and no others
      held.begin[3] = begin;
      held.end[3] = end;
      auto chunk = store(x, c.in, held, Layout::kRowMajor);
      runtime::conv_2d_accumulate(p, chunk.view, sums.view, all, begin, end);
      begin = end;
    }
    auto target = allocate<int8_t>(c.out, all, Layout::kRowMajor);
    runtime::conv_2d_finalise(p, sums.view, target.view, all);
    ASSERT_EQ(elements(target, all), whole_result(c, x, p, runtime::conv_2d));
  }
}

/// The sum of (x - zero point) * weight over the window and the channels [begin, end).
int32_t chunk_sum(const Convolution& c, const std::vector<int8_t>& x, const Extents& at,
                  int32_t begin, int32_t end) {
  const runtime::Window2D& w = c.window;
  int32_t sum = 0;
  for (int32_t ky = 0; ky < w.kernel_h; ++ky) {
    for (int32_t kx = 0; kx < w.kernel_w; ++kx) {
      const int32_t row = at[1] * w.stride_h - w.pad_top + ky * w.dilation_h;
      const int32_t column = at[2] * w.stride_w - w.pad_left + kx * w.dilation_w;
      if (row < 0 || row >= w.in_h || column < 0 || column >= w.in_w) continue;
      for (int32_t i = begin; i < end; ++i) {
        const int32_t from = ((at[0] * c.in[1] + row) * c.in[2] + column) * c.in[3] + i;
        const int32_t weight = ((at[3] * w.kernel_h + ky) * w.kernel_w + kx) * c.in[3] + i;
        sum += (x[static_cast<size_t>(from)] - c.input_zero_point) *
               c.weights[static_cast<size_t>(weight)];
      }
    }
  }
  return sum;
}

/// The accumulators of all elements, chunk by chunk, by the definition of Graph::accumulators.
template <class T>
std::vector<T> added_up(const Convolution& c, const std::vector<int8_t>& x, int32_t chunk,
                        int32_t zero_point) {
  std::vector<T> result;
  Extents at;
  for (at[0] = 0; at[0] < c.out[0]; ++at[0]) {
    for (at[1] = 0; at[1] < c.out[1]; ++at[1]) {
      for (at[2] = 0; at[2] < c.out[2]; ++at[2]) {
        for (at[3] = 0; at[3] < c.out[3]; ++at[3]) {
          const auto o = static_cast<size_t>(at[3]);
          int64_t value = zero_point;
          for (int32_t begin = 0; begin < c.in[3]; begin += chunk) {
            const int32_t end = std::min(begin + chunk, c.in[3]);
            const int32_t sum = chunk_sum(c, x, at, begin, end) + (begin == 0 ? c.bias[o] : 0);
            value += reference::multiply(sum, {c.multipliers[o], c.shifts[o]});
            value = std::clamp<int64_t>(value, std::numeric_limits<T>::min(),
                                        std::numeric_limits<T>::max());
          }
          result.push_back(static_cast<T>(value));
        }
      }
    }
  }
  return result;
}

using NarrowKernel = void (*)(const runtime::Conv2DNarrowParams&, const runtime::View&,
                              const runtime::View&, const runtime::Region&, int32_t,
                              int32_t) noexcept;

template <class T>
void expect_narrow_sums(NarrowKernel kernel, int32_t least_shift, int32_t most_shift) {
  Random random(7);
  int saturated = 0;
  for (int round = 0; round < 200; ++round) {
    Convolution c = random_convolution(random, 1);
    for (int8_t& shift : c.shifts)
      shift = static_cast<int8_t>(random.between(least_shift, most_shift));
    const int32_t zero_point = random.between(-100, 100);
    const runtime::Conv2DNarrowParams p = c.narrow(zero_point);
    const std::vector<int8_t> x = random.bytes(count(c.in));
    const runtime::Region all = whole(c.out);
    auto sums =
        allocate<T>(c.out, all, round % 2 == 0 ? Layout::kRowMajor : Layout::kChannelsFirst);
    const int32_t chunk = random.between(1, c.in[3]);
    for (int32_t begin = 0; begin < c.in[3]; begin += chunk) {
      const int32_t end = std::min(begin + chunk, c.in[3]);
      runtime::Region held = whole(c.in);  // the chunk's channels and no others
      held.begin[3] = begin;
      held.end[3] = end;
      auto source =
          store(x, c.in, held, round % 3 == 0 ? Layout::kChannelsFirst : Layout::kRowMajor);
      runtime::Region part = all;  // the output channels in two calls
      part.end[3] = random.between(0, c.out[3]);
      kernel(p, source.view, sums.view, part, begin, end);
      part = {{0, 0, 0, part.end[3]}, {all.end[0], all.end[1], all.end[2], all.end[3]}};
      kernel(p, source.view, sums.view, part, begin, end);
      kernel(p, source.view, sums.view, all, begin, begin);
    }
    const std::vector<T> expected = added_up<T>(c, x, chunk, zero_point);
    ASSERT_EQ(elements(sums, all), expected);
    saturated += static_cast<int>(std::ranges::count(expected, std::numeric_limits<T>::max()));
  }
  EXPECT_GT(saturated, 0);
}

TEST(Conv2DAccumulate, AddsChunksIn16Bits) {
  expect_narrow_sums<int16_t>(runtime::conv_2d_accumulate_i16, -3, 2);
}

TEST(Conv2DAccumulate, AddsChunksIn8Bits) {
  expect_narrow_sums<int8_t>(runtime::conv_2d_accumulate_i8, -11, -5);
}

// Images and channels that the region leaves out stay as they are.
TEST(DepthwiseConv2DInPlace, EqualsDepthwiseConv2D) {
  Random random(5);
  for (int round = 0; round < 400; ++round) {
    const Convolution c = random_same_depthwise(random);
    const runtime::DepthwiseConv2DParams p = c.depthwise();
    const std::vector<int8_t> x = random.bytes(count(c.in));
    const Layout layout = round % 2 == 0 ? Layout::kRowMajor : Layout::kChannelsFirst;
    auto both = store(x, c.in, whole(c.in), layout);
    const auto scratch = std::make_unique<int8_t[]>(
        static_cast<size_t>(runtime::depthwise_conv_2d_in_place_scratch_bytes(p)));
    runtime::Region region = whole(c.out);
    for (const int axis : {0, 3}) {  // often empty
      region.begin[axis] = random.between(0, region.end[axis]);
      region.end[axis] = random.between(region.begin[axis], region.end[axis]);
    }
    runtime::depthwise_conv_2d_in_place(p, both.view, both.view, region, scratch.get());
    auto expected = store(x, c.in);
    auto computed = store(whole_result(c, x, p, runtime::depthwise_conv_2d), c.out);
    for_each_element(region, [&](int32_t n, int32_t y, int32_t column, int32_t k) {
      expected.at(n, y, column, k) = computed.at(n, y, column, k);
    });
    ASSERT_EQ(elements(both, whole(c.out)), elements(expected, whole(c.out)));
  }
}

}  // namespace
}  // namespace thimble::testing
