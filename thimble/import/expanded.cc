// SPDX-License-Identifier: Apache-2.0
#include "thimble/import/expanded.h"

#include <bit>
#include <cmath>
#include <cstring>

namespace thimble {
namespace {

float from_half(uint32_t half) {
  const uint32_t exponent = half >> 10 & 31, fraction = half & 1023;
  const uint32_t sign = half >> 15 << 31;
  if (exponent == 0) {
    const float size = std::ldexp(static_cast<float>(fraction), -24);
    return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(size));
  }
  const uint32_t wide = exponent == 31 ? 255 : exponent + 112;
  return std::bit_cast<float>(sign | wide << 23 | fraction << 13);
}

void append_float(float value, Bytes& bytes) {
  const size_t at = bytes.size();
  bytes.resize(at + sizeof value);
  std::memcpy(&bytes[at], &value, sizeof value);
}

}  // namespace

Bytes from_float16(std::span<const uint8_t> halves) {
  Bytes bytes;
  bytes.reserve(2 * halves.size());
  for (size_t at = 0; at + 1 < halves.size(); at += 2)
    append_float(from_half(halves[at] | uint32_t{halves[at + 1]} << 8), bytes);
  return bytes;
}

Bytes from_int4(std::span<const uint8_t> pairs, int64_t count) {
  Bytes bytes;
  for (const uint8_t pair : pairs) {
    for (const int nibble : {pair & 15, pair >> 4})
      bytes.push_back(static_cast<uint8_t>(nibble < 8 ? nibble : nibble - 16));
  }
  if (std::ssize(bytes) == count + 1) bytes.pop_back();  // fills the last byte
  return bytes;
}

}  // namespace thimble
