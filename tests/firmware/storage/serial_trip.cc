// SPDX-License-Identifier: Apache-2.0
// A model that stores its input at the other end of UART 0, forgets it and fetches it again.
#include "cmsdk_link.h"
#include "harness.h"

namespace {

constexpr uint32_t kTripBytes = 102'400;
constexpr uint32_t kPartBytes = 9'600;
constexpr uint32_t kParts = (kTripBytes + kPartBytes - 1) / kPartBytes;

thimble_serial_operation operations[kParts];
thimble_serial_remote remote;

uint32_t part_bytes(uint32_t part) {
  const uint32_t left = kTripBytes - part * kPartBytes;
  return left < kPartBytes ? left : kPartBytes;
}

// All parts are written at once, as far as the line takes them, then read.
int trip(uint8_t* bytes) {
  const thimble_storage storage = thimble_firmware::open_uart_remote(remote, operations, kParts);
  int status = thimble_serial_remote_connect(&remote, kTripBytes);
  for (int writing = 1; writing >= 0 && status == 0; --writing) {
    for (uint32_t part = 0; part < kParts && status == 0; ++part) {
      const uint32_t at = part * kPartBytes;
      status = writing
                   ? storage.write_async(storage.context, part, at, bytes + at, part_bytes(part))
                   : storage.read_async(storage.context, part, at, bytes + at, part_bytes(part));
    }
    for (uint32_t part = 0; part < kParts && status == 0; ++part)
      status = storage.wait(storage.context, part);
    if (writing) {
      for (uint32_t i = 0; i < kTripBytes; ++i) bytes[i] = 0xEE;
    }
  }
  storage.cancel(storage.context);
  return status;
}

void run(void* arena, void* const*) {
  auto* bytes = static_cast<uint8_t*>(arena);
  bytes[kTripBytes] = static_cast<uint8_t>(trip(bytes));
}

constexpr size_t kInputBytes[] = {kTripBytes}, kOutputBytes[] = {kTripBytes + 1}, kAt[] = {0};

}  // namespace

extern "C" const thimble_model thimble_models[] = {
    {"serial trip", kTripBytes + 1, 16, 1, kInputBytes, kAt, 1, kOutputBytes, kAt, run, nullptr}};
extern "C" const size_t thimble_model_count = 1;
