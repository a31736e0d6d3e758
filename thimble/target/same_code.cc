// SPDX-License-Identifier: Apache-2.0
#include "thimble/target/same_code.h"

#include <map>

namespace thimble {

// GCC 12 compiles the same instructions for both of each pair.
std::string core_of_same_code(const std::string& core) {
  static const std::map<std::string, std::string> same = {{"cortex-m0plus", "cortex-m0"},
                                                          {"cortex-m1", "cortex-m0"},
                                                          {"cortex-m35p", "cortex-m33"},
                                                          {"cortex-m85", "cortex-m55"},
                                                          {"rv32imac", "rv32imc"}};
  const auto found = same.find(core);
  return found == same.end() ? core : found->second;
}

}  // namespace thimble
