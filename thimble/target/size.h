// SPDX-License-Identifier: Apache-2.0
// Sizes in bytes as people write and read them.
#pragma once

#include <cstdint>
#include <string>

namespace thimble {

/// "65536", "64K" and "64KiB" are 65,536; "64kB" is 64,000; likewise M and G. Throws CompileError.
[[nodiscard]] int64_t parse_size(const std::string& text);

/// "54.0 KiB (55,296 B)"; below 1 KiB "640 B".
[[nodiscard]] std::string human_size(int64_t size_bytes);

/// "55,296".
[[nodiscard]] std::string with_separators(int64_t value);

}  // namespace thimble
