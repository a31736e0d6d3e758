/* SPDX-License-Identifier: Apache-2.0
   Another storage, encrypted and authenticated: who reads or changes what lies there learns nothing
   of the tensors, and nothing that was changed, moved or stored before is taken for what is there.
   The cipher is a chip's engine or a library's, behind two functions (aead_mbedtls.h has one).

     static uint32_t counters[60];
     static int statuses[NAME_tokens];
     static uint8_t buffer[256 + THIMBLE_SEALED_TAG + 4];
     static thimble_sealed sealed = {.inner = &flash,
                                     .inner_size = 16384,
                                     .inner_granule = 4,
                                     .inner_block = 4096,
                                     .cell = 256,
                                     .aead = &engine,
                                     .counters = counters,
                                     .counter_count = 60,
                                     .buffer = buffer,
                                     .buffer_size = sizeof buffer,
                                     .statuses = statuses,
                                     .tokens = NAME_tokens};
     random_bytes(sealed.salt, sizeof sealed.salt);
     const thimble_storage storage = thimble_sealed_open(&sealed);

   Bytes are sealed in cells of `cell`, each with 16 bytes behind it:

     inner   |cell 0         |tag|..|cell 1         |tag|..|     |cell n ..
             | a whole number of them in a block of the inner storage, then nothing |

   The network is compiled with a granule of `cell`, a power of two, and, where the inner storage is
   erased, blocks of thimble_sealed_block() bytes: here 15 cells, 3,840 bytes.

   Keys are the firmware's. Nonces never repeat under a key as long as no salt does: a nonce is the
   salt and a counter that goes up with each cell that is written, and stays in RAM, so that a cell
   of an earlier write is none. Take the salt of each boot from a true random generator, or
   count boots where the count survives. At 2^32 - 1 cells writes end with THIMBLE_SEALED_WORN_OUT:
   open anew with another salt.

   Each operation takes place when it begins, cell by cell; its status is told by wait. */
#ifndef THIMBLE_RUNTIME_SEALED_H_
#define THIMBLE_RUNTIME_SEALED_H_

#include <stdint.h>

#include "thimble_runtime/storage.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { THIMBLE_SEALED_SALT = 8, THIMBLE_SEALED_NONCE = 12, THIMBLE_SEALED_TAG = 16 };

enum {
  THIMBLE_SEALED_WORN_OUT = THIMBLE_STORAGE_OWN - 8, /* no nonce is left */
  THIMBLE_SEALED_NO_CIPHER = THIMBLE_STORAGE_OWN - 9 /* sealing failed */
};

/* Authenticated encryption with a key of its own: AES-GCM, AES-CCM, ChaCha20-Poly1305. In place:
   `bytes` are the plain ones, then the sealed ones, or the other way round. `data` are
   authenticated with them. */
typedef struct thimble_aead {
  void* context;
  /* 0, or anything else if it cannot. */
  int (*seal)(void* context, const uint8_t nonce[THIMBLE_SEALED_NONCE], const uint8_t* data,
              uint32_t data_size, uint8_t* bytes, uint32_t size, uint8_t tag[THIMBLE_SEALED_TAG]);
  /* 0 only if bytes, nonce and data are what the tag was made of. */
  int (*open)(void* context, const uint8_t nonce[THIMBLE_SEALED_NONCE], const uint8_t* data,
              uint32_t data_size, uint8_t* bytes, uint32_t size,
              const uint8_t tag[THIMBLE_SEALED_TAG]);
} thimble_aead;

typedef struct thimble_sealed {
  const thimble_storage* inner; /* these must outlive it */
  const thimble_aead* aead;
  uint32_t inner_size, inner_granule; /* bytes; a power of two, 1 if there is none */
  uint32_t inner_block;               /* 0: nothing is erased */
  uint32_t cell;                      /* bytes that are sealed together, a power of two */
  uint8_t salt[THIMBLE_SEALED_SALT];  /* another one at each boot */
  uint32_t* counters;                 /* one for each cell, of `counter_count` */
  uint32_t counter_count;
  uint8_t* buffer; /* of thimble_sealed_stride() bytes at least */
  uint32_t buffer_size;
  int* statuses; /* one for each token, of `tokens` */
  uint32_t tokens;

  uint32_t written; /* the driver's own: cells so far */
} thimble_sealed;

/* From one cell to the next in the inner storage. */
uint32_t thimble_sealed_stride(const thimble_sealed* sealed);
/* Bytes that are erased together, of those that the network sees; 0: nothing is erased. */
uint32_t thimble_sealed_block(const thimble_sealed* sealed);
/* Bytes that the network may store. */
uint32_t thimble_sealed_bytes(const thimble_sealed* sealed);

/* The storage. Where something is not as it says above, it has no bytes: all ends with
   THIMBLE_STORAGE_FULL. */
thimble_storage thimble_sealed_open(thimble_sealed* sealed);

#ifdef __cplusplus
}
#endif

#endif /* THIMBLE_RUNTIME_SEALED_H_ */
