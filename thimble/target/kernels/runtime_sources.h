// SPDX-License-Identifier: Apache-2.0
// The text of every file of the runtime, so that the compiler can write the ones that a model
// needs.
#pragma once

#include <span>
#include <string_view>

namespace thimble {

struct RuntimeFile {
  std::string_view
      path;  ///< below runtime/: "portable/conv_2d.cc", "include/thimble_runtime/view.h"
  std::string_view text;
};

/// In a fixed order.
[[nodiscard]] std::span<const RuntimeFile> runtime_files();

}  // namespace thimble
