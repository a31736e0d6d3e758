// SPDX-License-Identifier: Apache-2.0
// conv_2d_1x1_dsp beside the portable kernel: 1 to 17 channels of the output, 4 to 36 of the input,
// strides and pieces.
#include <gtest/gtest.h>

#include "tests/runtime/cases.h"

namespace thimble::testing {
namespace {

using runtime::Region;
using runtime::View;

std::vector<int8_t> portable_outputs(const Convolution& c, const View& x, const Region& region) {
  auto to = allocate<int8_t>(c.out, region, Layout::kRowMajor);
  runtime::conv_2d(c.conv_2d(), x, to.view, region);
  return elements(to, region);
}

TEST(Conv2D1x1Dsp, EqualsThePortableKernelInEveryTail) {
  Random random(56);
  for (int32_t channels = 1; channels <= 17; ++channels) {
    for (int32_t fours = 1; fours <= 9; ++fours) {
      for (int32_t stride = 1; stride <= 2; ++stride) {
        const Convolution c = convolution_of(
            random, {.in = {1, random.between(1, 4), random.between(1, 5), 4 * fours},
                     .channels = channels,
                     .kernel = 1,
                     .stride = stride});
        const auto from = store(random.bytes(count(c.in)), c.in, whole(c.in), Layout::kRowMajor);
        for (const Region& region : {whole(c.out), random_region(random, c.out)}) {
          auto to = allocate<int8_t>(c.out, region, Layout::kRowMajor);
          runtime::conv_2d_1x1_dsp(c.conv_2d_pairs(WeightForm::kWide), from.view, to.view, region);
          ASSERT_EQ(elements(to, region), portable_outputs(c, from.view, region))
              << channels << " channels of " << 4 * fours << ", stride " << stride;
        }
      }
    }
  }
}

}  // namespace
}  // namespace thimble::testing
