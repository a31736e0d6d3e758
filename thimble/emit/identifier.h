// SPDX-License-Identifier: Apache-2.0
// The name of an emitted model: of files, functions and a CMake target.
#pragma once

#include <string>

namespace thimble {

/// A name for files, functions and a CMake target from any text, in at most some 60 letters, digits
/// and single underscores: "my-model (1)" -> "my_model_1", "stdint" -> "stdint_model" (a name that
/// is taken), "Größe" -> "groesse", "模型" -> "u6a21_u578b". What is cut has a hash behind it.
[[nodiscard]] std::string identifier(const std::string& text);
/// "conv_2d_0" -> "Conv2d0", "add_1_2" -> "Add1_2"
[[nodiscard]] std::string pascal(const std::string& snake);

}  // namespace thimble
