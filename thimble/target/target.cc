// SPDX-License-Identifier: Apache-2.0
#include "thimble/target/target.h"

namespace thimble {

int64_t Target::sram_bytes() const {
  int64_t sum = 0;
  for (const Memory& memory : memories) {
    if (on_chip(memory.kind)) sum += memory.size_bytes();
  }
  return sum;
}

int64_t Target::largest_sram_run_bytes() const {
  std::vector<Bank> banks;
  for (const Memory& memory : memories) {
    if (on_chip(memory.kind)) banks.insert(banks.end(), memory.banks.begin(), memory.banks.end());
  }
  return thimble::largest_run_bytes(std::move(banks));
}

Target generic_target(const std::string& core) {
  return {
      .name = core, .chip = "", .core = core.empty() ? Core() : core_named(core), .memories = {}};
}

}  // namespace thimble
