/* SPDX-License-Identifier: Apache-2.0
   Features of sound as TensorFlow's micro_speech, and networks trained like it, take them: 40 bands
   of 125 to 7,500 Hz on the mel scale, every 20 ms of the 30 ms before, with steady noise
   subtracted (spectral subtraction), loudness evened out (PCAN, Wang et al. 2017) and logarithms.

   In float32, where the front end of TensorFlow Lite Micro (signal/) counts in 16 bits: features
   differ from its by what that rounds. Works as well on a host. */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  speech_rate = 16000,        /* samples per second */
  speech_frame_samples = 480, /* of which a frame's features are */
  speech_hop_samples = 320,   /* from a frame to the next */
  speech_bands = 40,          /* features of a frame */
  speech_fft_size = 512
};

typedef struct {
  float window[speech_frame_samples];
  float cosine[speech_fft_size];       /* of a full turn */
  float position[speech_fft_size / 2]; /* of a frequency among the bands; below 0: in none */
  float noise[speech_bands];           /* estimated so far */
  float real[speech_fft_size], imaginary[speech_fft_size]; /* of the frame at hand */
} speech_features;

/* Before the first frame; after silence too, so that its noise is forgotten. */
void speech_features_begin(speech_features* s);

/* Of the next frame. features: speech_bands values, of scale 26/256 and zero point -128. */
void speech_features_next(speech_features* s, const int16_t* samples, int8_t* features);

#ifdef __cplusplus
}
#endif
