/* SPDX-License-Identifier: Apache-2.0
   Which word a microphone hears, from its samples: each hop of 20 ms becomes a row of features, and
   the network looks at the rows of the last second five times in it.

   `detector` is the code that this command writes, of micro_speech or another network that takes
   frames x 40 features of speech_features.h in int8:
     thimble compile micro_speech_quantized.tflite --name detector -o detector */
#include <string.h>

#include "detector.h"
#include "display.h"
#include "microphone.h"
#include "speech_features.h"

enum {
  frames = detector_input_elements / speech_bands, /* that the network looks at */
  frames_between = 10                              /* looks: 200 ms */
};

static _Alignas(detector_arena_alignment) uint8_t arena[detector_arena_bytes];
static speech_features front_end;
static int16_t samples[speech_frame_samples]; /* the last ones */
static int8_t rows[frames][speech_bands];     /* the last ones, oldest first */

static bool hear_next_hop(void) {
  const size_t kept = speech_frame_samples - speech_hop_samples;
  memmove(samples, samples + speech_hop_samples, kept * sizeof(samples[0]));
  return microphone_wait_for_samples(samples + kept, speech_hop_samples);
}

int main(void) {
  speech_features_begin(&front_end);
  for (int heard = 0; hear_next_hop(); ++heard) {
    memmove(rows[0], rows[1], sizeof(rows) - sizeof(rows[0]));
    speech_features_next(&front_end, samples, rows[frames - 1]);
    if (heard + 1 < frames || (heard + 1 - frames) % frames_between != 0) continue;
    memcpy(detector_input(arena), rows, sizeof(rows));
    detector_run(arena);
    show_scores(detector_output(arena), detector_output_elements);
  }
  return 0;
}
