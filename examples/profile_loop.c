/* SPDX-License-Identifier: Apache-2.0
   Measures the cycles of each layer, for `thimble profile`. The code is compiled with THIMBLE_HOOKS
   defined.

   `detector` is the code that this command writes, of any network with one input:
     thimble compile MODEL --name detector -o detector */
#include "detector.h"
#include "display.h"
#include "microphone.h"

static THIMBLE_ALIGNED(detector_arena_alignment) uint8_t arena[detector_arena_bytes];

int main(void) {
  uint32_t all = 0;
  detector_profile(board_cycles); /* on a chip with a counter of its own: 0 */
  while (microphone_is_on()) {
    microphone_wait_for_features(detector_input(arena), detector_input_bytes);
    const uint32_t begin = board_cycles();
    detector_run(arena);
    all += board_cycles() - begin;
  }
  detector_print_profile(show_line);
  show_count("cycles of all inferences", all);
  return 0;
}
