// SPDX-License-Identifier: Apache-2.0
#include "fat_file.h"
#include "sd_card.h"

static thimble_sd_card card = {.patience = 400000};
static thimble_storage whole_card;
static thimble_fat_file file = {.inner = &whole_card};

/* The storage that is a file of the card on this bus, if the file has so many bytes: 0, or why
   there is none. */
int open_card_file(const thimble_spi* spi, const char* path, uint32_t bytes,
                   thimble_storage* storage) {
  static uint8_t sector[THIMBLE_FAT_BLOCK]; /* or the first bytes of the arena */
  card.spi = spi;
  int status = thimble_sd_card_start(&card);
  if (status != THIMBLE_STORAGE_OK) return status;
  card.blocks = file.blocks = card.capacity_blocks;
  whole_card = thimble_sd_card_open(&card);
  status = thimble_fat_file_find(&file, path, sector);
  if (status != THIMBLE_STORAGE_OK) return status;
  if (file.bytes < bytes) return THIMBLE_STORAGE_FULL;
  *storage = thimble_fat_file_open(&file);
  return THIMBLE_STORAGE_OK;
}
