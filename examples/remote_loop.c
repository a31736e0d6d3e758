/* SPDX-License-Identifier: Apache-2.0
   A network that keeps what is cold on a host, at the other end of a serial line (docs/remote.md).

   `detector` is the code that this command writes:
     thimble compile MODEL --planner tinyseg --storage host:write=1 --input user --name detector -o
   detector and the host runs thimble remote /dev/ttyACM0 --baud 921600 */
#include "detector.h"
#include "display.h"
#include "line.h"
#include "microphone.h"
#include "serial_remote.h"

static THIMBLE_ALIGNED(detector_arena_alignment) uint8_t arena[detector_arena_bytes];
static int8_t input[detector_input_bytes]; /* inferences leave it as it is */
static thimble_serial_operation operations[detector_tokens];
static thimble_serial_remote remote;

/* Once more behind a fault: each inference stores anew what it reads. */
static int run(const thimble_storage* host) {
  const int status = detector_run(arena, host, input);
  return status == THIMBLE_STORAGE_OK ? status : detector_run(arena, host, input);
}

int main(void) {
  const thimble_serial_link link = line_to_host();
  const thimble_storage host =
      thimble_serial_remote_open(&remote, &link, operations, detector_tokens);
  remote.give_up_ms = 30000; /* the host has an emulator to run, too */
  if (thimble_serial_remote_connect(&remote, detector_host_bytes) != THIMBLE_STORAGE_OK) return 2;
  while (microphone_is_on()) {
    microphone_wait_for_features(input, detector_input_bytes);
    if (run(&host) != THIMBLE_STORAGE_OK) return 3; /* the output means nothing */
    show_scores(detector_output(arena), detector_output_elements);
  }
  return 0;
}
