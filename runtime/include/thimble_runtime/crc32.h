// SPDX-License-Identifier: Apache-2.0
// CRC-32 as of ISO-HDLC (reflected 0x04C11DB7), which is IEEE 802.3's: tags of records, frames of
// the serial remote.
#pragma once

#include <stdint.h>

namespace thimble::runtime {

/// The check of `size` bytes, going on from that of the bytes before them. Four bits at a time: two
/// steps a byte, and 64 bytes of flash where a table of bytes takes 1,024.
inline uint32_t crc32(const uint8_t* bytes, uint32_t size, uint32_t before = 0) noexcept {
  static constexpr uint32_t kOfNibble[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac,
                                             0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
                                             0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                             0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
  uint32_t crc = ~before;
  for (; size > 0; --size) {
    crc ^= *bytes++;
    crc = crc >> 4 ^ kOfNibble[crc & 15U];
    crc = crc >> 4 ^ kOfNibble[crc & 15U];
  }
  return ~crc;
}

}  // namespace thimble::runtime
