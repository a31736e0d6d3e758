/* What the example uses of a device's header, on this machine. The first __WFI() ends the program.
 */
#pragma once

#include <stdint.h>
#include <stdlib.h>

static uint32_t SystemCoreClock = 1000;
static inline void SystemCoreClockUpdate(void) { ++SystemCoreClock; }
static inline uint32_t SysTick_Config(uint32_t ticks) { return ticks; }
static inline void __WFI(void) { exit(0); }
