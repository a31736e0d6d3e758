// SPDX-License-Identifier: Apache-2.0
#include "serial_frame.h"

namespace thimble::runtime {

uint32_t load_u32(const uint8_t* from) {
  return static_cast<uint32_t>(from[0]) | static_cast<uint32_t>(from[1]) << 8 |
         static_cast<uint32_t>(from[2]) << 16 | static_cast<uint32_t>(from[3]) << 24;
}

void store_u32(uint32_t value, uint8_t* to) {
  for (int i = 0; i < 4; ++i) to[i] = static_cast<uint8_t>(value >> (8 * i));
}

bool parse_frame(const uint8_t* bytes, uint32_t count, Frame& frame) {
  constexpr uint32_t kLeast = kFrameHeaderBytes + kFrameCheckBytes;
  if (count < kLeast || count > kMostFrameBytes) return false;
  const uint32_t checked = count - kFrameCheckBytes;
  if (crc32(bytes, checked) != load_u32(bytes + checked)) return false;
  frame.header.kind = static_cast<FrameKind>(bytes[0]);
  frame.header.length = static_cast<uint16_t>(bytes[2] | bytes[3] << 8);
  frame.header.session = load_u32(bytes + 4);
  frame.header.sequence = load_u32(bytes + 8);
  frame.header.offset = load_u32(bytes + 12);
  frame.payload = bytes + kFrameHeaderBytes;
  frame.payload_bytes = count - kLeast;
  return true;
}

uint32_t receive_byte(thimble_serial_receiver& receiver, uint8_t byte) {
  const auto append = [&](uint8_t value) {
    if (receiver.count == kMostFrameBytes) receiver.dropped = 1;
    if (receiver.dropped == 0) receiver.bytes[receiver.count++] = value;
  };
  if (byte == 0) {
    const uint32_t complete = receiver.left == 0 && receiver.dropped == 0 ? receiver.count : 0;
    receiver.count = 0;
    receiver.left = receiver.zero_next = receiver.dropped = 0;
    return complete;
  }
  if (receiver.left > 0) {
    --receiver.left;
    append(byte);
    return 0;
  }
  if (receiver.zero_next != 0) append(0);
  receiver.zero_next = byte != 0xFF;
  receiver.left = static_cast<uint8_t>(byte - 1);
  return 0;
}

namespace serial_frame_internal {

void pack_header(const FrameHeader& header, uint8_t* to) {
  to[0] = static_cast<uint8_t>(header.kind);
  to[1] = 0;
  to[2] = static_cast<uint8_t>(header.length);
  to[3] = static_cast<uint8_t>(header.length >> 8);
  store_u32(header.session, to + 4);
  store_u32(header.sequence, to + 8);
  store_u32(header.offset, to + 12);
}

}  // namespace serial_frame_internal
}  // namespace thimble::runtime
