/* SPDX-License-Identifier: Apache-2.0
   Another storage, erased ahead: it has two areas, and while an inference uses one the other is
   erased for the next. A network waits for an erase only where it comes back sooner than that.

     static thimble_erase_ahead twice = {
         .inner = &flash, .area = 2 * 4096, .token = NAME_tokens};
     const thimble_storage storage = thimble_erase_ahead_open(&twice);

     inference      1            2            3
     first area     erase, use   erase        use
     second area    erase        use          erase

   The inner storage has twice the bytes and takes one operation more at a time, with one token
   more; it begins reads and writes of one area while the other is erased (two banks, a chip that
   suspends erases), or makes them wait. Blocks wear half as fast.

   An erase begins an inference: plans of Thimble have one, before all, for everything that they
   store. What was stored before is gone then, though not from the flash at once. */
#ifndef THIMBLE_RUNTIME_ERASE_AHEAD_H
#define THIMBLE_RUNTIME_ERASE_AHEAD_H

#include <stdint.h>

#include "thimble_runtime/storage.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct thimble_erase_ahead {
  const thimble_storage* inner; /* must outlive it, and erases */
  uint32_t area;                /* bytes, whole blocks: NAME_STORAGE_bytes rounded up to them */
  uint32_t token;               /* for what is erased ahead: one that no network has */

  /* The driver's own, 0 at first. */
  uint32_t used;       /* area: 0 or 1 */
  uint32_t begin, end; /* bytes of the other one that are erased when `ahead` has ended */
  int ahead;           /* an erase is in flight */
  uint32_t had;        /* the token of an erase that took place before it was asked for, and 1 */
} thimble_erase_ahead;

thimble_storage thimble_erase_ahead_open(thimble_erase_ahead* twice);

#ifdef __cplusplus
}
#endif

#endif /* THIMBLE_RUNTIME_ERASE_AHEAD_H */
