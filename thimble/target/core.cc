// SPDX-License-Identifier: Apache-2.0
#include "thimble/target/core.h"

#include <algorithm>

#include "thimble/model/error.h"

namespace thimble {
namespace {

Core core(const std::string& name, const char* fpu, bool dsp) {
  Core result{.name = name, .flags = {"-mcpu=" + name}};
  if (fpu != nullptr) {
    result.flags.push_back(std::string("-mfpu=") + fpu);
    result.flags.emplace_back("-mfloat-abi=hard");
  }
  if (dsp) result.sets.push_back(InstructionSet::kDsp);
  return result;
}

}  // namespace

const char* name(InstructionSet set) {
  switch (set) {
    case InstructionSet::kPortable:
      return "portable";
    case InstructionSet::kDsp:
      return "dsp";
  }
  throw InternalError("unknown InstructionSet");
}

bool Core::has(InstructionSet set) const { return std::ranges::find(sets, set) != sets.end(); }

std::vector<Core> known_cores() {
  return {core("cortex-m0", nullptr, false),      core("cortex-m0plus", nullptr, false),
          core("cortex-m3", nullptr, false),      core("cortex-m4", "fpv4-sp-d16", true),
          core("cortex-m7", "fpv5-sp-d16", true), core("cortex-m33", "fpv5-sp-d16", true),
          core("cortex-m55", "auto", true)};
}

Core core_named(const std::string& name) {
  for (Core& known : known_cores()) {
    if (known.name == name) return std::move(known);
  }
  return core(name, nullptr, false);
}

}  // namespace thimble
