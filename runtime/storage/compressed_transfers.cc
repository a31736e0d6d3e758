// SPDX-License-Identifier: Apache-2.0
#include "thimble_runtime/compressed_transfers.h"

#include "thimble_runtime/crc32.h"

namespace thimble::runtime {
namespace {

using Flight = InFlight::Kind;

constexpr uint32_t kIsCompressed = 1;  // of a tag

static_assert(sizeof(PassageState) == 20, "planners count as many bytes");

uint8_t* record_in_memory(const InFlight& flight, int32_t record) noexcept {
  return flight.held.base + held_offset(flight, record);
}

PassageState& state_of(const Passage& passage) noexcept {
  return *reinterpret_cast<PassageState*>(passage.memory);
}

uint8_t* chunk_of(const Passage& passage) noexcept {
  return reinterpret_cast<uint8_t*>(passage.memory) + sizeof(PassageState);
}

bool is_compressed(const InFlight& flight) noexcept {
  return (flight.tags[flight.done] & kIsCompressed) != 0;
}

// The next chunk of the record at hand: of a write, made here; of a read, as long as it can be.
void next_chunk(const InFlight& flight, const Passage& passage) noexcept {
  PassageState& state = state_of(passage);
  const uint32_t record_bytes = flight.records.record_bytes;
  if (flight.kind == Flight::kWrite) {
    state.moving = compress(state.coding, record_in_memory(flight, flight.done), record_bytes,
                            chunk_of(passage), passage.chunk_bytes);
    return;
  }
  // What is compressed is shorter than it was; how much, its header says.
  const uint32_t left =
      state.moved < kCompressedHeaderBytes ? record_bytes - 1 - state.moved : state.coding.left;
  const uint32_t most = state.moved == 0 ? passage.first_bytes : passage.chunk_bytes;
  state.moving = left < most ? left : most;
}

// The record from `done` on, from its first byte.
void start_record(InFlight& flight, const Passage& passage) noexcept {
  PassageState& state = state_of(passage);
  const uint32_t record_bytes = flight.records.record_bytes;
  flight.begun = flight.done + 1;
  state = {{}, 0, record_bytes};
  if (!is_compressed(flight)) return;
  if (flight.kind == Flight::kWrite)
    begin_compress(state.coding, record_in_memory(flight, flight.done), record_bytes);
  next_chunk(flight, passage);
}

// Whether what is on its way is in flight now.
bool begin_moving(Transfers& transfers, InFlight& flight, uint32_t token,
                  const Passage& passage) noexcept {
  const thimble_storage& storage = *transfers.storage;
  const PassageState& state = state_of(passage);
  uint8_t* const bytes =
      is_compressed(flight) ? chunk_of(passage) : record_in_memory(flight, flight.done);
  const uint32_t offset = flight.records.address +
                          static_cast<uint32_t>(flight.done) * flight.records.stride_bytes +
                          state.moved;
  for (;;) {
    const int status =
        flight.kind == Flight::kRead
            ? storage.read_async(storage.context, token, offset, bytes, state.moving)
            : storage.write_async(storage.context, token, offset, bytes, state.moving);
    if (status == THIMBLE_STORAGE_OK) return true;
    if (!may_try_again(transfers, flight, status)) return false;
  }
}

void begin_flight(Transfers& transfers, int32_t token, const InFlight& wanted,
                  const Passage& passage) noexcept {
  InFlight& flight = transfers.flights[token];
  flight = wanted;
  start_record(flight, passage);
  if (!begin_moving(transfers, flight, static_cast<uint32_t>(token), passage))
    flight.kind = Flight::kNothing;
}

enum class Came : uint8_t { kPart, kRecord, kCorrupt };

// What a chunk that was moved makes of the record.
Came take_chunk(const InFlight& flight, const Passage& passage) noexcept {
  PassageState& state = state_of(passage);
  const uint32_t record_bytes = flight.records.record_bytes;
  uint8_t* const record = record_in_memory(flight, flight.done);
  if (flight.kind == Flight::kWrite)
    return is_compressed(flight) && state.coding.left > 0 ? Came::kPart : Came::kRecord;
  if (is_compressed(flight)) {
    if (!decompress(state.coding, chunk_of(passage), state.moving, record, record_bytes))
      return Came::kCorrupt;
    if (!is_decompressed(state.coding, record_bytes)) return Came::kPart;
  }
  const uint32_t others = crc32(record, record_bytes) ^ flight.tags[flight.done];
  return (others & ~kIsCompressed) == 0 ? Came::kRecord : Came::kCorrupt;
}

// Takes note of how what was with the driver has ended, and says what comes next; whether anything
// does.
bool goes_on(Transfers& transfers, InFlight& flight, const Passage& passage, int status) noexcept {
  if (status != THIMBLE_STORAGE_OK) {
    // What was written in part would be written twice where it is erased before.
    if (flight.kind == Flight::kWrite && transfers.storage->erase_async != nullptr)
      flight.faults = kRetries;
    return may_try_again(transfers, flight, status);
  }
  switch (take_chunk(flight, passage)) {
    case Came::kPart:
      state_of(passage).moved += state_of(passage).moving;
      next_chunk(flight, passage);
      return true;
    case Came::kCorrupt:
      start_record(flight, passage);
      return may_try_again(transfers, flight, THIMBLE_STORAGE_CORRUPT);
    case Came::kRecord:
      break;
  }
  if (++flight.done == flight.end) return false;
  start_record(flight, passage);
  return true;
}

}  // namespace

void begin_compressed_write(Transfers& transfers, int32_t token, const Records& records,
                            const HeldRows& held, uint32_t* tags, const Passage& passage,
                            int32_t first, int32_t end) noexcept {
  if (!has_work(transfers, first, end)) return;
  const InFlight flight{Flight::kWrite, 0, records, held, tags, first, first, end};
  for (int32_t r = first; r < end; ++r) {
    const uint8_t* const record = record_in_memory(flight, r);
    const bool shorter = compressed_size(record, records.record_bytes) != 0;
    tags[r] = (crc32(record, records.record_bytes) & ~kIsCompressed) | (shorter ? 1U : 0U);
  }
  begin_flight(transfers, token, flight, passage);
}

void begin_compressed_read(Transfers& transfers, int32_t token, const Records& records,
                           const HeldRows& held, const uint32_t* tags, const Passage& passage,
                           int32_t first, int32_t end) noexcept {
  if (!has_work(transfers, first, end)) return;
  begin_flight(transfers, token, {Flight::kRead, 0, records, held, tags, first, first, end},
               passage);
}

void wait_compressed(Transfers& transfers, int32_t token, const Passage& passage) noexcept {
  InFlight& flight = transfers.flights[token];
  if (flight.kind == Flight::kNothing) return;
  const thimble_storage& storage = *transfers.storage;
  const auto number = static_cast<uint32_t>(token);
  do {
    const int status = storage.wait(storage.context, number);
    if (transfers.status != THIMBLE_STORAGE_OK) break;  // another transfer's: nothing begins
    if (!goes_on(transfers, flight, passage, status)) break;
  } while (begin_moving(transfers, flight, number, passage));
  flight.kind = Flight::kNothing;
}

}  // namespace thimble::runtime
