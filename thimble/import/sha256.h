// SPDX-License-Identifier: Apache-2.0
// Fingerprints of files and models.
#pragma once

#include <string>
#include <string_view>

#include "thimble/model/graph.h"

namespace thimble {

/// 64 hexadecimal digits, lower case.
[[nodiscard]] std::string sha256(std::string_view text);
[[nodiscard]] std::string sha256(const Bytes& bytes);
/// That of the text with the bytes behind it.
[[nodiscard]] std::string sha256(std::string_view text, const Bytes& bytes);

}  // namespace thimble
