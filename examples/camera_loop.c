/* SPDX-License-Identifier: Apache-2.0
   What is on each picture of a camera. The camera sets the pace: whenever it has read out a row,
   the row is pushed, and the network does what can be done with it. No picture is ever whole in
   memory.

   `detector` is the code that this command writes, of any network that takes one image:
     thimble compile MODEL --input streamed --name detector -o detector

   A driver that is told of rows by an interrupt calls detector_push_rows from there, or from the
   task that the interrupt wakes. */
#include "camera.h"
#include "detector.h"
#include "display.h"

static THIMBLE_ALIGNED(detector_arena_alignment) uint8_t arena[detector_arena_bytes];

int main(void) {
  int8_t row[detector_input_row_elements];
  while (camera_starts_picture()) {
    detector_state state;
    detector_begin(&state);
    do {
      camera_wait_for_row(row, detector_input_row_bytes);
    } while (!detector_push_rows(arena, &state, row, 1));
    show_scores(detector_output(arena), detector_output_elements);
  }
  return 0;
}
