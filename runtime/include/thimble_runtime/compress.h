// SPDX-License-Identifier: Apache-2.0
// Records of which one value is about half, made shorter before they are moved (TinySeg, 5.1): the
// most frequent value, a bit for each place where another one is, and these others.
//
//   record      -9 -9  5 -9 -9  3 -9 -9 -9 -9        10 B
//   compressed  header | -9 | 00100100 00000000 | 5 3     4 + 1 + 2 + 2 B; first bit first from low
//
// The header is a word, low byte first: bytes behind it, plus 2^31 if these are the record as it
// is, which they are where it is not longer than the others would be.
#pragma once

#include <stdint.h>

namespace thimble::runtime {

constexpr uint32_t kCompressedHeaderBytes = 4;
/// Bytes of a compressed record, whatever is in it.
constexpr uint32_t compressed_bytes_at_most(uint32_t record_bytes) noexcept {
  return kCompressedHeaderBytes + record_bytes;
}
/// Counts of all values.
constexpr uint32_t kCompressScratchWords = 256;

/// Writes at most compressed_bytes_at_most(record_bytes) to `compressed`, which does not overlap
/// the record, and returns how many. record_bytes: below 2^31, 0 too. scratch:
/// kCompressScratchWords.
[[nodiscard]] uint32_t compress(const uint8_t* record, uint32_t record_bytes, uint8_t* compressed,
                                uint32_t* scratch) noexcept;
/// The record that compress() was given, if `compressed`, at the start of that many bytes, is one
/// of record_bytes; else false, and the record is left as it is. Takes any bytes: no others are
/// read or written. What is damaged but for its length may still be a record, another one: tags
/// tell (transfers.h).
[[nodiscard]] bool decompress(const uint8_t* compressed, uint32_t compressed_bytes, uint8_t* record,
                              uint32_t record_bytes) noexcept;

}  // namespace thimble::runtime
