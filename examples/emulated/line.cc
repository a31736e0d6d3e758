// SPDX-License-Identifier: Apache-2.0
// The first UART of the emulated board.
#include "line.h"

#include "cmsdk_link.h"

thimble_serial_link line_to_host() { return thimble_firmware::start_uart_link(); }
