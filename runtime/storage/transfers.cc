// SPDX-License-Identifier: Apache-2.0
#include "thimble_runtime/transfers.h"

namespace thimble::runtime {
namespace {

using Kind = InFlight::Kind;

// CRC-32 (IEEE 802.3), four bits at a time: a table of 64 bytes.
uint32_t crc32(const uint8_t* bytes, uint32_t size) noexcept {
  static constexpr uint32_t kOfNibble[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac,
                                             0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
                                             0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                             0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
  uint32_t crc = ~0U;
  for (; size > 0; --size) {
    crc ^= *bytes++;
    crc = crc >> 4 ^ kOfNibble[crc & 15U];
    crc = crc >> 4 ^ kOfNibble[crc & 15U];
  }
  return ~crc;
}

uint8_t* row_of(const InFlight& flight, int32_t record) noexcept {
  const HeldRows& held = flight.held;
  const int32_t row = held.rows > 0 ? record % held.rows : record - held.origin;
  return held.base + static_cast<uint32_t>(row) * flight.records.record_bytes;
}

// Behind the records from `first` on that lie side by side in memory and in storage.
int32_t end_of_run(const InFlight& flight, int32_t first) noexcept {
  int32_t end = first + 1;
  if (flight.records.stride_bytes != flight.records.record_bytes) return end;
  while (end < flight.end && (flight.held.rows <= 0 || end % flight.held.rows != 0)) ++end;
  return end;
}

// Begins the next run of records, or the erase.
int begin_next(const Transfers& transfers, InFlight& flight, uint32_t token) noexcept {
  const thimble_storage& storage = *transfers.storage;
  if (flight.kind == Kind::kErase)
    return storage.erase_async(storage.context, token, static_cast<uint32_t>(flight.first),
                               static_cast<uint32_t>(flight.end - flight.first));
  const int32_t first = flight.begun, end = end_of_run(flight, first);
  flight.begun = end;
  const uint32_t offset =
      flight.records.address + static_cast<uint32_t>(first) * flight.records.stride_bytes;
  const uint32_t size = static_cast<uint32_t>(end - first) * flight.records.record_bytes;
  uint8_t* const bytes = row_of(flight, first);
  return flight.kind == Kind::kRead
             ? storage.read_async(storage.context, token, offset, bytes, size)
             : storage.write_async(storage.context, token, offset, bytes, size);
}

bool are_tagged(const InFlight& flight) noexcept {
  for (int32_t r = flight.first; r < flight.end; ++r) {
    if (crc32(row_of(flight, r), flight.records.record_bytes) != flight.tags[r]) return false;
  }
  return true;
}

// Ends what has begun, and all that follows of it; status: of its begin.
int finish(const Transfers& transfers, InFlight& flight, uint32_t token, int status) noexcept {
  const thimble_storage& storage = *transfers.storage;
  for (;;) {
    if (status == THIMBLE_STORAGE_OK) status = storage.wait(storage.context, token);
    if (status != THIMBLE_STORAGE_OK) return status;
    if (flight.kind == Kind::kErase || flight.begun >= flight.end) break;
    status = begin_next(transfers, flight, token);
  }
  return flight.kind != Kind::kRead || are_tagged(flight) ? THIMBLE_STORAGE_OK
                                                          : THIMBLE_STORAGE_CORRUPT;
}

void retry(Transfers& transfers, InFlight& flight, uint32_t token, int status) noexcept {
  // What was written in part is not erased: written again it would not be what it should.
  const int32_t times =
      flight.kind == Kind::kWrite && transfers.storage->erase_async != nullptr ? 0 : kRetries;
  for (int32_t k = 0; k < times && status != THIMBLE_STORAGE_OK; ++k) {
    flight.begun = flight.first;
    status = finish(transfers, flight, token, begin_next(transfers, flight, token));
  }
  if (status != THIMBLE_STORAGE_OK) transfers.status = status;
}

void begin(Transfers& transfers, int32_t token, const InFlight& wanted) noexcept {
  InFlight& flight = transfers.flights[token];
  flight = wanted;
  if (transfers.status == THIMBLE_STORAGE_OK && transfers.storage == nullptr)
    transfers.status = THIMBLE_STORAGE_MISSING;
  if (transfers.status != THIMBLE_STORAGE_OK || flight.first >= flight.end) {
    flight.kind = Kind::kNothing;
    return;
  }
  const auto number = static_cast<uint32_t>(token);
  const int status = begin_next(transfers, flight, number);
  if (status == THIMBLE_STORAGE_OK) return;
  retry(transfers, flight, number, status);
  flight.kind = Kind::kNothing;
}

}  // namespace

void begin_write(Transfers& transfers, int32_t token, const Records& records, const HeldRows& held,
                 uint32_t* tags, int32_t first, int32_t end) {
  const InFlight flight{Kind::kWrite, records, held, tags, first, end, first};
  if (transfers.status == THIMBLE_STORAGE_OK) {
    for (int32_t r = first; r < end; ++r) tags[r] = crc32(row_of(flight, r), records.record_bytes);
  }
  begin(transfers, token, flight);
}

void begin_read(Transfers& transfers, int32_t token, const Records& records, const HeldRows& held,
                const uint32_t* tags, int32_t first, int32_t end) {
  begin(transfers, token, {Kind::kRead, records, held, tags, first, end, first});
}

void begin_erase(Transfers& transfers, int32_t token, uint32_t address, uint32_t size) {
  const auto first = static_cast<int32_t>(address), end = static_cast<int32_t>(address + size);
  begin(transfers, token, {Kind::kErase, {}, {}, nullptr, first, end, end});
}

void wait(Transfers& transfers, int32_t token) {
  InFlight& flight = transfers.flights[token];
  if (flight.kind == Kind::kNothing) return;
  const auto number = static_cast<uint32_t>(token);
  const int status = finish(transfers, flight, number, THIMBLE_STORAGE_OK);
  if (status != THIMBLE_STORAGE_OK && transfers.status == THIMBLE_STORAGE_OK)
    retry(transfers, flight, number, status);
  flight.kind = Kind::kNothing;
}

}  // namespace thimble::runtime
