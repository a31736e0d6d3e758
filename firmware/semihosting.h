// SPDX-License-Identifier: Apache-2.0
// Semihosting: files, text and the exit status of the machine that emulates or debugs the board
// ("Semihosting for AArch32 and AArch64", Arm).
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace thimble_firmware {

/// fopen's modes "rb" and "wb".
enum class OpenMode : uint32_t { kRead = 1, kWrite = 5 };

/// A handle, or -1. `path` is zero-terminated.
int32_t open_file(const char* path, OpenMode mode);
/// Bytes of an open file, or -1.
int32_t file_bytes(int32_t handle);
/// Whether all bytes were read or written.
bool read_file(int32_t handle, void* data, size_t size_bytes);
bool write_file(int32_t handle, const void* data, size_t size_bytes);
void close_file(int32_t handle);
/// All bytes of a file; ends the firmware if it cannot be read.
void load_file(const char* path, void* data);

/// To the host's console.
void print(const char* text);
/// "0x1f"; hexadecimal, since decimal would pull a 64-bit division into what is measured.
void print_hex(uint64_t value);

/// Copies the command line, zero-terminated; false if it does not fit.
bool command_line(char* text, size_t capacity_bytes);
[[noreturn]] void exit_with(uint32_t status);

}  // namespace thimble_firmware
