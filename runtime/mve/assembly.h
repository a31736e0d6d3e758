// SPDX-License-Identifier: Apache-2.0
// Whether blocks in MVE are assembly, and what they do to float scales (kFloatShift).
#pragma once

#include "thimble_runtime/uses.h"

#if defined(__ARM_FEATURE_MVE) && !defined(__ARM_BIG_ENDIAN)
#define THIMBLE_MVE_ASSEMBLY 1  // else (on the host, where plans are proved) the same in C++
#endif

// MVE may be of integers alone: then float scales are for the blocks in C++.
#if defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2)
#define THIMBLE_MVE_FLOATS 1
#else
#define THIMBLE_MVE_FLOATS 0
#endif
#define THIMBLE_MVE_FLOAT_SCALES (THIMBLE_MVE_FLOATS && THIMBLE_USES_FLOAT_SCALES)
#define THIMBLE_PLAIN_FLOAT_SCALES (!THIMBLE_MVE_FLOATS && THIMBLE_USES_FLOAT_SCALES)
