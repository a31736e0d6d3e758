// SPDX-License-Identifier: Apache-2.0
#include "thimble/target/core.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "thimble/model/error.h"
#include "thimble/target/nearest_names.h"

namespace thimble {
namespace {

constexpr size_t kShown = 100;  // of a name, in messages

enum class Vectors : uint8_t { kNone, kDsp, kMve };

struct ArmCore {
  const char* name;
  const char* fpu;  // nullptr: none
  Vectors vectors;
  std::vector<std::string> extensions;  // that GCC 12 knows of it
  const char* compiled_as = nullptr;    // the core's name for a compiler that does not know it
};

// GCC 12 knows neither the M52 nor the M85; every compiler that knows the M85 compiles the code of
// the M55 as well.
const std::vector<ArmCore>& arm_cores() {
  using enum Vectors;
  static const std::vector<ArmCore> cores = {
      {"cortex-m0", nullptr, kNone, {}},
      {"cortex-m0plus", nullptr, kNone, {}},
      {"cortex-m1", nullptr, kNone, {}},
      {"cortex-m3", nullptr, kNone, {}},
      {"cortex-m4", "fpv4-sp-d16", kDsp, {"nofp"}},
      {"cortex-m7", "fpv5-sp-d16", kDsp, {"nofp", "nofp.dp"}},
      {"cortex-m23", nullptr, kNone, {}},
      {"cortex-m33", "fpv5-sp-d16", kDsp, {"nofp", "nodsp"}},
      {"cortex-m35p", "fpv5-sp-d16", kDsp, {"nofp", "nodsp"}},
      {"cortex-m55", "auto", kMve, {"nofp", "nodsp", "nomve", "nomve.fp"}},
      {"cortex-m85", "auto", kMve, {}, "cortex-m55"}};
  return cores;
}

bool is_among(const std::string& what, const std::vector<std::string>& list) {
  return std::ranges::find(list, what) != list.end();
}

// Without the DSP extension there are no vectors either; these need the registers of the FPU.
Core core(const ArmCore& arm, const std::vector<std::string>& extensions = {}) {
  std::string cpu = arm.compiled_as != nullptr ? arm.compiled_as : arm.name;
  std::string name = arm.name;
  for (const std::string& extension : extensions) {
    cpu += "+" + extension;
    name += "+" + extension;
  }
  Core result{.name = name,
              .compiler = {"arm-none-eabi-g++", "gcc-arm-none-eabi", {"-lm", "-lc", "-lgcc"}},
              .flags = {"-mthumb", "-mcpu=" + cpu}};
  const bool dsp = arm.vectors != Vectors::kNone && !is_among("nodsp", extensions);
  const bool mve = dsp && arm.vectors == Vectors::kMve && !is_among("nomve", extensions);
  if (arm.fpu != nullptr && (mve || !is_among("nofp", extensions))) {
    result.flags.push_back(std::string("-mfpu=") + arm.fpu);
    result.flags.emplace_back("-mfloat-abi=hard");
  }
  if (dsp) result.sets.push_back(InstructionSet::kDsp);
  if (mve) result.sets.push_back(InstructionSet::kMve);
  return result;
}

// Debian has no small C library for it: firmware/memory_functions.cc is what is needed of one. No
// small data: where they would go, nothing counts them.
Core risc_v(const std::string& name) {
  return {.name = name,
          .compiler = {"riscv64-unknown-elf-g++", "gcc-riscv64-unknown-elf", {"-lgcc"}},
          .flags = {"-march=" + name, "-mabi=ilp32", "-msmall-data-limit=0"}};
}

// Each of Espressif's chips has a configuration of its own, and a compiler for it; Debian has none.
Core xtensa(const std::string& chip) {
  return {.name = "xtensa-" + chip,
          .compiler = {"xtensa-" + chip + "-elf-g++", "", {"-lm", "-lc", "-lgcc"}},
          .flags = {"-mlongcalls"}};
}

// "rv32imac_zba_zbb": a base, letters, and longer names behind underscores.
bool is_risc_v(const std::string& name) {
  const size_t letters = std::string_view("rv32").size();
  if (!name.starts_with("rv32i") && !name.starts_with("rv32g")) return false;
  const std::string single = name.substr(letters + 1, name.find('_') - letters - 1);
  if (single.find_first_not_of("mafdc") != std::string::npos) return false;
  return name.back() != '_' && name.find("__") == std::string::npos &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos;
}

// "cortexm0plus" of "Cortex-M0+", "m0+", "arm cortex m0 plus"; an FPU goes without saying.
std::string plain_core(const std::string& typed) {
  std::string plain = plain_name(typed);
  if (plain.starts_with("arm")) plain.erase(0, 3);
  if (plain.starts_with("m") && plain.size() > 1) plain.insert(0, "cortex");
  if (typed.ends_with('+')) plain += "plus";
  for (const char* with_fpu : {"cortexm4f", "cortexm7f", "cortexm33f"}) {
    if (plain == with_fpu) plain.pop_back();
  }
  return plain;
}

[[noreturn]] void reject(const std::string& name) {
  std::vector<std::string> names;
  for (const Core& known : known_cores()) names.push_back(known.name);
  throw CompileError(fmt::format("core '{}'", name.substr(0, kShown)),
                     fmt::format("is not known; the nearest are {} (`--core list` has all)",
                                 fmt::join(nearest_names(plain_core(name), names, 3), ", ")));
}

std::vector<std::string> split_extensions(const std::string& text) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('+', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

// A known core with the extensions behind its name: "nofp", "nofp+nodsp".
Core with_extensions(const std::string& base, const std::string& extensions) {
  const std::string plain = plain_core(base);
  for (const ArmCore& arm : arm_cores()) {
    if (plain_name(arm.name) != plain) continue;
    const std::vector<std::string> asked = split_extensions(extensions);
    for (const std::string& extension : asked) {
      if (is_among(extension, arm.extensions)) continue;
      throw CompileError(fmt::format("core '{}'", (base + "+" + extensions).substr(0, kShown)),
                         arm.extensions.empty()
                             ? fmt::format("{} has no extensions to name", arm.name)
                             : fmt::format("'{}' is no extension of {}; there are {}", extension,
                                           arm.name, fmt::join(arm.extensions, ", ")));
    }
    return core(arm, asked);
  }
  reject(base + "+" + extensions);
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
  std::vector<Core> cores;
  for (const ArmCore& arm : arm_cores()) cores.push_back(core(arm));
  for (const char* name : {"rv32imc", "rv32imac", "rv32imafc"}) cores.push_back(risc_v(name));
  for (const char* chip : {"esp32", "esp32s2", "esp32s3"}) cores.push_back(xtensa(chip));
  return cores;
}

bool is_core_name(const std::string& name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return letter || (c >= '0' && c <= '9') ||
           std::string_view("-+._").find(c) != std::string::npos;
  });
}

Core core_named(const std::string& name) {
  if (!is_core_name(name)) reject(name);
  std::string typed = name;
  std::ranges::transform(typed, typed.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  const size_t plus = typed.find('+');
  if (plus != std::string::npos && plus + 1 < typed.size())
    return with_extensions(typed.substr(0, plus), typed.substr(plus + 1));
  if (is_risc_v(typed)) return risc_v(typed);
  const std::string plain = plain_core(typed);
  for (Core& known : known_cores()) {
    if (plain_name(known.name) == plain) return std::move(known);
  }
  reject(name);
}

}  // namespace thimble
