/* SPDX-License-Identifier: Apache-2.0
   Storage on a host at the other end of a serial line (docs/remote.md), which `thimble remote`
   serves. Of a page of firmware:

     static thimble_serial_operation operations[MODEL_storage_tokens];
     static thimble_serial_remote remote;
     const thimble_serial_link link = {&uart, uart_send, uart_receive, uart_milliseconds};
     const thimble_storage storage =
         thimble_serial_remote_open(&remote, &link, operations, MODEL_storage_tokens);

   Nothing is erased before it is written, and any offset may be written (granule 1). Writes are
   sent when they begin, as far as the window allows, and acknowledged behind them: a wait that
   comes late finds them done. What the line loses, repeats, flips or swaps is sent again. Where the
   host lost what was stored (it was started anew), reads end with THIMBLE_SERIAL_GONE. Nothing
   waits for ever: when nothing was completed for `give_up_ms`, all that is in flight ends with
   THIMBLE_STORAGE_TIMED_OUT, and what is begun next connects anew. */
#ifndef THIMBLE_RUNTIME_SERIAL_REMOTE_H_
#define THIMBLE_RUNTIME_SERIAL_REMOTE_H_

#include <stdint.h>

#include "serial_receiver.h"
#include "thimble_runtime/storage.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { THIMBLE_SERIAL_WINDOW = 16 }; /* frames in flight at most: a power of two */

/* Beside those of storage.h. */
enum {
  THIMBLE_SERIAL_GONE = THIMBLE_STORAGE_OWN, /* the host does not have what was to be read */
  THIMBLE_SERIAL_REFUSED =
      THIMBLE_STORAGE_OWN - 1 /* the host speaks another version, or took a request for a fault */
};

/* What the user's firmware has to have. */
typedef struct thimble_serial_link {
  void* context;
  /* Sends all bytes, or takes them to be sent; 0, or a status < 0 if the line is out of order. */
  int (*send)(void* context, const void* bytes, uint32_t size);
  /* What has come, at most `size` bytes: their count, without waiting for any; a status < 0 if the
     line is out of order. */
  int32_t (*receive)(void* context, void* bytes, uint32_t size);
  /* A clock, which goes on by itself; it may wrap. */
  uint32_t (*milliseconds)(void* context);
} thimble_serial_link;

/* A read, write or erase that was begun. Zero at first; then the driver's own. */
typedef struct thimble_serial_operation {
  uint8_t* target;
  const uint8_t* source;
  uint32_t offset, size;
  uint32_t asked, done; /* bytes that frames were made for; that are completed */
  uint32_t order;       /* of beginning */
  int32_t status;
  uint8_t kind, begun;
} thimble_serial_operation;

/* A request with a sequence number: a part of an operation. */
typedef struct thimble_serial_request {
  uint32_t at;        /* in the operation */
  uint32_t size;      /* of an erase, all of it */
  uint32_t operation; /* a token, or none any more */
  uint32_t answered;  /* the data of a read have come */
} thimble_serial_request;

/* The driver's state: 0.9 KB. Set by thimble_serial_remote_open; then these may be changed. */
typedef struct thimble_serial_remote {
  uint32_t window;     /* frames in flight: 1 ... THIMBLE_SERIAL_WINDOW; 1 suits a UART whose
                          firmware cannot receive while it sends or computes */
  uint32_t resend_ms;  /* without an answer: asks what has arrived; 100 */
  uint32_t give_up_ms; /* without anything completed; 2,000 */

  /* The driver's own. */
  thimble_serial_link link;
  thimble_serial_operation* operations;
  uint32_t operation_count, next_order;
  thimble_serial_request requests[THIMBLE_SERIAL_WINDOW]; /* number n at n % WINDOW */
  uint32_t first, sent, next; /* numbers: not acknowledged, not sent, not made */
  uint32_t state, nonce, session, capacity;
  uint32_t quiet_since, completed_at; /* milliseconds */
  thimble_serial_receiver receiver;
  uint32_t resent, damaged; /* to look at: requests sent again, frames that were none */
} thimble_serial_remote;

/* The storage. Sends nothing yet. `operations`: one for each token. */
thimble_storage thimble_serial_remote_open(thimble_serial_remote* remote,
                                           const thimble_serial_link* link,
                                           thimble_serial_operation* operations,
                                           uint32_t operation_count);

/* Greets the host: 0, THIMBLE_STORAGE_TIMED_OUT, THIMBLE_SERIAL_REFUSED, or THIMBLE_STORAGE_FULL if
   it has less than `bytes`. Not needed; shows a missing host before an inference does. */
int thimble_serial_remote_connect(thimble_serial_remote* remote, uint32_t bytes);

#ifdef __cplusplus
}
#endif

#endif /* THIMBLE_RUNTIME_SERIAL_REMOTE_H_ */
