// SPDX-License-Identifier: Apache-2.0
#include "thimble/certify/draws.h"

#include <cmath>
#include <random>

#include "thimble/reference/elements.h"

namespace thimble {
namespace {

using Generator = std::mt19937_64;

bool takes_most(Draw draw, Generator& random) {
  return draw == Draw::kMost || (draw == Draw::kEnds && (random() >> 40) % 2 == 1);
}

Bytes within(const ValueRanges& ranges, DType type, int64_t count, Draw draw, Generator& random) {
  std::vector<int32_t> values(static_cast<size_t>(count));
  for (size_t k = 0; k < values.size(); ++k) {
    const ValueRange& range = ranges[k % ranges.size()];
    const auto width = static_cast<uint64_t>(int64_t{range.high} - range.low + 1);
    values[k] = draw == Draw::kNoise
                    ? static_cast<int32_t>(range.low + static_cast<int64_t>(random() % width))
                : takes_most(draw, random) ? range.high
                                           : range.low;
  }
  return reference::bytes_from_integers(values, type);
}

Bytes reals(int64_t count, Draw draw, Generator& random) {
  std::vector<float> values(static_cast<size_t>(count));
  for (float& value : values) {
    const auto noise = static_cast<float>(random() >> 40) * 0x1p-21F - 4;
    value = draw == Draw::kNoise ? noise : takes_most(draw, random) ? 64.0F : -64.0F;
  }
  return reference::bytes_from(values);
}

/// Values of types without ranges: all bits at random, all zeros, all ones.
Bytes raw(DType type, int64_t count, Draw draw, Generator& random) {
  Bytes bytes(static_cast<size_t>(count * size_bytes(type)));
  for (uint8_t& byte : bytes) {
    byte = draw == Draw::kNoise       ? static_cast<uint8_t>(random() >> 40)
           : takes_most(draw, random) ? uint8_t{0xFF}
                                      : uint8_t{0};
    if (type == DType::kBool) byte &= 1;
  }
  return bytes;
}

}  // namespace

Bytes drawn(const Tensor& tensor, const ValueRanges& ranges, Draw draw, uint64_t seed) {
  Generator random(seed);
  const int64_t count = elements(tensor.shape);
  if (tensor.type == DType::kFloat32) return reals(count, draw, random);
  if (ranges.empty()) return raw(tensor.type, count, draw, random);
  return within(ranges, tensor.type, count, draw, random);
}

Bytes with_channels(const Bytes& bytes, const Tensor& tensor, const std::vector<bool>& kept) {
  const auto size = static_cast<size_t>(size_bytes(tensor.type));
  Bytes result;
  result.reserve(bytes.size());
  for (size_t k = 0; k * size < bytes.size(); ++k) {
    if (!kept[k % kept.size()]) continue;
    const auto at = bytes.begin() + static_cast<std::ptrdiff_t>(k * size);
    result.insert(result.end(), at, at + static_cast<std::ptrdiff_t>(size));
  }
  return result;
}

bool are_equal(const Bytes& a, const Bytes& b, DType type) {
  if (a == b) return true;
  if (type != DType::kFloat32 || a.size() != b.size()) return false;
  const std::vector<float> x = reference::elements_from<float>(a);
  const std::vector<float> y = reference::elements_from<float>(b);
  for (size_t k = 0; k < x.size(); ++k) {
    if (x[k] != y[k] && !(std::isnan(x[k]) && std::isnan(y[k]))) return false;
  }
  return true;
}

bool are_within(const Bytes& bytes, DType type, const ValueRanges& ranges) {
  if (ranges.empty()) return true;
  const std::vector<int32_t> values = reference::integers_from(bytes, type);
  for (size_t k = 0; k < values.size(); ++k) {
    const ValueRange& range = ranges[k % ranges.size()];
    if (values[k] < range.low || values[k] > range.high) return false;
  }
  return true;
}

}  // namespace thimble
