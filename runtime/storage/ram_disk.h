/* SPDX-License-Identifier: Apache-2.0
   Storage in memory that is addressed: external RAM, or what stands in for a storage in tests. On
   request it is as strict as NOR flash.

     static uint8_t bytes[NAME_STORAGE_bytes];
     static thimble_ram_disk disk = {bytes, sizeof bytes, 1, 0, THIMBLE_RAM_DISK_PLAIN, 0};
     const thimble_storage storage = thimble_ram_disk_open(&disk);

   Every operation takes place when it begins. */
#ifndef THIMBLE_RUNTIME_RAM_DISK_H
#define THIMBLE_RUNTIME_RAM_DISK_H

#include <stdint.h>

#include "thimble_runtime/storage.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  /* Bytes are overwritten. */
  THIMBLE_RAM_DISK_PLAIN = 0,
  /* An erase sets all bits of its blocks, a write can only clear bits: where it should set one, it
     stays 0 and the write ends well, as on flash that nobody looks at again. */
  THIMBLE_RAM_DISK_NOR = 1,
  /* As the one above, but a write that should set a bit fails and changes nothing. */
  THIMBLE_RAM_DISK_NOR_CHECKED = 2
};

typedef struct thimble_ram_disk {
  uint8_t* bytes;
  uint32_t size;
  uint32_t granule;    /* writes begin at multiples of it, else they fail; not 0 */
  uint32_t block;      /* erases begin and end at multiples of it, else they fail; 0: PLAIN alone */
  int kind;            /* THIMBLE_RAM_DISK_... */
  uint32_t unset_bits; /* bits that writes should have set, in all; 0 at first */
} thimble_ram_disk;

/* The storage; the disk must outlive it. Bytes are left as they are: NOR that is to be written
   without being erased has to be filled with 0xff. */
thimble_storage thimble_ram_disk_open(thimble_ram_disk* disk);

#ifdef __cplusplus
}
#endif

#endif /* THIMBLE_RUNTIME_RAM_DISK_H */
