// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace thimble::training {

/// curve.svg of the folder's curve.csv, by gnuplot. False: that is not installed, and there is no
/// picture. Throws CompileError where it cannot be written.
bool draw_curve(const std::filesystem::path& folder);

}  // namespace thimble::training
