// SPDX-License-Identifier: Apache-2.0
#include "thimble/target/size.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>

#include "thimble/model/error.h"

namespace thimble {
namespace {

struct SizeUnit {
  std::string_view name;
  int64_t bytes;
};

constexpr int64_t kKi = 1024, kKilo = 1000;
constexpr std::array kUnits = {
    SizeUnit{"", 1},
    SizeUnit{"B", 1},
    SizeUnit{"K", kKi},
    SizeUnit{"KiB", kKi},
    SizeUnit{"k", kKi},
    SizeUnit{"kB", kKilo},
    SizeUnit{"M", kKi* kKi},
    SizeUnit{"MiB", kKi* kKi},
    SizeUnit{"MB", kKilo* kKilo},
    SizeUnit{"G", kKi* kKi* kKi},
    SizeUnit{"GiB", kKi* kKi* kKi},
    SizeUnit{"GB", kKilo* kKilo* kKilo},
};

[[noreturn]] void reject(const std::string& text, const char* why) {
  throw CompileError(
      fmt::format("size '{}'", text),
      fmt::format("{}; write bytes (65536), binary units (64K, 64KiB, 1M, 1.5MiB) or "
                  "decimal ones (64kB, 1MB)",
                  why));
}

}  // namespace

int64_t parse_size(const std::string& text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number, std::chars_format::fixed);
  if (error == std::errc::result_out_of_range) reject(text, "is too large");
  if (error != std::errc() || !std::isfinite(number)) reject(text, "is not a number");
  if (number < 0) reject(text, "is negative");
  std::string_view unit(rest, static_cast<size_t>(end - rest));
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  for (const SizeUnit& known : kUnits) {
    if (unit != known.name) continue;
    const double size_bytes = number * static_cast<double>(known.bytes);
    // Above 2^53 a double no longer holds each byte.
    if (size_bytes > 9007199254740992.0) reject(text, "is too large");
    if (size_bytes != std::floor(size_bytes)) reject(text, "is not a whole number of bytes");
    return static_cast<int64_t>(size_bytes);
  }
  reject(text, "has an unknown unit");
}

std::string with_separators(int64_t value) {
  std::string digits = std::to_string(value);
  const size_t first = value < 0 ? 1 : 0;
  for (size_t at = digits.size(); at > first + 3; at -= 3) digits.insert(at - 3, 1, ',');
  return digits;
}

std::string human_size(int64_t size_bytes) {
  const auto size = static_cast<double>(size_bytes);
  const double magnitude = std::abs(size);
  std::string exact = with_separators(size_bytes) + " B";
  if (magnitude < kKi) return exact;
  // A value that would be shown as 1024.0 of a unit is shown as 1.0 of the next.
  if (magnitude < 1023.95 * kKi) return fmt::format("{:.1f} KiB ({})", size / kKi, exact);
  if (magnitude < 1023.95 * kKi * kKi) {
    return fmt::format("{:.1f} MiB ({})", size / (kKi * kKi), exact);
  }
  return fmt::format("{:.1f} GiB ({})", size / (kKi * kKi * kKi), exact);
}

}  // namespace thimble
