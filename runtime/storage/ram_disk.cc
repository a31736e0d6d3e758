// SPDX-License-Identifier: Apache-2.0
#include "ram_disk.h"

namespace {

thimble_ram_disk& disk_of(void* context) { return *static_cast<thimble_ram_disk*>(context); }

bool is_on(const thimble_ram_disk& disk, uint32_t offset, uint32_t size) {
  return offset <= disk.size && size <= disk.size - offset;
}

// Bits that are 0 and should not be.
uint32_t unset_bits(const uint8_t* held, const uint8_t* wanted, uint32_t size) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < size; ++i) {
    for (uint32_t bits = wanted[i] & ~uint32_t{held[i]}; bits != 0; bits &= bits - 1) ++count;
  }
  return count;
}

int read_disk(void* context, uint32_t, uint32_t offset, void* bytes, uint32_t size) {
  const thimble_ram_disk& disk = disk_of(context);
  if (!is_on(disk, offset, size)) return THIMBLE_STORAGE_FULL;
  auto* const to = static_cast<uint8_t*>(bytes);
  for (uint32_t i = 0; i < size; ++i) to[i] = disk.bytes[offset + i];
  return THIMBLE_STORAGE_OK;
}

int write_disk(void* context, uint32_t, uint32_t offset, const void* bytes, uint32_t size) {
  thimble_ram_disk& disk = disk_of(context);
  if (!is_on(disk, offset, size)) return THIMBLE_STORAGE_FULL;
  if (offset % disk.granule != 0) return THIMBLE_STORAGE_WRITE_FAILED;
  const auto* const from = static_cast<const uint8_t*>(bytes);
  uint8_t* const to = disk.bytes + offset;
  const bool plain = disk.kind == THIMBLE_RAM_DISK_PLAIN;
  const uint32_t unset = plain ? 0 : unset_bits(to, from, size);
  disk.unset_bits += unset;
  if (disk.kind == THIMBLE_RAM_DISK_NOR_CHECKED && unset != 0) return THIMBLE_STORAGE_WRITE_FAILED;
  for (uint32_t i = 0; i < size; ++i)
    to[i] = plain ? from[i] : static_cast<uint8_t>(to[i] & from[i]);
  return THIMBLE_STORAGE_OK;
}

int erase_disk(void* context, uint32_t, uint32_t offset, uint32_t size) {
  const thimble_ram_disk& disk = disk_of(context);
  if (!is_on(disk, offset, size)) return THIMBLE_STORAGE_FULL;
  if (disk.block == 0 || offset % disk.block != 0 || size % disk.block != 0)
    return THIMBLE_STORAGE_ERASE_FAILED;
  for (uint32_t i = 0; i < size; ++i) disk.bytes[offset + i] = 0xff;
  return THIMBLE_STORAGE_OK;
}

int wait_for_disk(void*, uint32_t) { return THIMBLE_STORAGE_OK; }

}  // namespace

thimble_storage thimble_ram_disk_open(thimble_ram_disk* disk) {
  return {disk,          read_disk, write_disk, disk->block == 0 ? nullptr : erase_disk,
          wait_for_disk, nullptr};
}
