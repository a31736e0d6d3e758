// SPDX-License-Identifier: Apache-2.0
#include "bench/faulty_storage.h"

#include <algorithm>
#include <array>

namespace thimble {
namespace {

constexpr uint32_t kFlippedBlock = 64;

FaultyStorage& storage_of(void* context) { return *static_cast<FaultyStorage*>(context); }

constexpr std::array kNames = {"none",
                               "read error",
                               "timed out",
                               "refused",
                               "short read",
                               "bit flipped in transit",
                               "bit flipped in storage",
                               "bit flipped in every block",
                               "stale: a write is lost",
                               "short write",
                               "at another address",
                               "full",
                               "write-protected",
                               "half erased",
                               "power lost",
                               "mixed"};
static_assert(kNames.size() == kStorageFaults);

// Whether it can befall such an operation.
bool befalls(StorageFault fault, FaultyStorage::Kind kind) {
  const bool reads = kind == FaultyStorage::Kind::kRead;
  const bool writes = kind == FaultyStorage::Kind::kWrite;
  switch (fault) {
    case StorageFault::kNone:
    case StorageFault::kPowerLost:
    case StorageFault::kMixed:
      return false;
    case StorageFault::kReadError:
    case StorageFault::kShortRead:
    case StorageFault::kFlippedInTransit:
      return reads;
    case StorageFault::kTimedOut:
    case StorageFault::kRefused:
    case StorageFault::kFlippedInStorage:
    case StorageFault::kFlippedEverywhere:
      return true;
    case StorageFault::kLostWrite:
    case StorageFault::kProtected:
      return !reads;
    case StorageFault::kShortWrite:
    case StorageFault::kFull:
      return writes;
    case StorageFault::kElsewhere:
      return reads || writes;
    case StorageFault::kHalfErased:
      return !reads && !writes;
  }
  return false;
}

}  // namespace

const char* name(StorageFault fault) { return kNames[static_cast<size_t>(fault)]; }

FaultyStorage::FaultyStorage(const Shape& shape)
    : shape_(shape),
      driver_{this,     begin_read, begin_write, shape.block == 0 ? nullptr : begin_erase,
              wait_for, cancel_all},
      bytes_(shape.size, 0x5a),
      used_(shape.size) {}

void FaultyStorage::begin_run(const FaultPlan& plan, int most_calls, std::jmp_buf* escape) {
  plan_ = plan;
  most_calls_ = most_calls;
  escape_ = escape;
  random_ = zoo::Random(plan.seed);
  operations.clear();
  flights_.clear();
  calls = faults = misuses = 0;
}

int FaultyStorage::begin_read(void* context, uint32_t token, uint32_t offset, void* into,
                              uint32_t size) {
  return storage_of(context).begin(token, {Kind::kRead, offset, size, static_cast<uint8_t*>(into),
                                           nullptr, StorageFault::kNone, false});
}

int FaultyStorage::begin_write(void* context, uint32_t token, uint32_t offset, const void* from,
                               uint32_t size) {
  return storage_of(context).begin(
      token, {Kind::kWrite, offset, size, nullptr, static_cast<const uint8_t*>(from),
              StorageFault::kNone, false});
}

int FaultyStorage::begin_erase(void* context, uint32_t token, uint32_t offset, uint32_t size) {
  return storage_of(context).begin(
      token, {Kind::kErase, offset, size, nullptr, nullptr, StorageFault::kNone, false});
}

void FaultyStorage::cancel_all(void* context) {
  storage_of(context).count_call();
  storage_of(context).flights_.clear();
}

void FaultyStorage::count_call() {
  if (plan_.kind == StorageFault::kPowerLost && calls == plan_.first) lose_power();
  if (++calls > most_calls_) std::longjmp(*escape_, 2);
}

// What is in flight is done in part, erases and writes alike.
void FaultyStorage::lose_power() {
  ++faults;
  for (const auto& [token, flight] : flights_) {
    if (flight.done || flight.kind == Kind::kRead) continue;
    carry_out(flight, static_cast<uint32_t>(random_.between(0, flight.size)), flight.offset);
  }
  std::longjmp(*escape_, 1);
}

StorageFault FaultyStorage::next_fault(Kind kind) {
  const int number = static_cast<int>(operations.size());
  if (number < plan_.first || number - plan_.first >= plan_.times) return StorageFault::kNone;
  if (!random_.chance(plan_.rate)) return StorageFault::kNone;
  StorageFault fault = plan_.kind;
  if (fault == StorageFault::kMixed)
    fault = static_cast<StorageFault>(random_.between(1, kStorageFaults - 3));
  return befalls(fault, kind) ? fault : StorageFault::kNone;
}

void FaultyStorage::flip(StorageFault fault) {
  if (fault == StorageFault::kFlippedInStorage) {
    const int64_t bit =
        plan_.kind == fault ? plan_.bit : random_.between(0, int64_t{8} * used_ - 1);
    bytes_[static_cast<size_t>(bit / 8)] ^= static_cast<uint8_t>(1U << bit % 8);
  } else {
    for (uint32_t at = 0; at < used_; at += kFlippedBlock) {
      const uint32_t end = std::min(at + kFlippedBlock, used_);
      bytes_[static_cast<size_t>(random_.between(at, end - 1))] ^=
          static_cast<uint8_t>(1U << random_.between(0, 7));
    }
  }
}

int FaultyStorage::begin(uint32_t token, Flight flight) {
  count_call();
  const bool in_range = flight.offset <= shape_.size && flight.size <= shape_.size - flight.offset;
  const uint32_t unit = flight.kind == Kind::kErase ? shape_.block : shape_.granule;
  if (!in_range || flight.size == 0 || token >= shape_.tokens || flights_.contains(token) ||
      flight.offset % unit != 0)
    ++misuses;
  if (!in_range) return THIMBLE_STORAGE_FULL;
  flight.fault = next_fault(flight.kind);
  operations.push_back(flight.kind);
  faults += flight.fault != StorageFault::kNone;
  switch (flight.fault) {
    case StorageFault::kRefused:
      return THIMBLE_STORAGE_TIMED_OUT;
    case StorageFault::kFull:
      return THIMBLE_STORAGE_FULL;
    case StorageFault::kFlippedInStorage:
    case StorageFault::kFlippedEverywhere:
      flip(flight.fault);
      break;
    default:
      break;
  }
  if (random_.chance(0.5)) {
    carry_out(flight);
    flight.done = true;
  }
  flights_.insert_or_assign(token, flight);
  return THIMBLE_STORAGE_OK;
}

void FaultyStorage::carry_out(const Flight& flight, uint32_t size, uint32_t offset) {
  uint8_t* const at = bytes_.data() + offset;
  switch (flight.kind) {
    case Kind::kRead:
      std::copy_n(at, size, flight.into);
      return;
    case Kind::kWrite:
      // A write to flash clears bits.
      for (uint32_t i = 0; i < size; ++i)
        at[i] = shape_.block == 0 ? flight.from[i] : at[i] & flight.from[i];
      return;
    case Kind::kErase:
      std::fill_n(at, size, uint8_t{0xff});
      return;
  }
}

void FaultyStorage::carry_out(const Flight& flight) {
  const uint32_t part = static_cast<uint32_t>(random_.between(0, flight.size - 1));
  switch (flight.fault) {
    case StorageFault::kReadError:
      for (uint32_t i = 0; i < flight.size; ++i)
        flight.into[i] = static_cast<uint8_t>(random_.next());
      return;
    case StorageFault::kLostWrite:
    case StorageFault::kProtected:
      return;
    case StorageFault::kTimedOut:
    case StorageFault::kShortRead:
    case StorageFault::kShortWrite:
    case StorageFault::kHalfErased:
      return carry_out(flight, part, flight.offset);
    case StorageFault::kElsewhere: {
      const uint32_t places = (shape_.size - flight.size) / shape_.granule + 1;
      const uint32_t place = flight.offset / shape_.granule +
                             static_cast<uint32_t>(random_.between(1, std::max(1U, places - 1)));
      return carry_out(flight, flight.size, place % places * shape_.granule);
    }
    case StorageFault::kFlippedInTransit:
      carry_out(flight, flight.size, flight.offset);
      flight.into[part] ^= static_cast<uint8_t>(1U << random_.between(0, 7));
      return;
    default:
      return carry_out(flight, flight.size, flight.offset);
  }
}

int FaultyStorage::wait_for(void* context, uint32_t token) {
  FaultyStorage& storage = storage_of(context);
  storage.count_call();
  const auto found = storage.flights_.find(token);
  if (found == storage.flights_.end()) {
    ++storage.misuses;
    return THIMBLE_STORAGE_OK;
  }
  const Flight flight = found->second;
  storage.flights_.erase(found);
  if (!flight.done) storage.carry_out(flight);
  switch (flight.fault) {
    case StorageFault::kReadError:
      return THIMBLE_STORAGE_READ_FAILED;
    case StorageFault::kTimedOut:
      return THIMBLE_STORAGE_TIMED_OUT;
    case StorageFault::kProtected:
      return flight.kind == Kind::kErase ? THIMBLE_STORAGE_ERASE_FAILED
                                         : THIMBLE_STORAGE_WRITE_FAILED;
    default:
      return THIMBLE_STORAGE_OK;
  }
}

}  // namespace thimble
