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
/* A line for the log. */
void show_line(const char* line);
void show_count(const char* what, uint32_t count);
/* A counter of cycles; the emulated board's counts instructions, to the nearest 40. */
uint32_t board_cycles(void);

#ifdef __cplusplus
}
#endif
