/* SPDX-License-Identifier: Apache-2.0
   What audio_loop.c wants: the features of one frame of sound after the other (a driver that fills
   buffers of samples, and the transform that the network was trained with). emulated/drivers.cc
   reads a file instead. */
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

#ifdef __cplusplus
}
#endif
