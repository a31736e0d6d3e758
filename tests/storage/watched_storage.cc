// SPDX-License-Identifier: Apache-2.0
#include "tests/storage/watched_storage.h"

#include <algorithm>
#include <utility>

namespace thimble::testing {
namespace {

WatchedStorage& watched(void* context) { return *static_cast<WatchedStorage*>(context); }

}  // namespace

WatchedStorage::WatchedStorage(const Shape& shape)
    : bytes(shape.size, 0x5a),
      shape_(shape),
      driver_{this,     begin_read, begin_write, shape.block == 0 ? nullptr : begin_erase,
              wait_for, cancel_all},
      erased_(shape.size, false) {}

WatchedStorage::~WatchedStorage() { EXPECT_EQ(flights_.size(), 0) << "left in flight"; }

int WatchedStorage::begin_read(void* context, uint32_t token, uint32_t offset, void* into,
                               uint32_t size) {
  auto* const target = static_cast<uint8_t*>(into);
  std::fill_n(target, size, uint8_t{0xd7});  // what a read targets is the driver's at once
  return watched(context).begin(token, {Kind::kRead, offset, size, target, nullptr, {}, {}});
}

int WatchedStorage::begin_write(void* context, uint32_t token, uint32_t offset, const void* from,
                                uint32_t size) {
  const auto* const source = static_cast<const uint8_t*>(from);
  return watched(context).begin(token, {Kind::kWrite, offset, size, nullptr, source, {}, {}});
}

int WatchedStorage::begin_erase(void* context, uint32_t token, uint32_t offset, uint32_t size) {
  return watched(context).begin(token, {Kind::kErase, offset, size, nullptr, nullptr, {}, {}});
}

int WatchedStorage::wait_for(void* context, uint32_t token) { return watched(context).end(token); }
void WatchedStorage::cancel_all(void* context) { watched(context).flights_.clear(); }

void WatchedStorage::expect_allowed(uint32_t token, const Flight& flight) const {
  EXPECT_LT(token, shape_.tokens);
  EXPECT_EQ(flights_.count(token), 0) << "begun again before it was waited for";
  EXPECT_LT(flights_.size(), shape_.queue);
  EXPECT_GT(flight.size, 0);
  EXPECT_LE(uint64_t{flight.offset} + flight.size, shape_.size);
  EXPECT_EQ(flight.offset % shape_.granule, 0);
  if (flight.kind == Kind::kErase) {
    EXPECT_EQ(flight.offset % shape_.block, 0);
    EXPECT_EQ(flight.size % shape_.block, 0);
  }
  for (const auto& [other_token, other] : flights_) {
    const bool apart =
        other.offset + other.size <= flight.offset || flight.offset + flight.size <= other.offset;
    EXPECT_TRUE(apart || (other.kind == Kind::kRead && flight.kind == Kind::kRead))
        << "needs what token " << other_token << " has in flight";
  }
}

int WatchedStorage::begin(uint32_t token, Flight flight) {
  static constexpr const char* kVerbs[] = {"read ", "write ", "erase "};
  expect_allowed(token, flight);
  flight.fault = faults ? faults(static_cast<int>(begun.size())) : Fault::kNone;
  begun.push_back(kVerbs[static_cast<int>(flight.kind)] + std::to_string(flight.offset) + "+" +
                  std::to_string(flight.size));
  if (flight.fault == Fault::kRefused) return THIMBLE_STORAGE_TIMED_OUT;
  const uint8_t* const memory = flight.kind == Kind::kRead ? flight.into : flight.from;
  if (memory != nullptr) flight.memory.assign(memory, memory + flight.size);
  flights_.emplace(token, std::move(flight));
  return THIMBLE_STORAGE_OK;
}

void WatchedStorage::carry_out(const Flight& flight, uint32_t size) {
  const auto at = bytes.begin() + flight.offset;
  const auto erased_at = erased_.begin() + flight.offset;
  switch (flight.kind) {
    case Kind::kRead:
      std::copy_n(at, size, flight.into);
      return;
    case Kind::kWrite:
      if (shape_.block != 0) {
        EXPECT_EQ(std::count(erased_at, erased_at + size, false), 0) << "is not erased";
        // The rest of the last granule is written with it.
        const uint32_t end = (flight.offset + size + shape_.granule - 1) / shape_.granule;
        std::fill(erased_at, erased_.begin() + std::min(end * shape_.granule, shape_.size), false);
      }
      std::copy_n(flight.from, size, at);
      return;
    case Kind::kErase:
      std::fill_n(at, size, uint8_t{0xff});
      std::fill_n(erased_at, size, true);
      return;
  }
}

int WatchedStorage::end(uint32_t token) {
  ++waits;
  const auto found = flights_.find(token);
  EXPECT_NE(found, flights_.end()) << "waited for what is not in flight";
  if (found == flights_.end()) return THIMBLE_STORAGE_OK;
  const Flight flight = std::move(found->second);
  flights_.erase(found);
  const uint8_t* const memory = flight.kind == Kind::kRead ? flight.into : flight.from;
  EXPECT_TRUE(memory == nullptr || std::equal(flight.memory.begin(), flight.memory.end(), memory))
      << "was touched";
  if (flight.fault == Fault::kLost) return THIMBLE_STORAGE_OK;
  carry_out(flight, flight.fault == Fault::kFailed ? flight.size / 2 : flight.size);
  if (flight.fault == Fault::kFlipped && flight.kind == Kind::kRead)
    flight.into[flight.size / 2] ^= 0x10;
  if (flight.fault != Fault::kFailed) return THIMBLE_STORAGE_OK;
  return flight.kind == Kind::kRead    ? THIMBLE_STORAGE_READ_FAILED
         : flight.kind == Kind::kWrite ? THIMBLE_STORAGE_WRITE_FAILED
                                       : THIMBLE_STORAGE_ERASE_FAILED;
}

}  // namespace thimble::testing
