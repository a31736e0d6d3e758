// SPDX-License-Identifier: Apache-2.0
// Records of which one value is about half, made shorter before they are moved (TinySeg, 5.1): the
// most frequent value, then for every eight places a bit each where another one is, and these
// others.
//
//   record      -9 -9  5 -9 -9  3 -9 -9 | -9 -9        10 B
//   compressed  header | -9 | 00100100 5 3 | 00000000      4 + 1 + 3 + 1 B; the lowest bit first
//
// The header is a word, low byte first: how many bytes follow. Both directions go on where they
// stopped, so that compressed bytes pass through as little memory as there is.
#pragma once

#include <stdint.h>

namespace thimble::runtime {

constexpr uint32_t kCompressedHeaderBytes = 4;
/// The least that a compressed record has: its header, the value, and all bits.
constexpr uint32_t least_compressed_bytes(uint32_t record_bytes) noexcept {
  return kCompressedHeaderBytes + 1 + record_bytes / 8 + (record_bytes % 8 != 0 ? 1 : 0);
}

/// A record in the middle of being compressed or decompressed.
struct RecordCoding {
  uint32_t place;  ///< the first of the next eight
  uint32_t left;   ///< compressed bytes behind those so far; known behind the header
  uint8_t lead;    ///< bytes of the header, and then the value, that there were
  uint8_t value;   ///< the most frequent one
  uint8_t others;  ///< places of the last eight whose values are to come
};

/// Bytes that the record takes when it is compressed; 0 where that is not less than it has.
/// record_bytes: below 2^31.
[[nodiscard]] uint32_t compressed_size(const uint8_t* record, uint32_t record_bytes) noexcept;

/// From the start of a record that compressed_size is not 0 of.
void begin_compress(RecordCoding& coding, const uint8_t* record, uint32_t record_bytes) noexcept;
/// Writes the next bytes, at most `room`, and returns how many; none at the end.
[[nodiscard]] uint32_t compress(RecordCoding& coding, const uint8_t* record, uint32_t record_bytes,
                                uint8_t* to, uint32_t room) noexcept;

/// Takes the next bytes of what compress() has made, from RecordCoding{} on; what follows the
/// record's end is ignored. False where they are no such bytes. Takes any: none beyond the record
/// are written. What is damaged may still be a record, another one: tags tell (transfers.h).
[[nodiscard]] bool decompress(RecordCoding& coding, const uint8_t* from, uint32_t count,
                              uint8_t* record, uint32_t record_bytes) noexcept;
/// Whether all of the record is there.
[[nodiscard]] bool is_decompressed(const RecordCoding& coding, uint32_t record_bytes) noexcept;

}  // namespace thimble::runtime
