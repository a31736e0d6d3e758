// SPDX-License-Identifier: Apache-2.0
#include "mapped_flash.h"

namespace {

// In words where both lie at multiples of four, as records of an image do: bytes are a transaction
// each on some controllers.
int read_flash(void* context, uint32_t, uint32_t offset, void* bytes, uint32_t size) {
  const auto& flash = *static_cast<const thimble_mapped_flash*>(context);
  if (offset > flash.size || size > flash.size - offset) return THIMBLE_STORAGE_FULL;
  const uint8_t* const from = flash.bytes + offset;
  auto* const to = static_cast<uint8_t*>(bytes);
  uint32_t i = 0;
  if (reinterpret_cast<uintptr_t>(from) % 4 == 0 && reinterpret_cast<uintptr_t>(to) % 4 == 0) {
    for (; size - i >= 4; i += 4)
      __builtin_memcpy(__builtin_assume_aligned(to + i, 4), __builtin_assume_aligned(from + i, 4),
                       4);
  }
  for (; i < size; ++i) to[i] = from[i];
  return THIMBLE_STORAGE_OK;
}

int refuse_write(void*, uint32_t, uint32_t, const void*, uint32_t) {
  return THIMBLE_STORAGE_WRITE_FAILED;
}

int wait_for_flash(void*, uint32_t) { return THIMBLE_STORAGE_OK; }

}  // namespace

thimble_storage thimble_mapped_flash_open(const thimble_mapped_flash* flash) {
  return {const_cast<thimble_mapped_flash*>(flash),
          read_flash,
          refuse_write,
          nullptr,
          wait_for_flash,
          nullptr};
}
