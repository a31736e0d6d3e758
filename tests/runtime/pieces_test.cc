// SPDX-License-Identifier: Apache-2.0
// A piece computed through views equals the same piece of the whole result, however input and
// output lie in memory.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/runtime/cases.h"

namespace thimble::testing {
namespace {

struct Kernel {
  const char* name;
  Case (*make)(Random&);
  bool whole_channels = false;  ///< regions cover all channels
};

class Pieces : public ::testing::TestWithParam<Kernel> {};

// What a layout holds of a box: rings hold whole rows or pixels of one image.
runtime::Region held(const runtime::Region& box, const Extents& extents, Layout layout) {
  runtime::Region result = box;
  if (layout == Layout::kRowMajor || layout == Layout::kChannelsFirst) return result;
  if (layout == Layout::kRowRing) {
    result.begin[2] = 0;
    result.end[2] = extents[2];
  }
  return result;
}

// Kernels have a way of their own for slices of one to three channels: half of the pieces are such.
runtime::Region random_piece(Random& random, const Extents& extents, bool whole_channels) {
  runtime::Region region = random_region(random, extents);
  if (random.between(0, 1) == 0) {
    region.end[3] = std::min(region.end[3], region.begin[3] + random.between(1, 3));
    region.begin[2] = 0;
    region.end[2] = extents[2];
  }
  if (whole_channels) {
    region.begin[3] = 0;
    region.end[3] = extents[3];
  }
  return region;
}

bool is_ring(Layout layout) { return layout == Layout::kRowRing || layout == Layout::kPixelRing; }

void expect_piece(const Case& c, const std::vector<int8_t>& x, const std::vector<int8_t>& expected,
                  const runtime::Region& region, Layout in_layout, Layout out_layout) {
  const runtime::Region needed = c.needed(region);
  auto source = store(x, c.in, held(needed, c.in, in_layout), in_layout);
  auto target = allocate<int8_t>(c.out, held(region, c.out, out_layout), out_layout);
  c.run(source.view, target.view, region);
  auto whole_result = store(expected, c.out);
  EXPECT_EQ(elements(target, region), elements(whole_result, region));
}

TEST_P(Pieces, EqualTheWhole) {
  Random random(7);
  for (int round = 0; round < 150; ++round) {
    const Case c = GetParam().make(random);
    const std::vector<int8_t> x = random.bytes(count(c.in));
    auto source = store(x, c.in);
    auto target = allocate<int8_t>(c.out, whole(c.out), Layout::kRowMajor);
    c.run(source.view, target.view, whole(c.out));
    const std::vector<int8_t> expected = elements(target, whole(c.out));
    for (Layout in :
         {Layout::kRowMajor, Layout::kChannelsFirst, Layout::kRowRing, Layout::kPixelRing}) {
      for (Layout out : {Layout::kRowMajor, Layout::kChannelsFirst, Layout::kRowRing}) {
        runtime::Region region = random_piece(random, c.out, GetParam().whole_channels);
        if (is_ring(in) || is_ring(out)) {
          region.begin[0] = 0;
          region.end[0] = 1;
        }
        // Where an input's images are summed or shifted, a ring of one image cannot hold them.
        if (is_ring(in) && c.needed(region).end[0] > 1) continue;
        expect_piece(c, x, expected, region, in, out);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, Pieces,
    ::testing::Values(
        Kernel{"conv_2d", conv_2d_case}, Kernel{"grouped_conv_2d", grouped_conv_2d_case},
        Kernel{"depthwise_conv_2d", depthwise_conv_2d_case},
        Kernel{"multiplied_depthwise_conv_2d", multiplied_depthwise_conv_2d_case},
        Kernel{"average_pool_2d", average_pool_2d_case}, Kernel{"max_pool_2d", max_pool_2d_case},
        Kernel{"batch_matmul", batch_matmul_case}, Kernel{"add", add_case}, Kernel{"mul", mul_case},
        Kernel{"mean", mean_case}, Kernel{"pad", pad_case}, Kernel{"copy_8", copy_case},
        Kernel{"rescale_i8_i8", rescale_case}, Kernel{"clamp", clamp_case},
        Kernel{"lookup_i8", lookup_case}, Kernel{"softmax_i8_i8", softmax_case, true},
        Kernel{"resize_nearest_neighbor", resize_nearest_neighbor_case},
        Kernel{"resize_bilinear", resize_bilinear_case}),
    [](const auto& parameter) { return parameter.param.name; });

}  // namespace
}  // namespace thimble::testing
