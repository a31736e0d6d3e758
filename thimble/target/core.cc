// SPDX-License-Identifier: Apache-2.0
#include "thimble/target/core.h"

#include <algorithm>
#include <string_view>

#include "thimble/model/error.h"

namespace thimble {
namespace {

enum class Vectors : uint8_t { kNone, kDsp, kMve };

Core core(const std::string& name, const char* fpu, Vectors vectors) {
  Core result{.name = name,
              .compiler = {"arm-none-eabi-g++", "gcc-arm-none-eabi", {"-lm", "-lc", "-lgcc"}},
              .flags = {"-mthumb", "-mcpu=" + name}};
  if (fpu != nullptr) {
    result.flags.push_back(std::string("-mfpu=") + fpu);
    result.flags.emplace_back("-mfloat-abi=hard");
  }
  if (vectors != Vectors::kNone) result.sets.push_back(InstructionSet::kDsp);
  if (vectors == Vectors::kMve) result.sets.push_back(InstructionSet::kMve);
  return result;
}

// Debian has no small C library for it: firmware/memory_functions.cc is what is needed of one. No
// small data: where they would go, nothing counts them.
Core risc_v(const std::string& name) {
  return {.name = name,
          .compiler = {"riscv64-unknown-elf-g++", "gcc-riscv64-unknown-elf", {"-lgcc"}},
          .flags = {"-march=" + name, "-mabi=ilp32", "-msmall-data-limit=0"}};
}

// Every compiler that knows it compiles the code of the M55 as well; GCC 12 does not.
Core cortex_m85() {
  Core result = core("cortex-m55", "auto", Vectors::kMve);
  result.name = "cortex-m85";
  return result;
}

}  // namespace

const char* name(InstructionSet set) {
  switch (set) {
    case InstructionSet::kPortable:
      return "portable";
    case InstructionSet::kDsp:
      return "dsp";
    case InstructionSet::kMve:
      return "mve";
  }
  throw InternalError("unknown InstructionSet");
}

bool Core::has(InstructionSet set) const { return std::ranges::find(sets, set) != sets.end(); }

std::vector<Core> known_cores() {
  using enum Vectors;
  return {core("cortex-m0", nullptr, kNone),
          core("cortex-m0plus", nullptr, kNone),
          core("cortex-m3", nullptr, kNone),
          core("cortex-m4", "fpv4-sp-d16", kDsp),
          core("cortex-m7", "fpv5-sp-d16", kDsp),
          core("cortex-m33", "fpv5-sp-d16", kDsp),
          core("cortex-m55", "auto", kMve),
          cortex_m85(),
          risc_v("rv32imc")};
}

bool is_core_name(const std::string& name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return letter || (c >= '0' && c <= '9') ||
           std::string_view("-+._").find(c) != std::string::npos;
  });
}

Core core_named(const std::string& name) {
  for (Core& known : known_cores()) {
    if (known.name == name) return std::move(known);
  }
  return name.starts_with("rv32") ? risc_v(name) : core(name, nullptr, Vectors::kNone);
}

}  // namespace thimble
