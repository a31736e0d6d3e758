// SPDX-License-Identifier: Apache-2.0
// Storage in memory with faults on request. Operations take place when they begin or when they are
// waited for, as the seed has it.
#pragma once

#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "runtime/include/thimble_runtime/storage.h"
#include "zoo/random.h"

namespace thimble {

enum class StorageFault : uint8_t {
  kNone,
  kReadError,          ///< a read says that it failed, and delivers noise
  kTimedOut,           ///< any operation says so, half done
  kRefused,            ///< any operation does not begin
  kShortRead,          ///< the end is not delivered, and nothing said
  kFlippedInTransit,   ///< a bit of what a read delivers
  kFlippedInStorage,   ///< a bit of what is stored, before the operation
  kFlippedEverywhere,  ///< a bit in each block of 64 bytes
  kLostWrite,          ///< writes and erases do nothing and end well: what was there is stale
  kShortWrite,         ///< half of a write, and nothing said
  kElsewhere,          ///< a read or write takes place at another address
  kFull,               ///< writes say that there is no room
  kProtected,          ///< writes and erases fail when they are waited for
  kHalfErased,         ///< an erase of half of the bytes, and nothing said
  kPowerLost,          ///< in the midst of what is in flight
  kMixed,              ///< one of the above but kPowerLost, drawn for each operation
};
constexpr int kStorageFaults = static_cast<int>(StorageFault::kMixed) + 1;
[[nodiscard]] const char* name(StorageFault fault);

/// What goes wrong in a run.
struct FaultPlan {
  StorageFault kind = StorageFault::kNone;
  int first = 0;      ///< operation that it begins with; of kPowerLost, call of the driver
  int times = 1;      ///< operations in a row
  double rate = 1;    ///< of these, the share that it strikes
  int64_t bit = 0;    ///< of kFlippedInStorage
  uint64_t seed = 0;  ///< of what is drawn
};

class FaultyStorage {
 public:
  struct Shape {
    uint32_t size = 0, granule = 1, block = 0, tokens = 0;
  };
  enum class Kind : uint8_t { kRead, kWrite, kErase };

  explicit FaultyStorage(const Shape& shape);
  FaultyStorage(const FaultyStorage&) = delete;
  FaultyStorage& operator=(const FaultyStorage&) = delete;

  [[nodiscard]] const thimble_storage* driver() const { return &driver_; }
  /// A run begins; what is stored stays. Calls beyond `most_calls` leave by `escape` with value 2,
  /// lost power with value 1.
  void begin_run(const FaultPlan& plan, int most_calls, std::jmp_buf* escape);
  /// Bytes at the beginning that are flipped: what the network uses.
  void set_used(uint32_t bytes) { used_ = bytes; }

  // What the run has had.
  std::vector<Kind> operations;  ///< begun, or refused
  int calls = 0;                 ///< of the driver's functions
  int faults = 0;                ///< that took place
  int misuses = 0;               ///< calls that the interface does not allow
  [[nodiscard]] size_t in_flight() const { return flights_.size(); }

 private:
  struct Flight {
    Kind kind;
    uint32_t offset, size;
    uint8_t* into;
    const uint8_t* from;
    StorageFault fault;
    bool done;
  };

  static int begin_read(void* context, uint32_t token, uint32_t offset, void* into, uint32_t size);
  static int begin_write(void* context, uint32_t token, uint32_t offset, const void* from,
                         uint32_t size);
  static int begin_erase(void* context, uint32_t token, uint32_t offset, uint32_t size);
  static int wait_for(void* context, uint32_t token);
  static void cancel_all(void* context);

  void count_call();
  int begin(uint32_t token, Flight flight);
  void carry_out(const Flight& flight, uint32_t size, uint32_t offset);
  void carry_out(const Flight& flight);
  [[nodiscard]] StorageFault next_fault(Kind kind);
  void flip(StorageFault fault);
  void lose_power();

  Shape shape_;
  thimble_storage driver_;
  std::vector<uint8_t> bytes_;
  uint32_t used_ = 0;
  std::map<uint32_t, Flight> flights_;
  FaultPlan plan_;
  int most_calls_ = 0;
  std::jmp_buf* escape_ = nullptr;
  zoo::Random random_{0};
};

}  // namespace thimble
