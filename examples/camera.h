/* SPDX-License-Identifier: Apache-2.0
   What camera_loop.c wants of a camera's driver. emulated/drivers.cc reads a file instead. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* False when the camera is switched off. */
bool camera_starts_picture(void);
/* The next row of the picture, in the values that the network takes (its scale and zero point). */
void camera_wait_for_row(void* row, size_t row_bytes);

#ifdef __cplusplus
}
#endif
