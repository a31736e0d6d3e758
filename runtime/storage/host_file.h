/* SPDX-License-Identifier: Apache-2.0
   Storage in a file of a host (POSIX), which goes on in a thread of its own while the caller
   computes. On request as slow as a device: each operation then ends no earlier than the device
   would end it, one after the other.

     thimble_host_file_device device = {0};
     device.read_bytes_per_second = 20e6;
     thimble_host_file* file = thimble_host_file_open("spill.bin", NAME_STORAGE_bytes, NAME_tokens,
                                                      &device);
     const thimble_storage storage = thimble_host_file_storage(file);
     ...
     thimble_host_file_close(file);

   The functions of a file are called by one thread at a time. Firmware has no use for it. */
#ifndef THIMBLE_RUNTIME_HOST_FILE_H
#define THIMBLE_RUNTIME_HOST_FILE_H

#include <stdint.h>

#include "thimble_runtime/storage.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A device that the file stands for. Zeros: it takes no time, and any bytes are overwritten. */
typedef struct thimble_host_file_device {
  uint32_t granule; /* writes begin at multiples of it, else they fail; 0: anywhere */
  uint32_t block;   /* is erased at once, to 0xff; 0: nothing is erased */
  double read_bytes_per_second, write_bytes_per_second; /* 0: at once */
  double access_seconds;                                /* before each read or write */
  double erase_seconds;                                 /* of a block */
  /* Called by the file's thread in place of waiting until the device would have ended, with the
     seconds that the operation takes there: for tests, and clocks that are simulated. Null:
     waits. Whoever calls cancel or close waits for it. */
  void (*pass)(void* pass_context, double seconds);
  void* pass_context;
} thimble_host_file_device;

/* What a file was asked for; operations that were cancelled before they began are not counted. */
typedef struct thimble_host_file_counts {
  uint64_t reads, writes, erases;
  uint64_t read_bytes, written_bytes, erased_blocks;
  uint64_t overlapped;     /* operations that had ended when they were waited for */
  uint32_t most_in_flight; /* begun and not waited for */
  double device_seconds;   /* that the device takes for them */
} thimble_host_file_counts;

typedef struct thimble_host_file thimble_host_file;

/* Opens the file, which is made if it is not there and readable by its owner alone, with room for
   `size` bytes, for tokens below `tokens`. `device` is copied; null: as zeros. Null if it cannot:
   errno says why. */
thimble_host_file* thimble_host_file_open(const char* path, uint32_t size, uint32_t tokens,
                                          const thimble_host_file_device* device);
/* Must not outlive the file. */
thimble_storage thimble_host_file_storage(thimble_host_file* file);
thimble_host_file_counts thimble_host_file_counts_of(thimble_host_file* file);
/* Cancels what is in flight. The file stays where it is. Null: nothing. */
void thimble_host_file_close(thimble_host_file* file);

#ifdef __cplusplus
}
#endif

#endif /* THIMBLE_RUNTIME_HOST_FILE_H */
