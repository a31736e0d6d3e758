// SPDX-License-Identifier: Apache-2.0
// Frames of the serial remote (docs/remote.md): what both ends send, and how bytes are taken apart
// again. A frame is a header, a payload and the CRC32 of both, stuffed so that no byte of it is 0
// (COBS: Cheshire, Baker, "Consistent Overhead Byte Stuffing", 1999), between zeros.
#pragma once

#include <stdint.h>

#include "serial_receiver.h"
#include "thimble_runtime/crc32.h"

namespace thimble::runtime {

constexpr uint8_t kSerialVersion = 1;
constexpr uint32_t kFrameHeaderBytes = 16;
constexpr uint32_t kFrameCheckBytes = 4;
/// The most that either end sends in one frame.
constexpr uint32_t kMostPayloadBytes = 512;
constexpr uint32_t kMostFrameBytes = kFrameHeaderBytes + kMostPayloadBytes + kFrameCheckBytes;
static_assert(kMostFrameBytes == THIMBLE_SERIAL_LONGEST_FRAME);

enum class FrameKind : uint8_t {
  // From the device. All but the first and kPoll take the next sequence number.
  kHello = 1,  ///< session: a nonce; sequence: the first to come; length: the version
  kWrite = 2,  ///< offset, payload
  kRead = 3,   ///< offset, length
  kErase = 4,  ///< offset; payload: the size, 4 bytes
  kSkip = 5,   ///< nothing: the device needs no answer any more
  kPoll = 6,   ///< asks for kAck
  // From the host.
  kWelcome = 16,  ///< session: the new one; sequence: the nonce; offset: the bytes that there are
  kAck = 17,      ///< sequence: what is expected next; length 1: send again from there
  kData = 18,     ///< sequence: of the kRead; payload. All before is done, too.
  kGone = 19,     ///< sequence: of the kRead, of bytes that were not written. Likewise.
  kClosed = 20,   ///< session: none that the host has; length: a CloseReason
};

enum class CloseReason : uint16_t { kUnknownSession = 0, kOutOfRange = 1, kVersion = 2 };

struct FrameHeader {
  FrameKind kind = FrameKind::kPoll;
  uint16_t length = 0;
  uint32_t session = 0, sequence = 0, offset = 0;
};

/// A frame's parts where they were received; of `payload` there are `payload_bytes`.
struct Frame {
  FrameHeader header;
  const uint8_t* payload = nullptr;
  uint32_t payload_bytes = 0;
};

uint32_t load_u32(const uint8_t* from);
void store_u32(uint32_t value, uint8_t* to);

/// Reads a frame with the check; false if it is none.
bool parse_frame(const uint8_t* bytes, uint32_t count, Frame& frame);

/// Hands the bytes of a frame to sink(const uint8_t*, uint32_t), in pieces of at most 255.
template <typename Sink>
void write_frame(const FrameHeader& header, const uint8_t* payload, uint32_t payload_bytes,
                 Sink sink);

/// Undoes the stuffing of one byte more: the length of the frame that it ends, which is in
/// receiver.bytes until the next call; 0 if it ends none. Longer ones than the longest are dropped.
uint32_t receive_byte(thimble_serial_receiver& receiver, uint8_t byte);

namespace serial_frame_internal {

void pack_header(const FrameHeader& header, uint8_t* to);

// A block of COBS: the code says how many bytes follow it; a zero comes behind, unless it is full.
template <typename Sink>
class Stuffer {
 public:
  explicit Stuffer(Sink sink) : sink_(sink) {}
  void put(const uint8_t* bytes, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
      if (bytes[i] != 0) block_[count_++] = bytes[i];
      if (bytes[i] == 0 || count_ == 255) flush();
    }
  }
  void flush() {
    block_[0] = static_cast<uint8_t>(count_);
    sink_(static_cast<const uint8_t*>(block_), count_);
    count_ = 1;
  }

 private:
  Sink sink_;
  uint8_t block_[255];
  uint32_t count_ = 1;
};

}  // namespace serial_frame_internal

template <typename Sink>
void write_frame(const FrameHeader& header, const uint8_t* payload, uint32_t payload_bytes,
                 Sink sink) {
  const uint8_t zero = 0;
  uint8_t head[kFrameHeaderBytes], check[kFrameCheckBytes];
  serial_frame_internal::pack_header(header, head);
  store_u32(crc32(payload, payload_bytes, crc32(head, sizeof(head))), check);
  sink(&zero, 1u);  // ends what noise began
  serial_frame_internal::Stuffer<Sink> stuffer(sink);
  stuffer.put(head, sizeof(head));
  stuffer.put(payload, payload_bytes);
  stuffer.put(check, sizeof(check));
  stuffer.flush();
  sink(&zero, 1u);
}

}  // namespace thimble::runtime
