/* SPDX-License-Identifier: Apache-2.0
   Which word a microphone hears, from its samples: each hop of 20 ms becomes a row of features, and
   the network looks at the rows of the last second five times in it.

   `front_end` and `detector` are the code that these commands write, the latter of micro_speech or
   another network that takes frames x 40 features in int8:
     thimble compile zoo:audio_preprocessor --name front_end -o front_end
     thimble compile micro_speech_quantized.tflite --name detector -o detector */
#include <string.h>

#include "detector.h"
#include "display.h"
#include "front_end.h"
#include "microphone.h"

enum {
  frame_samples = front_end_input_elements, /* 30 ms, of which a row is */
  hop_samples = 320,                        /* 20 ms, from a row to the next */
  bands = front_end_output_elements,
  frames = detector_input_elements / bands, /* that the network looks at */
  frames_between = 10                       /* looks: 200 ms */
};

_Static_assert(detector_input_elements % bands == 0 && detector_input_bytes == detector_input_elements,
               "the detector takes frames x 40 features in int8");

static THIMBLE_ALIGNED(detector_arena_alignment) uint8_t arena[detector_arena_bytes];
static THIMBLE_ALIGNED(front_end_arena_alignment) uint8_t front_end_arena[front_end_arena_bytes];
static int16_t samples[frame_samples]; /* the last ones */
static int8_t rows[frames][bands];     /* the last ones, oldest first */

static bool hear_next_hop(void) {
  const size_t kept = frame_samples - hop_samples;
  memmove(samples, samples + hop_samples, kept * sizeof(samples[0]));
  return microphone_wait_for_samples(samples + kept, hop_samples);
}

int main(void) {
  front_end_reset(front_end_arena); /* no noise is known yet */
  for (int heard = 0; hear_next_hop(); ++heard) {
    memcpy(front_end_input(front_end_arena), samples, sizeof(samples));
    front_end_run(front_end_arena);
    memmove(rows[0], rows[1], sizeof(rows) - sizeof(rows[0]));
    memcpy(rows[frames - 1], front_end_output(front_end_arena), sizeof(rows[0]));
    if (heard + 1 < frames || (heard + 1 - frames) % frames_between != 0) continue;
    memcpy(detector_input(arena), rows, sizeof(rows));
    detector_run(arena);
    show_scores(detector_output(arena), detector_output_elements);
  }
  return 0;
}
