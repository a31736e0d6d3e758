// SPDX-License-Identifier: Apache-2.0
// What compilers call without being told to, where there is no C library: bytes one by one, words
// where both sides are aligned.
#if defined(__riscv)
#include <stddef.h>
#include <stdint.h>

extern "C" {
void* memcpy(void* to, const void* from, size_t count);
void* memmove(void* to, const void* from, size_t count);
void* memset(void* to, int value, size_t count);
}

namespace {

bool aligned(const void* at) { return reinterpret_cast<uintptr_t>(at) % sizeof(uint32_t) == 0; }

}  // namespace

void* memcpy(void* to, const void* from, size_t count) {
  auto* target = static_cast<uint8_t*>(to);
  const auto* source = static_cast<const uint8_t*>(from);
  if (aligned(to) && aligned(from)) {
    for (; count >= 4; count -= 4, target += 4, source += 4)
      *reinterpret_cast<uint32_t*>(target) = *reinterpret_cast<const uint32_t*>(source);
  }
  for (; count > 0; --count) *target++ = *source++;
  return to;
}

void* memmove(void* to, const void* from, size_t count) {
  auto* target = static_cast<uint8_t*>(to);
  const auto* source = static_cast<const uint8_t*>(from);
  if (target <= source || target >= source + count) return memcpy(to, from, count);
  while (count-- > 0) target[count] = source[count];
  return to;
}

void* memset(void* to, int value, size_t count) {
  auto* target = static_cast<uint8_t*>(to);
  const auto byte = static_cast<uint8_t>(value);
  if (aligned(to)) {
    const uint32_t word = byte * 0x01010101u;
    for (; count >= 4; count -= 4, target += 4) *reinterpret_cast<uint32_t*>(target) = word;
  }
  for (; count > 0; --count) *target++ = byte;
  return to;
}

#endif
