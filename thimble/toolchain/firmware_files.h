// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "thimble/target/embedded_file.h"

namespace thimble {

/// firmware/: start-up code, linker scripts, semihosting and harness.
[[nodiscard]] std::span<const EmbeddedFile> firmware_files();

}  // namespace thimble
