// SPDX-License-Identifier: Apache-2.0
// Networks that Thimble builds in memory, by name: zoo:NAME:key=value,... on the command line.
#pragma once

#include <string>
#include <vector>

#include "thimble/model/graph.h"

namespace thimble {

struct ZooEntry {
  struct Parameter {
    std::string key, initial, meaning;
  };
  std::string name;
  std::string about;  ///< one line
  std::vector<Parameter> parameters;
};

/// Sorted by name.
[[nodiscard]] std::vector<ZooEntry> zoo_entries();
/// spec: "NAME" or "NAME:key=value,...", what stands after "zoo:". Throws CompileError for a name
/// or key that does not exist (with those that do) and for a value that the key does not take.
[[nodiscard]] Graph build_zoo(const std::string& spec);
/// The same in float32: what there is to train. Throws CompileError likewise, and for networks that
/// are not wholly quantised.
[[nodiscard]] Graph build_zoo_float(const std::string& spec);

}  // namespace thimble
