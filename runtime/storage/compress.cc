// SPDX-License-Identifier: Apache-2.0
#include "thimble_runtime/compress.h"

namespace thimble::runtime {
namespace {

constexpr uint8_t kLeadBytes = kCompressedHeaderBytes + 1;
// As many candidates find each value that more than an eighth of a record has (Misra and Gries,
// 1982); with fewer places, one bit for each takes what they save.
constexpr uint32_t kCandidates = 7;

struct Frequent {
  uint8_t value;
  uint32_t count;
};

uint32_t places_from(uint32_t place, uint32_t record_bytes) noexcept {
  return record_bytes - place < 8 ? record_bytes - place : 8;
}

void count_candidate(Frequent* candidates, uint8_t value) noexcept {
  Frequent* unused = nullptr;
  for (uint32_t k = 0; k < kCandidates; ++k) {
    if (candidates[k].count == 0) {
      unused = &candidates[k];
    } else if (candidates[k].value == value) {
      ++candidates[k].count;
      return;
    }
  }
  if (unused != nullptr) {
    *unused = {value, 1};
    return;
  }
  for (uint32_t k = 0; k < kCandidates; ++k) --candidates[k].count;
}

// The value that is there most often, the lowest of several; or any, if none has more than an
// eighth of the places.
Frequent most_frequent(const uint8_t* record, uint32_t record_bytes) noexcept {
  Frequent candidates[kCandidates];
  for (Frequent& each : candidates) each = {0, 0};
  for (uint32_t i = 0; i < record_bytes; ++i) count_candidate(candidates, record[i]);
  Frequent best{0, 0};
  for (const Frequent& each : candidates) {
    if (each.count == 0) continue;
    uint32_t count = 0;
    for (uint32_t i = 0; i < record_bytes; ++i) count += record[i] == each.value ? 1 : 0;
    const bool lower = count == best.count && each.value < best.value;
    if (count > best.count || lower) best = {each.value, count};
  }
  return best;
}

uint32_t size_with(const Frequent& value, uint32_t record_bytes) noexcept {
  return least_compressed_bytes(record_bytes) + (record_bytes - value.count);
}

uint8_t others_from(const uint8_t* record, uint32_t count, uint8_t value) noexcept {
  uint32_t bits = 0;
  for (uint32_t k = 0; k < count; ++k) bits |= (record[k] != value ? 1U : 0U) << k;
  return static_cast<uint8_t>(bits);
}

// Of the last eight places, the first whose value is to come.
uint32_t take_other(RecordCoding& coding) noexcept {
  uint32_t bit = 0;
  while ((coding.others >> bit & 1U) == 0) ++bit;
  coding.others = static_cast<uint8_t>(coding.others & (coding.others - 1));
  return coding.place - 8 + bit;
}

// Whether a record may have so many bytes behind its header.
bool may_follow(uint32_t bytes, uint32_t record_bytes) noexcept {
  return bytes >= least_compressed_bytes(record_bytes) - kCompressedHeaderBytes &&
         record_bytes > kCompressedHeaderBytes && bytes < record_bytes - kCompressedHeaderBytes;
}

}  // namespace

uint32_t compressed_size(const uint8_t* record, uint32_t record_bytes) noexcept {
  const uint32_t size = size_with(most_frequent(record, record_bytes), record_bytes);
  return size < record_bytes ? size : 0;
}

void begin_compress(RecordCoding& coding, const uint8_t* record, uint32_t record_bytes) noexcept {
  const Frequent value = most_frequent(record, record_bytes);
  coding = {0, size_with(value, record_bytes) - kCompressedHeaderBytes, 0, value.value, 0};
}

uint32_t compress(RecordCoding& coding, const uint8_t* record, uint32_t record_bytes, uint8_t* to,
                  uint32_t room) noexcept {
  uint32_t made = 0;
  while (made < room) {
    if (coding.lead < kCompressedHeaderBytes) {
      to[made++] = static_cast<uint8_t>(coding.left >> 8U * coding.lead);
      ++coding.lead;
      continue;
    }
    if (coding.left == 0) break;
    --coding.left;
    if (coding.lead < kLeadBytes) {
      to[made++] = coding.value;
      ++coding.lead;
    } else if (coding.others != 0) {
      to[made++] = record[take_other(coding)];
    } else {
      coding.others =
          others_from(record + coding.place, places_from(coding.place, record_bytes), coding.value);
      to[made++] = coding.others;
      coding.place += 8;
    }
  }
  return made;
}

bool decompress(RecordCoding& coding, const uint8_t* from, uint32_t count, uint8_t* record,
                uint32_t record_bytes) noexcept {
  for (uint32_t i = 0; i < count; ++i) {
    const uint8_t byte = from[i];
    if (coding.lead < kCompressedHeaderBytes) {
      coding.left |= uint32_t{byte} << 8U * coding.lead;
      if (++coding.lead == kCompressedHeaderBytes && !may_follow(coding.left, record_bytes))
        return false;
      continue;
    }
    if (coding.left == 0) break;
    --coding.left;
    if (coding.lead < kLeadBytes) {
      coding.value = byte;
      ++coding.lead;
    } else if (coding.others != 0) {
      record[take_other(coding)] = byte;
    } else {
      if (coding.place >= record_bytes) return false;
      const uint32_t places = places_from(coding.place, record_bytes);
      if (places < 8 && byte >> places != 0) return false;
      for (uint32_t k = 0; k < places; ++k) record[coding.place + k] = coding.value;
      coding.others = byte;
      coding.place += 8;
    }
  }
  return coding.lead < kCompressedHeaderBytes || coding.left > 0 ||
         is_decompressed(coding, record_bytes);
}

bool is_decompressed(const RecordCoding& coding, uint32_t record_bytes) noexcept {
  return coding.lead == kLeadBytes && coding.left == 0 && coding.others == 0 &&
         coding.place >= record_bytes;
}

}  // namespace thimble::runtime
