// SPDX-License-Identifier: Apache-2.0
// From the labels of a set to the numbers of a network's classes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace thimble {

struct ClassNumbers {
  std::vector<std::string> names;         ///< by number
  std::map<std::string, size_t> numbers;  ///< by the set's label
  std::string by;                         ///< how, for people
};

/// labels: the set's, sorted. names: the network's; empty: not known. A label is a class' name, or
/// its number; where names are not known and there are as many labels as classes, their place in
/// alphabetical order. Throws CompileError, in the name of `set`.
[[nodiscard]] ClassNumbers class_numbers(const std::vector<std::string>& labels,
                                         const std::vector<std::string>& names, size_t classes,
                                         const std::string& set);

}  // namespace thimble
