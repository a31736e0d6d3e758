// SPDX-License-Identifier: Apache-2.0
#include "thimble/inputs/image_faults.h"

#include <algorithm>

namespace thimble {
namespace {

constexpr uint8_t kMark = 0xff, kTables = 0xc4, kImageEnds = 0xd9;
constexpr size_t kMostCodes = 256, kLengths = 16;

uint8_t at(const Bytes& bytes, size_t k) { return k < bytes.size() ? bytes[k] : uint8_t{0}; }

// The tables of a segment, from its first byte behind the length on.
bool is_overlong(const Bytes& bytes, size_t begin, size_t end) {
  for (size_t table = begin; table < end;) {
    size_t codes = 0;
    for (size_t k = 1; k <= kLengths; ++k) codes += at(bytes, table + k);
    if (codes > kMostCodes) return true;
    table += 1 + kLengths + codes;
  }
  return false;
}

}  // namespace

bool has_overlong_table(const Bytes& bytes) {
  if (at(bytes, 0) != kMark) return false;  // what begins an image may have more of them before it
  for (size_t k = 0; k + 1 < bytes.size();) {
    const uint8_t marker = bytes[k + 1];
    const bool has_length = marker != 0 && marker != kMark && (marker < 0xd0 || marker > 0xd8);
    if (bytes[k] != kMark || !has_length) {  // pixels, padding, restarts
      ++k;
      continue;
    }
    if (marker == kImageEnds) return false;
    const size_t length = std::max<size_t>(2, at(bytes, k + 2) * 256U + at(bytes, k + 3));
    if (marker == kTables && is_overlong(bytes, k + 4, k + 2 + length)) return true;
    k += 2 + length;
  }
  return false;
}

bool has_overlong_chunk(const Bytes& bytes) {
  constexpr size_t kSignature = 8, kHead = 8, kSum = 4;
  if (at(bytes, 0) != 0x89 || at(bytes, 1) != 'P') return false;
  for (size_t k = kSignature; k + kHead <= bytes.size();) {
    size_t length = 0;
    for (size_t byte = 0; byte < 4; ++byte) length = length * 256 + at(bytes, k + byte);
    if (length > bytes.size() - k - kHead) return true;
    k += kHead + length + kSum;
  }
  return false;
}

}  // namespace thimble
