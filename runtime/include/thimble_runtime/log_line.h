// SPDX-License-Identifier: Apache-2.0
// Lines that firmware writes to a log for Thimble to read, among whatever else is written there:
//
//   thimble 3f2a wrote 5 0 8c1d07e2 #b4
//
// 3f2a are the first digits of the plan's hash; all numbers are hexadecimal but for those of stages
// and of what is in them; behind # is the sum of all characters before it, modulo 256.
#pragma once

#include <stdint.h>

namespace thimble::runtime {

class LogLine {
 public:
  /// plan: its hash, 16 digits.
  LogLine(const char* plan, const char* what) noexcept {
    text("thimble ");
    for (int k = 0; k < 4; ++k) put(plan[k]);
    word(what);
  }

  LogLine& word(const char* word) noexcept {
    put(' ');
    text(word);
    return *this;
  }
  LogLine& number(uint32_t value) noexcept {
    char digits[10];
    int count = 0;
    do digits[count++] = static_cast<char>('0' + value % 10);
    while ((value /= 10) != 0);
    put(' ');
    while (count > 0) put(digits[--count]);
    return *this;
  }
  LogLine& hexadecimal(uint64_t value, int digits) noexcept {
    put(' ');
    for (int shift = 4 * digits - 4; shift >= 0; shift -= 4) put(digit(value >> shift));
    return *this;
  }
  /// At most kMostBytes.
  LogLine& bytes(const uint8_t* data, int32_t count) noexcept {
    put(' ');
    for (int32_t k = 0; k < count; ++k) {
      put(digit(data[k] >> 4U));
      put(digit(data[k]));
    }
    return *this;
  }
  static constexpr int32_t kMostBytes = 32;

  void print(void (*take)(const char* line)) noexcept {
    uint32_t sum = 0;
    for (int k = 0; k < size_; ++k) sum += static_cast<uint8_t>(line_[k]);
    text(" #");
    put(digit(sum >> 4U));
    put(digit(sum));
    line_[size_] = 0;
    take(line_);
  }

 private:
  static char digit(uint64_t value) noexcept { return "0123456789abcdef"[value & 15U]; }
  void put(char c) noexcept {
    if (size_ < kMostCharacters) line_[size_++] = c;
  }
  void text(const char* text) noexcept {
    for (; *text != 0; ++text) put(*text);
  }

  static constexpr int kMostCharacters = 120;
  char line_[kMostCharacters + 1];
  int size_ = 0;
};

}  // namespace thimble::runtime
