// SPDX-License-Identifier: Apache-2.0
// The UART of the MPS2 boards (CMSDK APB UART: Arm DDI 0479, "Cortex-M System Design Kit Technical
// Reference Manual", APB UART), polled. It holds one byte: a board whose line does not wait for the
// firmware needs an interrupt and a ring.
#pragma once

#include <stdint.h>

namespace thimble_firmware {

/// UART 0 on AN385, AN386 and AN500 (QEMU's first -serial) lies there.
constexpr uint32_t kCmsdkUart0 = 0x40004000;

struct CmsdkUart {
  volatile uint32_t data, state, control, interrupt, baud_divider;

  void start(uint32_t clock_hz, uint32_t baud) {
    const uint32_t divider = clock_hz / baud;
    baud_divider = divider < 16 ? 16 : divider;
    control = 3;  // sends and receives
  }
  void send(uint8_t byte) {
    while ((state & 1) != 0) {
    }
    data = byte;
  }
  /// Whether one had come.
  bool receive(uint8_t& byte) {
    if ((state & 2) == 0) return false;
    byte = static_cast<uint8_t>(data);
    return true;
  }
};

}  // namespace thimble_firmware
