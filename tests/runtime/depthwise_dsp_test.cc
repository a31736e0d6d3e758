// SPDX-License-Identifier: Apache-2.0
// The DSP kernels of depthwise convolutions where output and input share bytes: whatever the
// scratch, no input is overwritten before it is read.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/runtime/cases.h"

namespace thimble::testing {
namespace {

using runtime::Region;
using runtime::View;

std::vector<KernelId> dsp_kernels(Family family) {
  std::vector<KernelId> result;
  for (const KernelInfo& row : thimble::kernels()) {
    if (row.family == family && row.set == InstructionSet::kDsp)
      result.push_back(kernel_named(row.name));
  }
  return result;
}

View dense(int8_t* data, const Extents& e) {
  return {data, 0, 0, 0, {e[1] * e[2] * e[3], e[2] * e[3], e[3], 1}};
}

std::vector<int8_t> expected_outputs(const Case& c, std::vector<int8_t> x) {
  std::vector<int8_t> result(static_cast<size_t>(count(c.out.extents)));
  Call call{.in = {dense(x.data(), c.in[0].extents)},
            .out = dense(result.data(), c.out.extents),
            .region = whole(c.out.extents)};
  c.whole(call);
  return result;
}

struct Scratch32 {
  std::vector<int32_t> words;
  explicit Scratch32(int64_t bytes) : words(static_cast<size_t>(bytes + 3) / 4) {}
  int8_t* data() { return reinterpret_cast<int8_t*>(words.data()); }
};

// Channels that the region leaves out stay as they are.
TEST(DepthwiseDsp, InPlaceEqualsThePortableKernel) {
  for (const KernelId kernel : dsp_kernels(Family::kDepthwiseConv2DInPlace)) {
    Random random(11);
    for (int round = 0; round < 300; ++round) {
      const Case c = random_case(kernel, random);
      const Extents& e = c.out.extents;
      std::vector<int8_t> both = random.bytes(count(e));
      std::vector<int8_t> expected = expected_outputs(c, both);
      Region region = whole(e);
      region.begin[3] = random.between(0, e[3] - 1);
      region.end[3] = random.between(region.begin[3] + 1, e[3]);
      for (size_t k = 0; k < both.size(); ++k) {
        const auto channel = static_cast<int32_t>(k % static_cast<size_t>(e[3]));
        if (channel < region.begin[3] || channel >= region.end[3]) expected[k] = both[k];
      }
      Scratch32 scratch(c.scratch_bytes);
      const View view = dense(both.data(), e);
      c.run({.in = {view}, .out = view, .region = region, .chunk = {}, .scratch = scratch.data()});
      ASSERT_EQ(both, expected) << info(kernel).name << ", round " << round;
    }
  }
}

// Bytes from the output's beginning to the input's at which no pixel is written before the pixels
// from it on have been read: the most that `progress: pixel` lets a plan save.
int64_t least_distance(const Case& c) {
  const Extents& in = c.in[0].extents;
  const Extents& out = c.out.extents;
  int64_t least = 0, first = count(in) / in[3];
  for (int64_t t = count(out) / out[3]; t-- > 0;) {
    Region pixel = whole(out);
    const std::array<int64_t, 3> at = {t / (out[1] * out[2]), t / out[2] % out[1], t % out[2]};
    for (size_t axis = 0; axis < 3; ++axis) {
      pixel.begin[axis] = static_cast<int32_t>(at[axis]);
      pixel.end[axis] = pixel.begin[axis] + 1;
    }
    const Region read = c.needed(pixel, {})[0];
    const bool none = read.begin[1] >= read.end[1] || read.begin[2] >= read.end[2];
    const int64_t begin = (int64_t{read.begin[0]} * in[1] + read.begin[1]) * in[2] + read.begin[2];
    if (!none) first = std::min(first, begin);
    least = std::max(least, (t + 1) * out[3] - first * in[3]);
  }
  return least;
}

TEST(DepthwiseDsp, ReadsInputsBeforeTheyAreOverwritten) {
  for (const KernelId kernel : dsp_kernels(Family::kDepthwiseConv2D)) {
    Random random(12);
    for (int round = 0; round < 300; ++round) {
      const Case c = random_case(kernel, random);
      const std::vector<int8_t> x = random.bytes(count(c.in[0].extents));
      const int64_t distance = least_distance(c);
      const int64_t outputs = count(c.out.extents);
      std::vector<int8_t> memory(static_cast<size_t>(std::max(outputs, distance + std::ssize(x))));
      std::ranges::copy(x, memory.begin() + distance);
      Scratch32 scratch(c.scratch_bytes);
      c.run({.in = {dense(memory.data() + distance, c.in[0].extents)},
             .out = dense(memory.data(), c.out.extents),
             .region = whole(c.out.extents),
             .chunk = {},
             .scratch = scratch.data()});
      memory.resize(static_cast<size_t>(outputs));
      ASSERT_EQ(memory, expected_outputs(c, x)) << info(kernel).name << ", round " << round;
    }
  }
}

}  // namespace
}  // namespace thimble::testing
