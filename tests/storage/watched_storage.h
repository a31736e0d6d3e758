// SPDX-License-Identifier: Apache-2.0
// Storage in memory that fails a test which does not keep to thimble_runtime/storage.h. Operations
// take place when they are waited for. Faults on request.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "thimble_runtime/storage.h"

namespace thimble::testing {

class WatchedStorage {
 public:
  struct Shape {
    uint32_t size = 1024;
    uint32_t tokens = 4;
    uint32_t granule = 1;
    uint32_t block = 0;  ///< 0: nothing is erased
    uint32_t queue = 4;  ///< in flight at most
  };
  enum class Fault {
    kNone,
    kRefused,  ///< nothing begins
    kFailed,   ///< wait says so, and half of it has taken place
    kFlipped,  ///< a bit of what a read delivers
    kLost,     ///< a write that takes place nowhere
  };
  /// What goes wrong with the operation that is begun, the n-th.
  using Faults = std::function<Fault(int n)>;

  explicit WatchedStorage(const Shape& shape);
  ~WatchedStorage();
  WatchedStorage(const WatchedStorage&) = delete;
  WatchedStorage& operator=(const WatchedStorage&) = delete;

  std::vector<uint8_t> bytes;
  Faults faults;
  /// "read 16+8", offset and size, as they were begun, refused ones too.
  std::vector<std::string> begun;
  int waits = 0;

  /// Must not outlive it.
  [[nodiscard]] const thimble_storage* driver() const { return &driver_; }
  [[nodiscard]] size_t in_flight() const { return flights_.size(); }

 private:
  enum class Kind { kRead, kWrite, kErase };
  struct Flight {
    Kind kind;
    uint32_t offset, size;
    uint8_t* into;
    const uint8_t* from;
    std::vector<uint8_t> memory;  ///< as it was when it began
    Fault fault;
  };

  static int begin_read(void* context, uint32_t token, uint32_t offset, void* into, uint32_t size);
  static int begin_write(void* context, uint32_t token, uint32_t offset, const void* from,
                         uint32_t size);
  static int begin_erase(void* context, uint32_t token, uint32_t offset, uint32_t size);
  static int wait_for(void* context, uint32_t token);
  static void cancel_all(void* context);

  int begin(uint32_t token, Flight flight);
  int end(uint32_t token);
  void expect_allowed(uint32_t token, const Flight& flight) const;
  void carry_out(const Flight& flight, uint32_t size);

  Shape shape_;
  thimble_storage driver_;
  std::map<uint32_t, Flight> flights_;
  std::vector<bool> erased_;
};

}  // namespace thimble::testing
