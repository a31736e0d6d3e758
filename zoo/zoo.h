// SPDX-License-Identifier: Apache-2.0
// Networks that Thimble builds in memory, by name: zoo:NAME on the command line.
#pragma once

#include <string>
#include <vector>

#include "thimble/model/graph.h"

namespace thimble {

struct ZooEntry {
  std::string name;
  std::string about;  ///< one line
};

/// Sorted by name.
[[nodiscard]] std::vector<ZooEntry> zoo_entries();
/// spec: "NAME", what stands after "zoo:". Throws CompileError for a name that does not exist (with
/// those that do), and for parameters ("NAME:key=value"), which no entry takes so far.
[[nodiscard]] Graph build_zoo(const std::string& spec);

}  // namespace thimble
