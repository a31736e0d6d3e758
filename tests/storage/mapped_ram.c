// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "thimble_runtime/storage.h"

/* External RAM that is mapped into the address space; its controller was set up before. */
struct mapped_ram {
  uint8_t* begin;
  uint32_t size;
};

static int is_inside(const struct mapped_ram* ram, uint32_t offset, uint32_t size) {
  return offset <= ram->size && size <= ram->size - offset;
}

static int ram_read(void* context, uint32_t token, uint32_t offset, void* bytes, uint32_t size) {
  const struct mapped_ram* ram = context;
  (void)token; /* nothing is in flight when this returns */
  if (!is_inside(ram, offset, size)) return THIMBLE_STORAGE_FULL;
  memcpy(bytes, ram->begin + offset, size);
  return THIMBLE_STORAGE_OK;
}

static int ram_write(void* context, uint32_t token, uint32_t offset, const void* bytes,
                     uint32_t size) {
  const struct mapped_ram* ram = context;
  (void)token;
  if (!is_inside(ram, offset, size)) return THIMBLE_STORAGE_FULL;
  memcpy(ram->begin + offset, bytes, size);
  return THIMBLE_STORAGE_OK;
}

static int ram_wait(void* context, uint32_t token) {
  (void)context;
  (void)token;
  return THIMBLE_STORAGE_OK;
}

/* On a board: {(uint8_t*)0x90000000, 8u << 20}, or an array that the linker places there. */
static uint8_t bytes_of_psram[64 * 1024];
static struct mapped_ram ram = {bytes_of_psram, sizeof bytes_of_psram};

/* Nothing is erased, and nothing needs to be cancelled. */
const thimble_storage psram = {&ram, ram_read, ram_write, NULL, ram_wait, NULL};
