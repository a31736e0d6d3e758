/* SPDX-License-Identifier: Apache-2.0
   Storage in flash that is mapped into the address space, as a QSPI flash is whose controller reads
   by itself. It holds the image of constants, which was programmed there; it is not written, so
   that maps stay in the arena (--planner auto:written=0).

     static const thimble_mapped_flash flash = {(const uint8_t*)0x90000000, 16u << 20};
     const thimble_storage storage = thimble_mapped_flash_open(&flash);

   Every read takes place when it begins. */
#ifndef THIMBLE_RUNTIME_MAPPED_FLASH_H
#define THIMBLE_RUNTIME_MAPPED_FLASH_H

#include <stdint.h>

#include "thimble_runtime/storage.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct thimble_mapped_flash {
  const uint8_t* bytes; /* of the image's first byte */
  uint32_t size;
} thimble_mapped_flash;

/* The storage; the flash must outlive it. Writes fail (THIMBLE_STORAGE_WRITE_FAILED). */
thimble_storage thimble_mapped_flash_open(const thimble_mapped_flash* flash);

#ifdef __cplusplus
}
#endif

#endif /* THIMBLE_RUNTIME_MAPPED_FLASH_H */
