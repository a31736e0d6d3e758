/* SPDX-License-Identifier: Apache-2.0 */
#include "speech_features.h"

#include <math.h>

static const float turn = 6.2831853F; /* 2 pi */
static const float lowest_hz = 125, highest_hz = 7500;

/* Of the 14-bit front end that the networks were trained with: how fast the noise of even and odd
   bands is learnt, the share of a signal that always stays, strength and offset of PCAN. */
static const float smoothing[2] = {0.025F, 0.06F};
static const float remaining = 0.05F, strength = 0.95F, offset = 80;

static float mel(float hz) { return 1127 * logf(1 + hz / 700); }

void speech_features_begin(speech_features* s) {
  for (int k = 0; k < speech_frame_samples; ++k)
    s->window[k] = 0.5F - 0.5F * cosf(turn * ((float)k + 0.5F) / (float)speech_frame_samples);
  for (int k = 0; k < speech_fft_size; ++k)
    s->cosine[k] = cosf(turn * (float)k / (float)speech_fft_size);
  const float band = (mel(highest_hz) - mel(lowest_hz)) / (float)(speech_bands + 1);
  for (int k = 0; k < speech_fft_size / 2; ++k) {
    const float hz = (float)k * ((float)speech_rate / (float)speech_fft_size);
    const int heard = hz > lowest_hz && hz <= highest_hz;
    s->position[k] = heard ? (mel(hz) - mel(lowest_hz)) / band : -1;
  }
  for (int k = 0; k < speech_bands; ++k) s->noise[k] = 0;
}

/* Cooley and Tukey's, in place; divided by its size. */
static void transform(speech_features* s) {
  float *const re = s->real, *const im = s->imaginary;
  for (unsigned k = 1, mirrored = 0; k < speech_fft_size; ++k) {
    unsigned bit = speech_fft_size / 2;
    for (; mirrored & bit; bit /= 2) mirrored ^= bit;
    mirrored |= bit;
    if (k < mirrored) {
      const float sample = re[k];
      re[k] = re[mirrored];
      re[mirrored] = sample;
    }
  }
  for (int half = 1; half < speech_fft_size; half *= 2) {
    const int step = speech_fft_size / (2 * half);
    for (int first = 0; first < speech_fft_size; first += 2 * half) {
      for (int k = 0; k < half; ++k) {
        const int a = first + k, b = a + half;
        const float c = s->cosine[k * step];
        const float d = s->cosine[k * step + speech_fft_size / 4]; /* less the sine */
        const float x = re[b] * c - im[b] * d, y = re[b] * d + im[b] * c;
        re[b] = (re[a] - x) / 2;
        im[b] = (im[a] - y) / 2;
        re[a] = (re[a] + x) / 2;
        im[a] = (im[a] + y) / 2;
      }
    }
  }
}

/* The energy of each band: triangles over three neighbouring centres. */
static void gather_bands(const speech_features* s, float* bands) {
  for (int k = 0; k < speech_bands; ++k) bands[k] = 0;
  for (int k = 0; k < speech_fft_size / 2; ++k) {
    if (s->position[k] < 0) continue;
    const int above = (int)s->position[k];
    const float share = s->position[k] - (float)above;
    const float energy = s->real[k] * s->real[k] + s->imaginary[k] * s->imaginary[k];
    if (above > 0 && above <= speech_bands) bands[above - 1] += (1 - share) * energy;
    if (above < speech_bands) bands[above] += share * energy;
  }
}

/* What is left of a band without its noise, in the units of the 16-bit front end. */
static float louder_than_noise(float signal, float* noise, float smooth) {
  *noise += smooth * (signal - *noise);
  const float left = signal - *noise;
  return left > remaining * signal ? left : remaining * signal;
}

static float even_out(float signal, float noise) {
  const float ratio = 8 * signal * powf(8 * noise + offset, -strength);
  return ratio < 2 ? ratio * ratio / 4 : ratio - 1;
}

void speech_features_next(speech_features* s, const int16_t* samples, int8_t* features) {
  for (int k = 0; k < speech_fft_size; ++k) {
    s->real[k] = k < speech_frame_samples ? (float)samples[k] * s->window[k] : 0;
    s->imaginary[k] = 0;
  }
  transform(s);
  float bands[speech_bands];
  gather_bands(s, bands);
  for (int k = 0; k < speech_bands; ++k) {
    const float signal = 64 * sqrtf(bands[k]);
    const float left = louder_than_noise(signal, &s->noise[k], smoothing[k % 2]);
    const float level = 512 * even_out(left, s->noise[k]);
    const float feature = level > 1 ? 64 * logf(level) : 0;
    const float value = floorf(feature * (256 / 666.0F) + 0.5F) - 128;
    features[k] = (int8_t)(value < 127 ? value : 127);
  }
}
