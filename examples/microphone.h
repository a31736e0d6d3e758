/* SPDX-License-Identifier: Apache-2.0
   What the loops over sound want of a board: samples (a driver that fills buffers), or the features
   of one frame of sound after the other (that, and the transform that the network was trained
   with). emulated/drivers.cc reads a file instead. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

bool microphone_is_on(void);
/* Of the next frame, in the values that the network takes (its scale and zero point). */
void microphone_wait_for_features(void* features, size_t features_bytes);
/* The next ones, 16,000 in a second. False if it was switched off meanwhile. */
bool microphone_wait_for_samples(int16_t* samples, size_t count);

#ifdef __cplusplus
}
#endif
