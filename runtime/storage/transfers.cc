// SPDX-License-Identifier: Apache-2.0
#include "thimble_runtime/transfers.h"

#include "thimble_runtime/crc32.h"

namespace thimble::runtime {
namespace {

using Flight = InFlight::Kind;

constexpr uint32_t kCheckBytes = 4;

uint8_t* held_record(const InFlight& flight, int32_t record) noexcept {
  return flight.held.base + held_offset(flight, record);
}

// Behind the records from `first` on that lie side by side in memory and in storage.
int32_t end_of_records(const InFlight& flight, int32_t first) noexcept {
  int32_t end = first + 1;
  if (flight.records.stride_bytes != flight.records.record_bytes) return end;
  while (end < flight.end && (flight.held.rows <= 0 || end % flight.held.rows != 0)) ++end;
  return end;
}

// Asks the driver for the records from `done` on; its status.
int ask_driver(const thimble_storage& storage, InFlight& flight, uint32_t token) noexcept {
  const Records& records = flight.records;
  const int32_t first = flight.done;
  flight.begun = end_of_records(flight, first);
  const uint32_t offset = records.address + static_cast<uint32_t>(first) * records.stride_bytes;
  const uint32_t size = static_cast<uint32_t>(flight.begun - first) * records.record_bytes;
  if (flight.kind == Flight::kErase)
    return storage.erase_async(storage.context, token, offset, size);
  uint8_t* const bytes = held_record(flight, first);
  return flight.kind == Flight::kRead
             ? storage.read_async(storage.context, token, offset, bytes, size)
             : storage.write_async(storage.context, token, offset, bytes, size);
}

// Whether the records from `done` on are in flight now.
bool begin_records(Transfers& transfers, InFlight& flight, uint32_t token) noexcept {
  for (;;) {
    const int status = ask_driver(*transfers.storage, flight, token);
    if (status == THIMBLE_STORAGE_OK) return true;
    if (!may_try_again(transfers, flight, status)) return false;
  }
}

void begin_flight(Transfers& transfers, int32_t token, const InFlight& wanted) noexcept {
  InFlight& flight = transfers.flights[token];
  flight = wanted;
  if (!begin_records(transfers, flight, static_cast<uint32_t>(token)))
    flight.kind = Flight::kNothing;
}

// Whether it is what its tag says, or its check.
bool is_whole(const InFlight& flight, uint32_t image, int32_t record) noexcept {
  const uint8_t* const bytes = held_record(flight, record);
  const Records& records = flight.records;
  if (flight.tags != nullptr) return crc32(bytes, records.record_bytes) == flight.tags[record];
  const uint32_t size = records.record_bytes - kCheckBytes;
  const uint8_t* const end = bytes + size;
  const uint32_t check =
      uint32_t{end[0]} | uint32_t{end[1]} << 8U | uint32_t{end[2]} << 16U | uint32_t{end[3]} << 24U;
  const uint32_t address = records.address + static_cast<uint32_t>(record) * records.stride_bytes;
  return image_check(bytes, size, image, address) == check;
}

// The first of the records with the driver that is damaged or another, or their end.
int32_t first_corrupt(const InFlight& flight, uint32_t image) noexcept {
  int32_t record = flight.done;
  while (record < flight.begun && is_whole(flight, image, record)) ++record;
  return record;
}

// Takes note of how what was with the driver has ended; whether the transfer goes on.
bool took(Transfers& transfers, InFlight& flight, int status) noexcept {
  if (status != THIMBLE_STORAGE_OK) {
    // What was written in part would be written twice where it is erased before.
    if (flight.kind == Flight::kWrite && transfers.storage->erase_async != nullptr)
      flight.faults = kRetries;
    return may_try_again(transfers, flight, status);
  }
  flight.done =
      flight.kind == Flight::kRead ? first_corrupt(flight, transfers.image) : flight.begun;
  return flight.done == flight.begun || may_try_again(transfers, flight, THIMBLE_STORAGE_CORRUPT);
}

}  // namespace

uint32_t held_offset(const InFlight& flight, int32_t record) noexcept {
  const HeldRows& held = flight.held;
  const int32_t row = held.rows > 0 ? record % held.rows : record - held.origin;
  return static_cast<uint32_t>(row) * flight.records.record_bytes;
}

bool has_work(Transfers& transfers, int32_t first, int32_t end) noexcept {
  if (transfers.status == THIMBLE_STORAGE_OK && transfers.storage == nullptr)
    transfers.status = THIMBLE_STORAGE_MISSING;
  return transfers.status == THIMBLE_STORAGE_OK && first < end;
}

bool may_try_again(Transfers& transfers, InFlight& flight, int status) noexcept {
  if (flight.faults++ < kRetries) return true;
  transfers.status = status;
  return false;
}

uint32_t image_check(const uint8_t* bytes, uint32_t size, uint32_t image,
                     uint32_t address) noexcept {
  // An odd factor: no two addresses have the same.
  return crc32(bytes, size) ^ image ^ (address * 0x9e3779b1U);
}

void check_image(Transfers& transfers, int32_t token, const ImageLabel& wanted,
                 uint32_t address) noexcept {
  transfers.image = wanted.number;
  for (int32_t tries = 0; has_work(transfers, 0, 1); ++tries) {
    ImageLabel found{};
    const thimble_storage& storage = *transfers.storage;
    const auto number = static_cast<uint32_t>(token);
    int status = storage.read_async(storage.context, number, address, &found, sizeof(found));
    if (status == THIMBLE_STORAGE_OK) status = storage.wait(storage.context, number);
    bool same = found.number == wanted.number;
    for (int32_t k = 0; k < 7; ++k) same = same && found.words[k] == wanted.words[k];
    if (status == THIMBLE_STORAGE_OK && same) return;
    if (status == THIMBLE_STORAGE_OK) status = THIMBLE_STORAGE_OTHER_IMAGE;
    if (tries >= kRetries) transfers.status = status;
  }
}

void begin_write(Transfers& transfers, int32_t token, const Records& records, const HeldRows& held,
                 uint32_t* tags, int32_t first, int32_t end) noexcept {
  if (!has_work(transfers, first, end)) return;
  const InFlight flight{Flight::kWrite, 0, records, held, tags, first, first, end};
  for (int32_t r = first; r < end; ++r)
    tags[r] = crc32(held_record(flight, r), records.record_bytes);
  begin_flight(transfers, token, flight);
}

void begin_read(Transfers& transfers, int32_t token, const Records& records, const HeldRows& held,
                const uint32_t* tags, int32_t first, int32_t end) noexcept {
  if (!has_work(transfers, first, end)) return;
  begin_flight(transfers, token, {Flight::kRead, 0, records, held, tags, first, first, end});
}

void begin_erase(Transfers& transfers, int32_t token, uint32_t address, uint32_t size) noexcept {
  if (!has_work(transfers, 0, size > 0 ? 1 : 0)) return;
  if (transfers.storage->erase_async == nullptr) return;
  const Records bytes{address, size, size};
  begin_flight(transfers, token, {Flight::kErase, 0, bytes, {}, nullptr, 0, 0, 1});
}

void wait(Transfers& transfers, int32_t token) noexcept {
  InFlight& flight = transfers.flights[token];
  if (flight.kind == Flight::kNothing) return;
  const thimble_storage& storage = *transfers.storage;
  const auto number = static_cast<uint32_t>(token);
  do {
    const int status = storage.wait(storage.context, number);
    if (transfers.status != THIMBLE_STORAGE_OK) break;  // another transfer's: nothing begins
    if (!took(transfers, flight, status)) break;
  } while (flight.done < flight.end && begin_records(transfers, flight, number));
  flight.kind = Flight::kNothing;
}

}  // namespace thimble::runtime
