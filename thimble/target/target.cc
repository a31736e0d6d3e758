// SPDX-License-Identifier: Apache-2.0
#include "thimble/target/target.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "thimble/model/error.h"
#include "thimble/target/embedded_file.h"

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

std::vector<Target> builtin_targets() {
  std::vector<Target> targets;
  for (const EmbeddedFile& file : device_files()) {
    targets.push_back(parse_target(std::string(file.text), std::string(file.path)));
  }
  std::sort(targets.begin(), targets.end(),
            [](const Target& a, const Target& b) { return a.name < b.name; });
  return targets;
}

Target find_target(const std::string& name) {
  if (name.ends_with(".json")) return read_target(name);
  std::vector<std::string> names;
  for (Target& target : builtin_targets()) {
    if (target.name == name) return std::move(target);
    names.push_back(std::move(target.name));
  }
  throw CompileError(
      fmt::format("device '{}'", name),
      fmt::format("is not known; there are {}, or give a description of your own as FILE.json",
                  fmt::join(names, ", ")));
}

Target generic_target(const std::string& core) {
  return {.name = core, .chip = "", .core = core_named(core), .memories = {}};
}

}  // namespace thimble
