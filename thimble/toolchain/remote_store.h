// SPDX-License-Identifier: Apache-2.0
// The host's end of the serial remote (docs/remote.md): bytes in, bytes out. What a device sends
// may be anything; memory is taken only for what was written, and answers are of bounded size.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "runtime/storage/serial_frame.h"

namespace thimble {

/// What happened so far.
struct RemoteCounts {
  int64_t sessions = 0;
  int64_t written_bytes = 0, read_bytes = 0, erased_bytes = 0;  ///< payload; repeats count once
  int64_t writes = 0, reads = 0;                                ///< frames
  int64_t damaged = 0;   ///< frames that are none: the check, the length
  int64_t repeated = 0;  ///< requests that were done before
  int64_t gaps = 0;      ///< requests that came after a missing one
  int64_t gone = 0;      ///< reads of what was never written
  int64_t refused = 0;   ///< requests of no session, or out of range

  friend bool operator==(const RemoteCounts&, const RemoteCounts&) = default;
};

class RemoteStore {
 public:
  /// seed: of the numbers of sessions; a store that is started anew needs another one, or it takes
  /// requests to the old one for its own.
  RemoteStore(uint32_t capacity_bytes, uint64_t seed);

  /// Takes bytes as they come, frames in part too. Returns what to send: at most 25 times as much,
  /// and a frame.
  [[nodiscard]] std::vector<uint8_t> take(std::span<const uint8_t> bytes);

  [[nodiscard]] const RemoteCounts& counts() const { return counts_; }

 private:
  static constexpr uint32_t kPageBytes = 4096;
  struct Page {
    std::array<uint8_t, kPageBytes> bytes;
    std::bitset<kPageBytes> written;
  };

  void answer(const runtime::FrameHeader& header, std::span<const uint8_t> payload = {});
  void acknowledge(bool resend);
  void close(uint32_t session, runtime::CloseReason reason);
  void take_frame(const runtime::Frame& frame);
  void greet(const runtime::FrameHeader& header);
  bool execute(const runtime::Frame& frame);
  void write(uint32_t offset, std::span<const uint8_t> bytes);
  void read(const runtime::FrameHeader& header);
  void erase(uint32_t offset, uint32_t size);
  [[nodiscard]] bool holds(uint64_t offset, uint64_t size) const;

  uint32_t capacity_;
  uint64_t seed_;
  std::map<uint32_t, std::unique_ptr<Page>> pages_;
  thimble_serial_receiver receiver_ = {};
  uint32_t session_ = 0;  ///< 0: none
  uint32_t nonce_ = 0;    ///< that it was asked for with
  uint32_t start_ = 0, expected_ = 0;
  bool gap_told_ = false;
  bool acknowledgement_due_ = false;
  std::vector<uint8_t> answers_;
  RemoteCounts counts_;
};

}  // namespace thimble
