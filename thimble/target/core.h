// SPDX-License-Identifier: Apache-2.0
// The cores that programs are compiled for, by which compiler, and the instruction sets that
// kernels are written in.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace thimble {

/// What a kernel's source needs of the core.
enum class InstructionSet : uint8_t {
  kPortable,  ///< C++ alone
  kDsp,       ///< Armv7E-M or Armv8-M with the DSP extension: dual 16-bit multiply-accumulate
  kMve,       ///< Armv8.1-M with vectors of integers (Helium)
};
[[nodiscard]] const char* name(
    InstructionSet set);  ///< "portable", "dsp", "mve": the folder in runtime/

/// What kernels that a plan may use do to the size of weights in flash.
enum class Weights : uint8_t {
  kWide,     ///< as kFast; those of int8 beside activations of float32 are float32
  kFast,     ///< 16 bits each
  kCompact,  ///< 8 bits, or 4; those of depthwise convolutions in place, which are few, 16
  kLeast,    ///< 8 bits, or 4 wherever these do
};

struct LatencyModel;

struct CrossCompiler {
  std::string program;                 ///< "arm-none-eabi-g++"
  std::string package;                 ///< of Debian, that has it
  std::vector<std::string> libraries;  ///< that it has for a board without a system
  bool operator==(const CrossCompiler&) const = default;
};

struct Core {
  std::string name;  ///< as GCC's -mcpu takes it: "cortex-m4"; RISC-V: -march: "rv32imc"
  CrossCompiler compiler;
  std::vector<std::string> flags;  ///< of the compiler
  std::vector<InstructionSet> sets = {InstructionSet::kPortable};
  Weights weights = Weights::kFast;  ///< or smaller
  /// What each MAC of the portable kernels is taken to take, and all else nothing, in place of
  /// counted instructions: a core of which a paper says no more.
  std::optional<double> cycles_per_mac = {};
  /// What a board measured, in place of counted instructions (`profile --fit`).
  std::shared_ptr<const LatencyModel> measured = nullptr;

  [[nodiscard]] bool has(InstructionSet set) const;
  bool operator==(const Core&) const = default;
};

/// Cores that Thimble knows more of than the name.
[[nodiscard]] std::vector<Core> known_cores();
/// One of these, in any spelling ("Cortex_M4", "m4", "M0+"), with extensions that GCC knows of it
/// ("cortex-m4+nofp"), or another "rv32...". Throws CompileError with the nearest names.
[[nodiscard]] Core core_named(const std::string& name);
/// Whether it can be a name: letters, digits, and what GCC's have besides ("cortex-m4+nofp"). One
/// that is not would be anything in a compiler's command line.
[[nodiscard]] bool is_core_name(const std::string& name);

}  // namespace thimble
