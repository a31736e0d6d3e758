// SPDX-License-Identifier: Apache-2.0
// The line of the serial remote on the MPS2 boards: UART 0, and the timer as a clock.
#pragma once

#include "cmsdk_uart.h"
#include "machine.h"
#include "serial_remote.h"

namespace thimble_firmware {

constexpr uint32_t kUartClockHz = 25'000'000;
constexpr uint32_t kBaud = 921'600;

inline CmsdkUart& uart() { return *reinterpret_cast<CmsdkUart*>(kCmsdkUart0); }

inline int uart_send(void*, const void* bytes, uint32_t size) {
  for (uint32_t i = 0; i < size; ++i) uart().send(static_cast<const uint8_t*>(bytes)[i]);
  return 0;
}

inline int32_t uart_receive(void*, void* bytes, uint32_t size) {
  uint32_t count = 0;
  while (count < size && uart().receive(static_cast<uint8_t*>(bytes)[count])) ++count;
  return static_cast<int32_t>(count);
}

// The timer counts down and wraps after 171 s, which the milliseconds must not.
inline uint32_t timer_milliseconds(void*) {
  static uint32_t last = 0xFFFFFFFF, ticks = 0, whole = 0;
  const uint32_t read = read_counter();
  ticks += ticks_between(last, read);
  last = read;
  whole += ticks / (kUartClockHz / 1000);
  ticks %= kUartClockHz / 1000;
  return whole;
}

/// The line, set up.
inline thimble_serial_link start_uart_link() {
  uart().start(kUartClockHz, kBaud);
  return {nullptr, uart_send, uart_receive, timer_milliseconds};
}

/// The storage at the other end of the UART. It waits long: a loop on the host's processor takes as
/// long as its load makes it.
inline thimble_storage open_uart_remote(thimble_serial_remote& remote,
                                        thimble_serial_operation* operations, uint32_t count) {
  const thimble_serial_link link = start_uart_link();
  const thimble_storage storage = thimble_serial_remote_open(&remote, &link, operations, count);
  remote.give_up_ms = 30'000;
  return storage;
}

}  // namespace thimble_firmware
