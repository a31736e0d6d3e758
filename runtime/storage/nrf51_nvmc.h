/* SPDX-License-Identifier: Apache-2.0
   Storage in the flash of an nRF51 behind its code, through the non-volatile memory controller
   ("nRF51 Series Reference Manual", v3.0, chapter NVMC): pages of 1 KiB are erased, words of 4
   bytes are written, and reads are memory's.

     static thimble_nrf51_nvmc flash;
     const thimble_storage storage = thimble_nrf51_nvmc_open(&flash, 0x30000, 0x10000);

   Granule 4, erase blocks of 1024 bytes. The controller halts the core while it writes or erases
   and code runs from flash, so that all is done when it was begun, and wait() only says how it
   ended. A word that is not erased is not written: a write to one fails, and changes none behind
   it. Each word is read back. Pages wear: 20,000 erasures ("nRF51822 Product Specification", v3.1,
   flash). */
#ifndef THIMBLE_RUNTIME_NRF51_NVMC_H_
#define THIMBLE_RUNTIME_NRF51_NVMC_H_

#include <stdint.h>

#include "thimble_runtime/storage.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { THIMBLE_NRF51_TOKENS = 32 };

typedef struct thimble_nrf51_nvmc {
  uint32_t begin;                        /* address of offset 0, a multiple of 1024 */
  uint32_t size;                         /* bytes */
  int8_t statuses[THIMBLE_NRF51_TOKENS]; /* how what was begun ended, until wait says it */
} thimble_nrf51_nvmc;

/* The storage [begin, begin + size) of flash, which must hold no code. */
thimble_storage thimble_nrf51_nvmc_open(thimble_nrf51_nvmc* flash, uint32_t begin, uint32_t size);

#ifdef __cplusplus
}
#endif

#endif /* THIMBLE_RUNTIME_NRF51_NVMC_H_ */
