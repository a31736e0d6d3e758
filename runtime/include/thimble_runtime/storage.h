/* SPDX-License-Identifier: Apache-2.0
   Block storage as emitted code uses it: what a user's firmware, or a driver, implements. */
#ifndef THIMBLE_RUNTIME_STORAGE_H_
#define THIMBLE_RUNTIME_STORAGE_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  THIMBLE_STORAGE_OK = 0,
  THIMBLE_STORAGE_READ_FAILED = -1,
  THIMBLE_STORAGE_WRITE_FAILED = -2,
  THIMBLE_STORAGE_ERASE_FAILED = -3,
  THIMBLE_STORAGE_CORRUPT = -4,
  THIMBLE_STORAGE_TIMED_OUT = -5,
  THIMBLE_STORAGE_FULL = -6
};

typedef struct thimble_storage {
  void* context;
  /* Each begins and returns 0, or fails at once (a status < 0). token < the number that
     MODEL_storage_tokens says. `bytes` is left alone until wait(token). */
  int (*read_async)(void* context, uint32_t token, uint32_t offset, void* bytes, uint32_t size);
  /* offset: a multiple of the granule; the last granule is padded by the driver. */
  int (*write_async)(void* context, uint32_t token, uint32_t offset, const void* bytes,
                     uint32_t size);
  /* Whole blocks. */
  int (*erase_async)(void* context, uint32_t token, uint32_t offset, uint32_t size);
  /* Until it is done: 0, or a status < 0. */
  int (*wait)(void* context, uint32_t token);
  /* Ends all that is in flight, done or not. */
  void (*cancel)(void* context);
} thimble_storage;

#ifdef __cplusplus
}
#endif

#endif /* THIMBLE_RUNTIME_STORAGE_H_ */
