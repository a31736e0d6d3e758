/* SPDX-License-Identifier: Apache-2.0
   Storage on an SD card (SDSC, SDHC, SDXC) on an SPI bus ("SD Specifications, Part 1, Physical
   Layer Simplified Specification", chapters 4 and 7). The bus is three functions of the firmware's.

     static thimble_sd_card card = {.spi = &spi, .first_block = 2048, .blocks = 16384,
                                    .patience = 400000};
     const thimble_storage storage = thimble_sd_card_open(&card);

   Granule 512; nothing is erased. The blocks [first_block, first_block + blocks) are overwritten:
   a partition, or a file whose blocks lie side by side, which is the network's alone. What a write
   leaves of its last block is filled with zeros.

   Commands and data have their CRCs, which the card checks, too. A card that fails or is silent is
   started anew by the next operation, so that one that was taken out and put back goes on, as long
   as nobody wrote to it. Each operation takes place when it begins: the core moves the bytes. */
#ifndef THIMBLE_RUNTIME_SD_CARD_H_
#define THIMBLE_RUNTIME_SD_CARD_H_

#include <stdint.h>

#include "thimble_runtime/storage.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  THIMBLE_SD_BLOCK = 512,
  /* No card answers, or none that runs at 3.3 V. */
  THIMBLE_SD_NO_CARD = THIMBLE_STORAGE_OWN - 16
};

typedef struct thimble_spi {
  void* context;
  /* Mode 0, eight bits, the highest first. Sends `count` bytes of `out`, or 0xff where that is
     null; meanwhile as many come, and go to `in` unless that is null. */
  void (*transfer)(void* context, const uint8_t* out, uint8_t* in, uint32_t count);
  /* Chip select, which is low where it is selected. */
  void (*select)(void* context, int selected);
  /* At most 400 kHz, or as fast as card and board are: 25 MHz at most. */
  void (*set_fast)(void* context, int fast);
} thimble_spi;

typedef struct thimble_sd_card {
  const thimble_spi* spi; /* must outlive it */
  uint32_t first_block;
  uint32_t blocks;
  /* Bytes of the bus until a card is taken to be silent: those of half a second at its clock. */
  uint32_t patience;
  /* 512 bytes for a block that is read in part, so that the next read goes on with the rest of it:
     the network's constants lie one right behind the other. Null: it is read again. */
  uint8_t* cache;

  /* The driver's own, 0 at first. */
  int started;
  int by_blocks;            /* it counts in blocks, not in bytes */
  uint32_t capacity_blocks; /* of the card */
  uint32_t cached;          /* which block of the storage's the cache holds, from 1 on */
} thimble_sd_card;

/* Finds the card and makes it ready: 0, or what is wrong with it. Operations do it by themselves
   where it is needed. */
int thimble_sd_card_start(thimble_sd_card* card);

/* The storage; the card must outlive it. */
thimble_storage thimble_sd_card_open(thimble_sd_card* card);

#ifdef __cplusplus
}
#endif

#endif /* THIMBLE_RUNTIME_SD_CARD_H_ */
