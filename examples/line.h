/* SPDX-License-Identifier: Apache-2.0
   A serial line to a host. */
#pragma once

#include "serial_remote.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sets it up. */
thimble_serial_link line_to_host(void);

#ifdef __cplusplus
}
#endif
