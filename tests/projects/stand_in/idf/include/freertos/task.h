/* The first vTaskDelay() ends the program. */
#pragma once

#include <stdlib.h>

static inline void vTaskDelay(unsigned ticks) {
  (void)ticks;
  exit(0);
}
