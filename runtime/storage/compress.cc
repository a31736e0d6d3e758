// SPDX-License-Identifier: Apache-2.0
#include "thimble_runtime/compress.h"

namespace thimble::runtime {
namespace {

constexpr uint32_t kAsItIs = 1U << 31;

uint32_t bitmap_bytes(uint32_t record_bytes) noexcept {
  return record_bytes / 8 + (record_bytes % 8 != 0 ? 1 : 0);
}

// The lowest one of those that are there most often.
uint32_t most_frequent(const uint8_t* record, uint32_t record_bytes, uint32_t* counts) noexcept {
  for (uint32_t value = 0; value < kCompressScratchWords; ++value) counts[value] = 0;
  for (uint32_t i = 0; i < record_bytes; ++i) ++counts[record[i]];
  uint32_t best = 0;
  for (uint32_t value = 1; value < kCompressScratchWords; ++value) {
    if (counts[value] > counts[best]) best = value;
  }
  return best;
}

bool is_other(const uint8_t* bitmap, uint32_t place) noexcept {
  return (bitmap[place / 8] >> place % 8 & 1U) != 0;
}

// Bits that are set; those behind the last place count as well.
uint32_t count_of_others(const uint8_t* bitmap, uint32_t bytes) noexcept {
  uint32_t count = 0;
  for (uint32_t i = 0; i < bytes; ++i) {
    for (uint32_t bits = bitmap[i]; bits != 0; bits &= bits - 1) ++count;
  }
  return count;
}

void write_header(uint8_t* to, uint32_t header) noexcept {
  for (uint32_t i = 0; i < kCompressedHeaderBytes; ++i)
    to[i] = static_cast<uint8_t>(header >> 8 * i);
}

uint32_t read_header(const uint8_t* from) noexcept {
  uint32_t header = 0;
  for (uint32_t i = 0; i < kCompressedHeaderBytes; ++i) header |= uint32_t{from[i]} << 8 * i;
  return header;
}

void copy_bytes(const uint8_t* from, uint32_t count, uint8_t* to) noexcept {
  for (uint32_t i = 0; i < count; ++i) to[i] = from[i];
}

}  // namespace

uint32_t compress(const uint8_t* record, uint32_t record_bytes, uint8_t* compressed,
                  uint32_t* scratch) noexcept {
  const uint32_t value = most_frequent(record, record_bytes, scratch);
  const uint32_t bitmap = bitmap_bytes(record_bytes);
  const uint32_t body_bytes = 1 + bitmap + (record_bytes - scratch[value]);
  uint8_t* const body = compressed + kCompressedHeaderBytes;
  if (body_bytes >= record_bytes) {
    write_header(compressed, record_bytes | kAsItIs);
    copy_bytes(record, record_bytes, body);
    return kCompressedHeaderBytes + record_bytes;
  }
  write_header(compressed, body_bytes);
  body[0] = static_cast<uint8_t>(value);
  uint8_t* const bits = body + 1;
  uint8_t* other = bits + bitmap;
  for (uint32_t i = 0; i < bitmap; ++i) bits[i] = 0;
  for (uint32_t i = 0; i < record_bytes; ++i) {
    if (record[i] == value) continue;
    bits[i / 8] = static_cast<uint8_t>(bits[i / 8] | 1U << i % 8);
    *other++ = record[i];
  }
  return kCompressedHeaderBytes + body_bytes;
}

bool decompress(const uint8_t* compressed, uint32_t compressed_bytes, uint8_t* record,
                uint32_t record_bytes) noexcept {
  if (compressed_bytes < kCompressedHeaderBytes) return false;
  const uint32_t header = read_header(compressed), body_bytes = header & ~kAsItIs;
  if (body_bytes > compressed_bytes - kCompressedHeaderBytes) return false;
  const uint8_t* const body = compressed + kCompressedHeaderBytes;
  if ((header & kAsItIs) != 0) {
    if (body_bytes != record_bytes) return false;
    copy_bytes(body, record_bytes, record);
    return true;
  }
  const uint32_t bitmap = bitmap_bytes(record_bytes);
  if (body_bytes >= record_bytes || body_bytes < 1 + bitmap) return false;
  const uint8_t* const bits = body + 1;
  const uint32_t behind = record_bytes % 8;  // places of the last byte
  if (behind != 0 && bits[bitmap - 1] >> behind != 0) return false;
  if (count_of_others(bits, bitmap) != body_bytes - 1 - bitmap) return false;
  const uint8_t* other = bits + bitmap;
  for (uint32_t i = 0; i < record_bytes; ++i) record[i] = is_other(bits, i) ? *other++ : body[0];
  return true;
}

}  // namespace thimble::runtime
