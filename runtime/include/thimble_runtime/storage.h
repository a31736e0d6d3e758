// SPDX-License-Identifier: Apache-2.0
// Block storage that spilled tensors go to: flash that is erased and written, an SD card, a host at
// the end of a serial line. A user's firmware implements it (C99 or C++17); docs/storage.md has an
// example. Names of constants are those that a model NAME with a storage STORAGE has in NAME.h.
//
//   write_async(token 0, ..)   begins and returns
//   NAME_run computes          meanwhile the storage works: DMA, its controller, another core
//   wait(token 0)              returns when it has ended
//
// A driver whose hardware does nothing by itself does all of its work in *_async or in wait: then
// nothing overlaps, and all results are the same.
//
// Threads and interrupts. All five functions are called by the thread that called NAME_run, while
// it is there, one at a time, and never by an interrupt. They may wait, sleep, or yield to other
// threads. Interrupts of the driver's own, DMA and other cores are the driver's business: when wait
// returns, what was read must be visible to the calling thread. Two models that run in two threads
// need a driver each, or one that locks.
//
// Lifetimes. The struct and its context must outlive the call of NAME_run, which keeps neither.
// `bytes` of a read or write belong to the driver from *_async until wait or cancel returns:
// nobody else writes there, and nobody else reads what a read targets. Before and after the driver
// leaves them alone. They are aligned to nothing, and the bytes around them are read and written
// meanwhile: DMA beside a data cache needs a buffer of the driver's own for cache lines that
// `bytes` fill only in part. What is stored is used by the same call of NAME_run alone. It need not
// be there afterwards, and nothing needs to be there before.
//
// Order. Several operations may be in flight, each with its token; they may end in any order. None
// begins that needs another one that is in flight: no write to a block that is being erased, no
// read of what is being written.
#ifndef THIMBLE_RUNTIME_STORAGE_H
#define THIMBLE_RUNTIME_STORAGE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What operations return. Anything but 0 is a fault, and what NAME_run returns in the end if trying
   again (kRetries of transfers.h) did not help. */
enum {
  /* It has begun, or ended well. */
  THIMBLE_STORAGE_OK = 0,
  /* The device reported an error, or the bus to it did; the bytes are not what was asked for. */
  THIMBLE_STORAGE_READ_FAILED = -1,
  /* Or: an offset that is no multiple of the granule, bytes that are not erased, write-protected
     storage. */
  THIMBLE_STORAGE_WRITE_FAILED = -2,
  /* Or: not whole blocks. */
  THIMBLE_STORAGE_ERASE_FAILED = -3,
  /* Bytes that were read are not those that were written: a CRC-32 differs. NAME_run finds it; a
     driver that has a check of its own (ECC) may return it. */
  THIMBLE_STORAGE_CORRUPT = -4,
  /* The device did not answer in the time that the driver gives it. The operation has ended
     nevertheless: nothing is read or written for it any more. */
  THIMBLE_STORAGE_TIMED_OUT = -5,
  /* Beyond the end of the storage, or there is no room left on it. */
  THIMBLE_STORAGE_FULL = -6,
  /* NAME_run was given no driver (a null pointer). No driver returns it. */
  THIMBLE_STORAGE_MISSING = -7,
  /* What the storage begins with is no image of this model's constants, as NAME_STORAGE.img is:
     none was stored, or another model's. NAME_run finds it; no driver returns it. */
  THIMBLE_STORAGE_OTHER_IMAGE = -8,
  /* From here down: statuses of a driver's own. */
  THIMBLE_STORAGE_OWN = -64
};

typedef struct thimble_storage {
  /* Handed to each function. */
  void* context;

  /* Begins to read `size` bytes from `offset` into `bytes`, and returns 0; or a status below zero,
     and then nothing has begun, and wait is not called for it.
     token: the operation's name, below NAME_tokens. It is used again only after wait returned.
     offset: bytes from the start of what the model may use, NAME_STORAGE_bytes in all; a multiple
     of NAME_STORAGE_granule or, where constants come from an image there, of 4. size: at least 1,
     any. */
  int (*read_async)(void* context, uint32_t token, uint32_t offset, void* bytes, uint32_t size);

  /* Begins a write in the same way. Where `size` is no multiple of NAME_STORAGE_granule, what
     follows up to the next one is the driver's to fill; nothing else is stored there. If
     NAME_STORAGE_block is not 0, these bytes were erased, and were not written since. Its *wait*
     says if it was not carried out: then it may be stored in part, and is not tried again where
     there are blocks. */
  int (*write_async)(void* context, uint32_t token, uint32_t offset, const void* bytes,
                     uint32_t size);

  /* Begins to erase [offset, offset + size), whole blocks of NAME_STORAGE_block bytes. Null if
     any bytes may be overwritten as they are; then it is not called, whatever the model asks. */
  int (*erase_async)(void* context, uint32_t token, uint32_t offset, uint32_t size);

  /* Returns when the operation that was begun last with this token has ended: 0, or a status below
     zero. Either way nothing of it goes on. Called once for each one that was begun, unless cancel
     is; it must end (THIMBLE_STORAGE_TIMED_OUT), or NAME_run does not. */
  int (*wait)(void* context, uint32_t token);

  /* Called by NAME_run before it returns a fault: ends all that is in flight, done or not. After it
     returns nothing is touched, and every token may be used anew. Null if nothing goes on by
     itself. */
  void (*cancel)(void* context);
} thimble_storage;

#ifdef __cplusplus
}
#endif

#endif /* THIMBLE_RUNTIME_STORAGE_H */
