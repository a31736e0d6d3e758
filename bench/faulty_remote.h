// SPDX-License-Identifier: Apache-2.0
// The serial remote with a line and a host that go wrong (tests/toolchain/serial_line.h).
#pragma once

#include <csetjmp>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "tests/toolchain/serial_line.h"

namespace thimble {

enum class RemoteFault : uint8_t {
  kNone,
  kLossy,          ///< frames are lost, repeated, flipped, shortened, delayed
  kSilent,         ///< from a frame on the host says nothing
  kSilentAWhile,   ///< the same, for up to 5 s
  kSlow,           ///< every answer takes up to 3 s
  kLies,           ///< frames are others, with right checks
  kStartedAnew,    ///< the host is, and has forgotten all
  kOutOfOrder,     ///< sending fails
  kLossyAndLying,  ///< all at once
};
constexpr int kRemoteFaults = static_cast<int>(RemoteFault::kLossyAndLying) + 1;
[[nodiscard]] const char* name(RemoteFault fault);

class FaultyRemote {
 public:
  FaultyRemote(uint32_t capacity_bytes, uint32_t tokens, uint32_t seed);
  FaultyRemote(const FaultyRemote&) = delete;
  FaultyRemote& operator=(const FaultyRemote&) = delete;

  [[nodiscard]] const thimble_storage* driver() const { return &driver_; }
  /// A run begins; what the host has stays. More than `most_calls` of the line's functions leave by
  /// `escape`, with value 2.
  void begin_run(RemoteFault fault, uint32_t seed, int most_calls, std::jmp_buf* escape);

  int calls = 0;  ///< of the line's functions in this run
  /// That took place in this run.
  [[nodiscard]] int64_t faults() const;

 private:
  static int send(void* context, const void* bytes, uint32_t size);
  static int32_t receive(void* context, void* bytes, uint32_t size);
  static uint32_t clock(void* context);
  void count_call();
  void update_silence();

  testing::SerialLine line_;
  thimble_serial_link inner_;
  std::vector<thimble_serial_operation> operations_;
  std::unique_ptr<thimble_serial_remote> remote_;
  thimble_storage driver_;
  std::deque<std::pair<uint32_t, uint8_t>> late_;  ///< with the time when they arrive
  RemoteFault fault_ = RemoteFault::kNone;
  int64_t before_ = 0, frames_before_ = 0, of_run_ = 0;
  uint32_t first_frame_ = 0, silent_ms_ = 0, delay_ms_ = 0, silent_since_ = 0;
  int most_calls_ = 0;
  std::jmp_buf* escape_ = nullptr;
};

}  // namespace thimble
