// SPDX-License-Identifier: Apache-2.0
// Sums of 32 bits -> int8 in few instructions, against the reference's arithmetic.
#include "thimble/target/kernels/tails.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "runtime/dsp/pair_tails.h"
#include "thimble/reference/fixed_point.h"
#include "zoo/random.h"

namespace thimble {
namespace {

using runtime::Tail;

struct Output {
  int32_t zero_point;
  ClampRange clamp;
};

int8_t expected(int32_t sum, const runtime::Scale& scale, const Output& out) {
  const int32_t scaled = reference::multiply(sum, {scale.multiplier, scale.shift});
  return static_cast<int8_t>(std::clamp(scaled + out.zero_point, out.clamp.min, out.clamp.max));
}

int8_t finished(int32_t sum, Tail tail, const TailConstants& c, const Output& out, int all_held) {
  const int32_t constants[3] = {c.multiplier, c.constant, c.shift};
  const uint32_t clamps = static_cast<uint32_t>(127 - out.clamp.max) |
                          static_cast<uint32_t>(out.clamp.min + 128) << 8U |
                          (static_cast<uint32_t>(out.zero_point) & 255U) << 16U;
  const auto held = static_cast<uint32_t>(sum) << static_cast<uint32_t>(c.doublings);
  return runtime::finished(static_cast<int32_t>(held), constants, tail, clamps, all_held);
}

/// The sums around which the result changes, the ends, and any.
std::vector<int32_t> sums_for(zoo::Random& random, const runtime::Scale& scale,
                              const TailRange& range) {
  std::vector<int64_t> sums = {range.least, range.most, 0, 1, -1};
  for (int k = 0; k < 40; ++k) {
    sums.push_back(random.between(range.least, range.most));
    const double step = std::ldexp(1.0, 31 - scale.shift) / std::max(1, scale.multiplier);
    const double tie = (static_cast<double>(random.between(-140, 140)) + 0.5) * step;
    for (int64_t near = -1; near <= 1; ++near) {
      if (std::abs(tie) < 1e9) sums.push_back(static_cast<int64_t>(tie) + near);
    }
  }
  std::vector<int32_t> inside;
  for (const int64_t sum : sums) {
    if (sum >= range.least && sum <= range.most) inside.push_back(static_cast<int32_t>(sum));
  }
  return inside;
}

TEST(Tails, ComputeWhatTheReferenceComputes) {
  zoo::Random random(1);
  // By what all sums are held with: nothing, or as compact weights and nibbles have it.
  std::map<int, std::set<Tail>> tails;
  const auto between = [&](int64_t least, int64_t most) {
    return static_cast<int32_t>(random.between(least, most));
  };
  for (int k = 0; k < 60'000; ++k) {
    const int32_t zero_point = random.between(0, 2) == 0 ? -128 : between(-128, 127);
    const bool relu = random.between(0, 1) == 0;
    const int32_t least = relu ? zero_point : -128;
    const Output out{zero_point, {least, random.between(0, 2) > 0 ? 127 : between(least, 127)}};
    const int32_t multiplier = random.between(0, 3) > 0    ? between(1 << 30, 0x7FFFFFFF)
                               : random.between(0, 1) == 0 ? 1 << 30
                                                           : 0x7FFFFFFF;
    const runtime::Scale scale{random.between(0, 30) == 0 ? 0 : multiplier, between(-31, 8)};
    const int32_t reach = 1 << between(0, 29), bias = between(-(1 << 28), 1 << 28);
    const int held = std::array{0, 8, 12}.at(static_cast<size_t>(random.between(0, 2)));
    const int64_t most = held > 0 ? std::numeric_limits<int32_t>::max() >> held : 1 << 29;
    const TailRange range{std::clamp<int64_t>(bias - reach, -most, most),
                          std::clamp<int64_t>(bias + reach, -most, most)};
    const Tails found =
        tails_of(std::vector{scale}, std::vector{range}, zero_point, out.clamp,
                 held > 0 ? std::optional(held) : std::nullopt, std::max(held, kMostDoublings));
    tails[held].insert(found.tail);
    if (found.tail == Tail::kSums) continue;
    for (const int32_t sum : sums_for(random, scale, range)) {
      ASSERT_EQ(finished(sum, found.tail, found.channels[0], out, held), expected(sum, scale, out))
          << sum << " * " << scale.multiplier << " * 2^" << scale.shift << " + " << zero_point
          << ", tail " << static_cast<int>(found.tail) << ", times 2^" << held;
    }
  }
  EXPECT_EQ(tails[0].size(), 8U);
  EXPECT_EQ(tails[8].size(), 8U);
  EXPECT_EQ(tails[12].size(), 8U);
}

}  // namespace
}  // namespace thimble
