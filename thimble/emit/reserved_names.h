// SPDX-License-Identifier: Apache-2.0
// Names that mean something already where an emitted model goes.
#pragma once

#include <string_view>

namespace thimble {

/// Whether a model of that name would be taken for something else: a keyword of C or C++, a header
/// NAME.h of the languages, of POSIX, of the C libraries or of the usual firmware kits, the file
/// that a project's main() is in, a file that Windows cannot have, or a target that CMake keeps for
/// itself. name: as identifier() makes them, in lower case.
[[nodiscard]] bool is_reserved(std::string_view name);

}  // namespace thimble
