/* SPDX-License-Identifier: Apache-2.0 */
/* Block storage that spilled tensors go to: flash that is erased and written, an SD card, a host at
   the end of a serial line. What a user's firmware implements; docs/storage.md has an example.

   Each operation begins and returns; `wait` ends it. What does not go on beside the core may do all
   of its work at once, and `wait` say how it went. All functions are called by one thread, never by
   an interrupt; interrupts of the driver's own are its business. */
#ifndef THIMBLE_RUNTIME_STORAGE_H
#define THIMBLE_RUNTIME_STORAGE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Statuses of operations; below zero: what went wrong. Drivers may have others below -100. */
enum {
  THIMBLE_STORAGE_OK = 0,
  THIMBLE_STORAGE_READ_FAILED = -1,
  THIMBLE_STORAGE_WRITE_FAILED = -2,
  THIMBLE_STORAGE_ERASE_FAILED = -3,
  THIMBLE_STORAGE_CORRUPT = -4,   /* bytes that were read are not those that were written */
  THIMBLE_STORAGE_TIMED_OUT = -5, /* it does not answer */
  THIMBLE_STORAGE_FULL = -6,      /* an offset beyond its end */
  THIMBLE_STORAGE_MISSING = -7    /* no driver was given */
};

typedef struct thimble_storage {
  void* context; /* handed to each function */
  /* Begins; 0, or a status below zero, and then nothing has begun. token: which of the operations
     in flight it is, below NAME_tokens; begun again only after `wait`. offset: bytes from the start
     of what the network may use. `bytes` is left alone until `wait` returns. */
  int (*read_async)(void* context, uint32_t token, uint32_t offset, void* bytes, uint32_t size);
  /* offset: a multiple of NAME_STORAGE_granule. The driver fills the last granule up. */
  int (*write_async)(void* context, uint32_t token, uint32_t offset, const void* bytes,
                     uint32_t size);
  /* Whole blocks. Null if the storage needs none. */
  int (*erase_async)(void* context, uint32_t token, uint32_t offset, uint32_t size);
  /* Returns when the operation has ended: 0, or a status below zero. */
  int (*wait)(void* context, uint32_t token);
  /* Behind a fault: ends all that is in flight, done or not; nothing is touched after it returns.
     Null if nothing goes on by itself. */
  void (*cancel)(void* context);
} thimble_storage;

#ifdef __cplusplus
}
#endif

#endif /* THIMBLE_RUNTIME_STORAGE_H */
