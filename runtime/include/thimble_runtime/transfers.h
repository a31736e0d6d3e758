// SPDX-License-Identifier: Apache-2.0
// Transfers between memory and block storage, as emitted code begins and awaits them. A tensor in
// storage is an array of records; each has a tag, its CRC32, in memory.
#pragma once

#include <stdint.h>

#include "thimble_runtime/storage.h"

namespace thimble::runtime {

/// Where the records of a tensor lie in storage, in bytes.
struct Records {
  uint32_t address;  ///< the first one's
  uint32_t record_bytes;
  uint32_t stride_bytes;  ///< from one to the next
};

/// Where they lie in memory: record r at row r - origin, or r modulo `rows` if there are any.
struct HeldRows {
  uint8_t* base;
  int32_t origin;
  int32_t rows;
};

/// What is in flight with a token.
struct InFlight {
  enum class Kind : uint8_t { kNothing, kRead, kWrite, kErase };
  Kind kind;
  Records records;
  HeldRows held;
  const uint32_t* tags;  ///< of a read: what the records must be
  int32_t first, end;    ///< records; of an erase: bytes
  int32_t begun;         ///< records before this one have begun
};

/// All that goes to one storage and comes from it.
struct Transfers {
  const thimble_storage* storage;
  InFlight* flights;  ///< by token
  int32_t status;     ///< the first fault; then nothing begins any more
};

/// Times that an operation is tried anew.
constexpr int32_t kRetries = 3;

/// Begin; of no records (first >= end): nothing. The rows are left alone until wait().
void begin_write(Transfers& transfers, int32_t token, const Records& records, const HeldRows& held,
                 uint32_t* tags, int32_t first, int32_t end);
void begin_read(Transfers& transfers, int32_t token, const Records& records, const HeldRows& held,
                const uint32_t* tags, int32_t first, int32_t end);
void begin_erase(Transfers& transfers, int32_t token, uint32_t address, uint32_t size);
/// Ends what was begun last with the token. Records that were read are compared with their tags;
/// what fails is done again as a whole, and then is the status.
void wait(Transfers& transfers, int32_t token);

}  // namespace thimble::runtime
