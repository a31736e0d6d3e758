/* SPDX-License-Identifier: Apache-2.0
   What serial_frame.h keeps of a frame that has come in part; in C, since a driver's state holds
   it. */
#ifndef THIMBLE_RUNTIME_SERIAL_RECEIVER_H_
#define THIMBLE_RUNTIME_SERIAL_RECEIVER_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { THIMBLE_SERIAL_LONGEST_FRAME = 532 };

/* All zero at first. */
typedef struct thimble_serial_receiver {
  uint8_t bytes[THIMBLE_SERIAL_LONGEST_FRAME];
  uint32_t count;
  uint8_t left;      /* bytes of the block of COBS to come */
  uint8_t zero_next; /* a zero stands behind the block, unless the frame ends there */
  uint8_t dropped;   /* it is longer than the longest */
} thimble_serial_receiver;

#ifdef __cplusplus
}
#endif

#endif /* THIMBLE_RUNTIME_SERIAL_RECEIVER_H_ */
