/* What the example uses of the HAL, on this machine. */
#pragma once

#include <stdint.h>

static inline uint32_t HAL_GetTick(void) { return 0; }
