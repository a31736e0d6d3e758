/* SPDX-License-Identifier: Apache-2.0
   Where the examples show what they have found. */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of an int8 output: the class with the highest score, and all scores. */
void show_scores(const int8_t* scores, int32_t count);
/* Of any output: the class with the highest score, and that. */
void show_class(int32_t number, int32_t score);

#ifdef __cplusplus
}
#endif
