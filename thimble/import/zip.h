// SPDX-License-Identifier: Apache-2.0
// Members of a zip archive that stands at the end of other bytes, as .tflite files have one.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace thimble {

/// Names of all members, in the archive's order; throws CompileError like zip_member().
[[nodiscard]] std::vector<std::string> zip_members(std::span<const uint8_t> bytes,
                                                   const std::string& where);
/// Stored or deflated, of at most limit_bytes. Throws CompileError, in the name of `where`: no
/// archive, no such member, damaged, or too large.
[[nodiscard]] std::string zip_member(std::span<const uint8_t> bytes, std::string_view name,
                                     int64_t limit_bytes, const std::string& where);

}  // namespace thimble
