// SPDX-License-Identifier: Apache-2.0
// The CMake fragment of an emitted folder.
#pragma once

#include <string>
#include <vector>

namespace thimble {

struct CMakeTarget {
  std::string name;
  std::vector<std::string> sources;  ///< relative to the folder
  /// Those of them whose constants are in a file beside them (weights.h).
  std::vector<std::string> with_bytes = {};
  /// Whether its constants are flashed by themselves.
  bool at_address = false;
};

/// A static library for each model of a folder.
[[nodiscard]] std::string cmake_lists(const std::vector<CMakeTarget>& models,
                                      const std::string& version);

}  // namespace thimble
