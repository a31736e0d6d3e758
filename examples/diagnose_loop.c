/* SPDX-License-Identifier: Apache-2.0
   Tells what each inference computes, for `thimble diagnose`: a checksum of every tensor, so that
   the first layer that differs from the reference can be named.

   `detector` is the code that this command writes, of any network with one input:
     thimble compile MODEL --trace --name detector -o detector */
#include "detector.h"
#include "display.h"
#include "microphone.h"

static THIMBLE_ALIGNED(detector_arena_alignment) uint8_t arena[detector_arena_bytes];

int main(void) {
  detector_trace(show_line);
  while (microphone_is_on()) {
    microphone_wait_for_features(detector_input(arena), detector_input_bytes);
    detector_run(arena);
  }
  return 0;
}
