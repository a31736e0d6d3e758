// SPDX-License-Identifier: Apache-2.0
// Transfers between memory and block storage, as emitted code begins and awaits them. A tensor in
// storage is an array of records, rows of an image; each has a tag, its CRC-32, in memory, so that
// a record which is damaged, stale or another's is found when it is read. Packed constants are
// records of an image that was stored before, with their checks behind them.
//
//   Three rows of 10 B in a ring of two; a granule of 4 B, so records are 12 B apart:
//
//     storage   |record 0  ..|record 1  ..|record 2  ..|      memory   |row 2     |row 1     |
//
//   begin_write of records [1, 3) begins record 1; wait() ends it, then begins and ends record 2.
//   Records that lie side by side in both are one operation of the driver.
#pragma once

#include <stdint.h>

#include "thimble_runtime/storage.h"

namespace thimble::runtime {

/// Where the records of a tensor lie in storage, in bytes.
struct Records {
  uint32_t address;  ///< the first one's
  uint32_t record_bytes;
  uint32_t stride_bytes;  ///< from one to the next, at least record_bytes
};

/// Where they lie in memory: record r at row r - origin, or r modulo `rows` if there are any.
struct HeldRows {
  uint8_t* base;
  int32_t origin;
  int32_t rows;
};

/// What is in flight with a token; zero at first.
struct InFlight {
  enum class Kind : uint8_t { kNothing, kRead, kWrite, kErase };
  Kind kind;
  uint8_t faults;   ///< so far
  Records records;  ///< of an erase: one, of all of its bytes
  HeldRows held;
  const uint32_t* tags;  ///< of a read: what the records must be; null: they are of an image
  int32_t done, begun;   ///< records [done, begun) are with the driver, those before are moved
  int32_t end;
};

/// All that goes to one storage and comes from it.
struct Transfers {
  const thimble_storage* storage;
  InFlight* flights;  ///< by token
  int32_t status;     ///< the first fault; then nothing begins any more
  uint32_t image;     ///< the number of the image that is stored, if there is one
};

/// What an image of packed constants ends with: which image it is. Records of the image end with
/// their check (image_check), of 4 B.
struct ImageLabel {
  uint32_t number;
  uint32_t words[7];
};
/// The check of a record's bytes before it. Another image's record is found, and so is another one
/// of this: each address has its own.
[[nodiscard]] uint32_t image_check(const uint8_t* bytes, uint32_t size, uint32_t image,
                                   uint32_t address) noexcept;

/// Faults of a transfer that are tried again.
constexpr int32_t kRetries = 3;

/// A pointer into a record of constants, to where the part of channel 0 would lie: `offset` bytes
/// behind the record's first, or before it, where nothing need be.
template <class T>
const T* of_channel_0(const int8_t* record, int32_t offset) noexcept {
  return reinterpret_cast<const T*>(reinterpret_cast<uintptr_t>(record) +
                                    static_cast<uintptr_t>(intptr_t{offset}));
}

/// Begins to write records [first, end); of none (first >= end): nothing, and no bytes are looked
/// at. The rows are left alone until wait(). tags: by record; set here.
void begin_write(Transfers& transfers, int32_t token, const Records& records, const HeldRows& held,
                 uint32_t* tags, int32_t first, int32_t end) noexcept;
/// Compares the label at that address: if the storage begins with another image, the status is
/// THIMBLE_STORAGE_OTHER_IMAGE.
void check_image(Transfers& transfers, int32_t token, const ImageLabel& wanted,
                 uint32_t address) noexcept;

/// Begins to read. tags: null where the records are of an image. The rows are not what was stored
/// before wait() returns, nor after it if there was a fault.
void begin_read(Transfers& transfers, int32_t token, const Records& records, const HeldRows& held,
                const uint32_t* tags, int32_t first, int32_t end) noexcept;
/// Begins to erase `size` bytes; nothing where the driver cannot erase, as it need not.
void begin_erase(Transfers& transfers, int32_t token, uint32_t address, uint32_t size) noexcept;
/// Ends what was begun last with the token. Records that were read are compared with their tags.
/// What was refused, failed or differs is done again from there on, up to kRetries times; the next
/// fault is the status. A write that failed on storage that is erased is not: some of its bytes
/// may be written, and are not written twice.
void wait(Transfers& transfers, int32_t token) noexcept;

// What compressed transfers (compressed_transfers.h) have in common with these.

/// Where a record of the flight is in memory, from flight.held.base on.
[[nodiscard]] uint32_t held_offset(const InFlight& flight, int32_t record) noexcept;
/// Whether a transfer of records [first, end) has anything to begin.
[[nodiscard]] bool has_work(Transfers& transfers, int32_t first, int32_t end) noexcept;
/// Counts a fault, of which the last one is the status.
[[nodiscard]] bool may_try_again(Transfers& transfers, InFlight& flight, int status) noexcept;

}  // namespace thimble::runtime
