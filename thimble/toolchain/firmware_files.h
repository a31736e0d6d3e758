// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "thimble/target/embedded_file.h"

namespace thimble {

/// firmware/: start-up code, linker scripts, semihosting and harness.
[[nodiscard]] std::span<const EmbeddedFile> firmware_files();
/// runtime/: drivers of storage, in `storage`, and what they include, in `include`.
[[nodiscard]] std::span<const EmbeddedFile> storage_driver_files();

}  // namespace thimble
