// SPDX-License-Identifier: Apache-2.0
// Semihosting calls: of a Cortex-M BKPT 0xAB with the operation in r0 and its arguments in r1; of
// RISC-V EBREAK between two shifts that mean nothing ("RISC-V Semihosting"), a0 and a1.
#include "semihosting.h"

namespace thimble_firmware {
namespace {

enum class Operation : uint32_t {
  kOpen = 0x01,
  kClose = 0x02,
  kWrite0 = 0x04,
  kWrite = 0x05,
  kRead = 0x06,
  kFileLength = 0x0C,
  kGetCommandLine = 0x15,
  kExitExtended = 0x20,
};

constexpr uint32_t kApplicationExit = 0x20026;

#if defined(__riscv)
// Not compressed, and aligned so that the three are in one page.
[[gnu::noinline]] uint32_t call(Operation operation, const void* arguments) {
  register uint32_t a0 asm("a0") = static_cast<uint32_t>(operation);
  register const void* a1 asm("a1") = arguments;
  asm volatile(
      ".balign 16\n\t"
      ".option push\n\t"
      ".option norvc\n\t"
      "slli zero, zero, 0x1f\n\t"
      "ebreak\n\t"
      "srai zero, zero, 7\n\t"
      ".option pop"
      : "+r"(a0)
      : "r"(a1)
      : "memory");
  return a0;
}
#else
uint32_t call(Operation operation, const void* arguments) {
  register uint32_t r0 asm("r0") = static_cast<uint32_t>(operation);
  register const void* r1 asm("r1") = arguments;
  asm volatile("bkpt 0xAB" : "+r"(r0) : "r"(r1) : "memory");
  return r0;
}
#endif

uint32_t address(const void* data) { return reinterpret_cast<uint32_t>(data); }

uint32_t length(const char* text) {
  uint32_t count = 0;
  while (text[count] != '\0') ++count;
  return count;
}

}  // namespace

int32_t open_file(const char* path, OpenMode mode) {
  const uint32_t arguments[] = {address(path), static_cast<uint32_t>(mode), length(path)};
  return static_cast<int32_t>(call(Operation::kOpen, arguments));
}

int32_t file_bytes(int32_t handle) {
  const int32_t arguments[] = {handle};
  return static_cast<int32_t>(call(Operation::kFileLength, arguments));
}

bool read_file(int32_t handle, void* data, size_t size_bytes) {
  if (size_bytes == 0) return true;
  const uint32_t arguments[] = {static_cast<uint32_t>(handle), address(data), size_bytes};
  return call(Operation::kRead, arguments) == 0;  // the bytes not transferred
}

bool write_file(int32_t handle, const void* data, size_t size_bytes) {
  if (size_bytes == 0) return true;
  const uint32_t arguments[] = {static_cast<uint32_t>(handle), address(data), size_bytes};
  return call(Operation::kWrite, arguments) == 0;
}

void close_file(int32_t handle) {
  const int32_t arguments[] = {handle};
  call(Operation::kClose, arguments);
}

void load_file(const char* path, void* data) {
  const int32_t file = open_file(path, OpenMode::kRead);
  const int32_t bytes = file < 0 ? -1 : file_bytes(file);
  if (bytes < 0 || !read_file(file, data, static_cast<size_t>(bytes))) {
    print("cannot read ");
    print(path);
    print("\n");
    exit_with(1);
  }
  close_file(file);
}

void print(const char* text) { call(Operation::kWrite0, text); }

void print_hex(uint64_t value) {
  char text[19];  // "0x", 16 digits, zero
  char* end = text + sizeof(text);
  *--end = '\0';
  do {
    *--end = "0123456789abcdef"[value & 15];
    value >>= 4;
  } while (value != 0);
  *--end = 'x';
  *--end = '0';
  print(end);
}

bool command_line(char* text, size_t capacity_bytes) {
  uint32_t arguments[] = {address(text), capacity_bytes};
  return call(Operation::kGetCommandLine, arguments) == 0;
}

void exit_with(uint32_t status) {
  const uint32_t arguments[] = {kApplicationExit, status};
  for (;;) call(Operation::kExitExtended, arguments);
}

}  // namespace thimble_firmware
