/* SPDX-License-Identifier: Apache-2.0
   Which word a microphone hears, all the time: each call takes the features of one more hop of
   sound, and what was heard before is in the state that the network keeps in its arena.

   `detector` is the code that this command writes, of any network that keeps a state:
     thimble compile MODEL --name detector -o detector */
#include "detector.h"
#include "display.h"
#include "microphone.h"

static _Alignas(detector_arena_alignment) uint8_t arena[detector_arena_bytes];

int main(void) {
  detector_reset(arena); /* silence before; again whenever listening begins anew */
  while (microphone_is_on()) {
    microphone_wait_for_features(detector_input(arena), detector_input_bytes);
    detector_run(arena);
    int best = 0;
    for (int k = 1; k < detector_output_elements; ++k) {
      if (detector_output(arena)[k] > detector_output(arena)[best]) best = k;
    }
    show_class(best, detector_output(arena)[best]);
  }
  return 0;
}
