// SPDX-License-Identifier: Apache-2.0
// One member of a zip archive that stands at the end of other bytes, as .tflite files have one.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace thimble {

/// Stored or deflated, of at most limit_bytes. Throws CompileError, in the name of `where`: no
/// archive, no such member, damaged, or too large.
[[nodiscard]] std::string zip_member(std::span<const uint8_t> bytes, std::string_view name,
                                     int64_t limit_bytes, const std::string& where);

}  // namespace thimble
