// SPDX-License-Identifier: Apache-2.0
// Whole files in and out: bounded reads, writes that leave nothing half-written behind.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>

#include "thimble/model/graph.h"

namespace thimble {

/// Throws CompileError unless `file` is a regular, readable file of at most `limit_bytes`.
[[nodiscard]] Bytes read_file(const std::filesystem::path& file, int64_t limit_bytes);

/// Whether writing there takes nothing's place: a standard stream (/dev/stdout, /dev/fd/N), a
/// device or a pipe.
[[nodiscard]] bool is_stream(const std::filesystem::path& file);

/// Where bytes that are written there go in the end: a link is followed, so that it stays one, also
/// if what it names does not exist yet.
[[nodiscard]] std::filesystem::path resolved(const std::filesystem::path& file);

/// Writes the pieces one after the other to a temporary file beside `file`, which then takes its
/// place, with the mode of what was there. On failure (no such folder, no permission, disk full)
/// and when a signal ends the process the temporary is removed, `file` is as it was, and
/// CompileError says why. A stream is written directly.
void write_file(const std::filesystem::path& file, std::span<const std::string_view> pieces);

/// A file that must not exist, of a caller who removes it if it stays half-written. Throws
/// std::filesystem::filesystem_error.
void write_new_file(const std::filesystem::path& file, std::string_view text);

}  // namespace thimble
