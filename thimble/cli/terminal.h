// SPDX-License-Identifier: Apache-2.0
// The standard streams of the process: what they are, and that they are there.
#pragma once

namespace thimble {

/// To be called first by main(). A standard stream that the caller closed would be the next file
/// opened, and get what is printed: in its place comes one that every use of fails. Where systems
/// have text and bytes apart, what is printed is bytes.
void occupy_standard_streams();

/// From here on a process whose reader is gone gets errors, not an end.
void ignore_closed_pipes();

[[nodiscard]] bool error_is_terminal();

}  // namespace thimble
