/* SPDX-License-Identifier: Apache-2.0
   Storage that is a file of a FAT16 or FAT32 file system on another one, a card as a camera or a PC
   formats it ("Microsoft Extensible Firmware Initiative FAT32 File System Specification", 1.03).

     static uint8_t sector[THIMBLE_FAT_BLOCK];
     static thimble_fat_file file = {.inner = &card_storage, .blocks = card.capacity_blocks};
     int status = thimble_fat_file_find(&file, "NETS/UNET.IMG", sector);
     if (status == THIMBLE_STORAGE_OK && file.bytes < NAME_STORAGE_bytes) status = ...;
     const thimble_storage storage = thimble_fat_file_open(&file);

   The card has no partitions, or up to four in an MBR, of which the first that is FAT16 or FAT32
   counts. The file's clusters must lie side by side:

     card   |MBR|..|boot, FATs, root|..|file            |..|
     storage                           |0 ..  file.bytes|

   so that each operation is one operation of the card, at as many a time as that takes. Nothing but
   bytes of the file is written, and its name, size and date stay; a card that writes whole blocks
   fills the file's last one, in which nobody else has anything. Granules are the card's, up to 512;
   what the card erases must fit to where the file lies.

   Numbers on the card are trusted in nothing: whatever lies there, finding ends with a status,
   after at most 8,192 reads for each folder and one for each 128 clusters of the file.

   Do not let anything else change the file system while the storage is used. */
#ifndef THIMBLE_RUNTIME_FAT_FILE_H_
#define THIMBLE_RUNTIME_FAT_FILE_H_

#include <stdint.h>

#include "thimble_runtime/storage.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  THIMBLE_FAT_BLOCK = 512,
  /* Neither FAT16 nor FAT32: not formatted, FAT12 (cards below some 4 MB), NTFS, a GPT. */
  THIMBLE_FAT_NO_VOLUME = THIMBLE_STORAGE_OWN - 32,
  /* exFAT, as cards above 32 GB come: format it as FAT32. */
  THIMBLE_FAT_EXFAT = THIMBLE_STORAGE_OWN - 33,
  /* No such file or folder, or a folder in place of a file. */
  THIMBLE_FAT_NO_FILE = THIMBLE_STORAGE_OWN - 34,
  /* The file lies in pieces: copy it onto a card that was formatted just before. */
  THIMBLE_FAT_FRAGMENTED = THIMBLE_STORAGE_OWN - 35,
  /* A chain of clusters ends too early or too late, or leads back or out of the volume; a volume
     larger than its partition: let a PC check the card. */
  THIMBLE_FAT_DAMAGED = THIMBLE_STORAGE_OWN - 36,
  /* Behind the end of the card, or behind its first 4 GiB, where offsets end. What is copied first
     onto a card that was formatted lies in front. */
  THIMBLE_FAT_TOO_FAR = THIMBLE_STORAGE_OWN - 37
};

typedef struct thimble_fat_file {
  const thimble_storage* inner; /* must outlive it; begins with the card's first block */
  uint32_t blocks;              /* that it has, of 512 bytes; those behind 4 GiB are not used */

  /* What thimble_fat_file_find has found, 0 at first. */
  uint32_t offset; /* of the inner storage: where the file begins */
  uint32_t bytes;  /* of the file; 0: none, and all operations are refused */
  int read_only;   /* so it is marked: writes are refused */
} thimble_fat_file;

/* Finds the file: 0, a status from above, or that of a read that failed. `path` is from the root
   on, with slashes in between, in ASCII; capitals count as small letters. Its names are long ones
   or those of 8.3 characters that stand for them ("UNET~1.IMG"). `sector` is the caller's again
   when it returns. Nothing may be in flight meanwhile; reads take token 0. */
int thimble_fat_file_find(thimble_fat_file* file, const char* path,
                          uint8_t sector[THIMBLE_FAT_BLOCK]);

/* The storage; the file must outlive it. */
thimble_storage thimble_fat_file_open(thimble_fat_file* file);

#ifdef __cplusplus
}
#endif

#endif /* THIMBLE_RUNTIME_FAT_FILE_H_ */
