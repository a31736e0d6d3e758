/* SPDX-License-Identifier: Apache-2.0
   Which word a microphone hears. The network sets the pace: it asks for a row, the features of one
   frame of sound, when it can use it, and the row is written straight to its place in the arena.
   Each stretch of detector_input_rows frames gets one answer; stretches follow one another.

   `detector` is the code that this command writes, of any network that takes frames x features:
     thimble compile MODEL --input streamed --name detector -o detector */
#include "detector.h"
#include "display.h"
#include "microphone.h"

static THIMBLE_ALIGNED(detector_arena_alignment) uint8_t arena[detector_arena_bytes];

static void next_frame(void* context, int32_t row, int8_t* into) {
  (void)context;
  (void)row; /* frames come in order, as the network asks for them */
  microphone_wait_for_features(into, detector_input_row_bytes);
}

int main(void) {
  while (microphone_is_on()) {
    detector_run(arena, next_frame, 0);
    show_scores(detector_output(arena), detector_output_elements);
  }
  return 0;
}
