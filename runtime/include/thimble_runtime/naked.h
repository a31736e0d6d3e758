// SPDX-License-Identifier: Apache-2.0
// The attributes of functions whose body is assembly alone. GCC must not clone them with fewer
// parameters; clang does not know the attribute that forbids it, nor does so.
#pragma once

#if defined(__clang__)
#define THIMBLE_NAKED gnu::naked, gnu::noinline
#else
#define THIMBLE_NAKED gnu::naked, gnu::noinline, gnu::noclone
#endif
