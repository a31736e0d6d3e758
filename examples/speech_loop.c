/* SPDX-License-Identifier: Apache-2.0
   Which word a microphone hears, from its samples: each 20 ms become a row of features, of which
   the network keeps those of the last second. With every tenth it decides anew.

   `front_end` and `detector` are the code that these commands write, the latter of micro_speech or
   another network that takes frames x 40 features in int8:
     thimble compile zoo:audio_preprocessor --name front_end -o front_end
     thimble compile micro_speech_quantized.tflite --hop 10 --name detector -o detector */
#include <string.h>

#include "detector.h"
#include "display.h"
#include "front_end.h"
#include "microphone.h"

enum {
  frame_samples = front_end_input_elements, /* 30 ms, of which a row is */
  step_samples = 320,                       /* 20 ms, from a row to the next */
  bands = front_end_output_elements,
  rows = detector_input_elements / bands,    /* of a hop */
  window_rows = detector_state_bytes / bands /* that the network decides by */
};

_Static_assert(detector_input_elements % bands == 0 &&
                   detector_input_bytes == detector_input_elements,
               "the detector takes rows x 40 features in int8");

static THIMBLE_ALIGNED(detector_arena_alignment) uint8_t arena[detector_arena_bytes];
static THIMBLE_ALIGNED(front_end_arena_alignment) uint8_t front_end_arena[front_end_arena_bytes];
static int16_t samples[frame_samples]; /* the last ones */

static bool hear_next_step(void) {
  const size_t kept = frame_samples - step_samples;
  memmove(samples, samples + step_samples, kept * sizeof(samples[0]));
  return microphone_wait_for_samples(samples + kept, step_samples);
}

int main(void) {
  front_end_reset(front_end_arena); /* no noise is known yet */
  detector_reset(arena);            /* nothing was heard before */
  for (int heard = 1; hear_next_step(); ++heard) {
    memcpy(front_end_input(front_end_arena), samples, sizeof(samples));
    front_end_run(front_end_arena);
    /* The new rows lie in the detector's arena until there are as many as a hop has. */
    memcpy(detector_input(arena) + (heard - 1) % rows * bands, front_end_output(front_end_arena),
           bands);
    if (heard % rows != 0) continue;
    detector_run(arena);
    if (heard >= window_rows) show_scores(detector_output(arena), detector_output_elements);
  }
  return 0;
}
