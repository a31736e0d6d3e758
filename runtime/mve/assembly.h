// SPDX-License-Identifier: Apache-2.0
// Whether blocks in MVE are assembly.
#pragma once

#if defined(__ARM_FEATURE_MVE) && !defined(__ARM_BIG_ENDIAN)
#define THIMBLE_MVE_ASSEMBLY 1  // else (on the host, where plans are proved) the same in C++
#endif
