// SPDX-License-Identifier: Apache-2.0
// Transfers as those of transfers.h, of records that are compressed where that is shorter
// (compress.h). Others lie in storage as they are: no record takes more there than it has. Which
// one is which, its tag says: the lowest bit, instead of the CRC-32's.
//
//   Two rows of 960 B, the second one noise; a passage with chunks of 256 B:
//
//     storage  |chunk 0|chunk 1|chunk 2.|             |row 1 as it is                |
//
//   begin_compressed_write begins chunk 0, which it has made in the passage, and returns;
//   wait_compressed ends it, makes and moves the other ones, then moves row 1 at once.
//
// Chunks are made of the rows, and rows of the chunks, while begin_compressed_write and
// wait_compressed are there: rows, tags and the passage are left alone from the one to the other.
#pragma once

#include <stdint.h>

#include "thimble_runtime/compress.h"
#include "thimble_runtime/transfers.h"

namespace thimble::runtime {

/// Where a compressed record is between memory and storage, at the start of its passage.
struct PassageState {
  RecordCoding coding;
  uint32_t moved;   ///< bytes of it that went to storage or came from there
  uint32_t moving;  ///< with the driver
};

/// Memory that compressed records pass through, of passage_bytes(chunk_bytes).
struct Passage {
  uint32_t* memory;
  uint32_t chunk_bytes;  ///< on their way at a time; whole granules of the storage
  /// So many of a record are read before anybody knows how long it is: whole granules, no more
  /// than a chunk.
  uint32_t first_bytes;
};
constexpr uint32_t passage_bytes(uint32_t chunk_bytes) noexcept {
  return sizeof(PassageState) + (chunk_bytes + 3) / 4 * 4;
}

/// As begin_write(), with a token that wait_compressed() is called for.
void begin_compressed_write(Transfers& transfers, int32_t token, const Records& records,
                            const HeldRows& held, uint32_t* tags, const Passage& passage,
                            int32_t first, int32_t end) noexcept;
/// As begin_read().
void begin_compressed_read(Transfers& transfers, int32_t token, const Records& records,
                           const HeldRows& held, const uint32_t* tags, const Passage& passage,
                           int32_t first, int32_t end) noexcept;
/// As wait(). passage: as it began. What is no compressed record, or another one, is read again
/// from its first chunk on.
void wait_compressed(Transfers& transfers, int32_t token, const Passage& passage) noexcept;

}  // namespace thimble::runtime
