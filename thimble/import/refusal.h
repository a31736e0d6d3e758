// SPDX-License-Identifier: Apache-2.0
// Why a model is refused, with what would help: as data, for whoever lists all that stops it.
#pragma once

#include <cstdint>
#include <string>

#include "thimble/model/error.h"

namespace thimble {

/// What the owner of a model can do.
enum class Help : uint8_t {
  kNone,
  kUnroll,         ///< loops and branches
  kFixShapes,      ///< --shape
  kStateAsPorts,   ///< variables become inputs and outputs
  kQuantise,       ///< the same in int8 is taken
  kBeforeVela,     ///< the file is behind Arm's compiler for Ethos-U
  kBeforeEdgeTpu,  ///< the file is behind the compiler for the Edge TPU
};
/// A sentence; empty: nothing is known.
[[nodiscard]] const char* sentence(Help help);

/// What importers throw: a CompileError that keeps its reason apart from the place.
struct ImportError : CompileError {
  ImportError(const std::string& where, const std::string& why)
      : CompileError(where, why), reason(why) {}
  std::string reason;
};

/// The file contradicts its format or itself: nothing else that it says is worth showing.
struct Damage : ImportError {
  Damage(const std::string& where, const std::string& what)
      : ImportError(where, "is damaged: " + what) {}
};

/// The model as a whole may be helped: its owner, or a part of it (commands say which can be
/// compiled).
struct Refusal : ImportError {
  Refusal(const std::string& where, const std::string& why, Help helps)
      : ImportError(where, why), help(helps) {}
  Help help;
};

/// The help for any error: kNone but for a Refusal.
[[nodiscard]] inline Help help_of(const CompileError& error) {
  const auto* refusal = dynamic_cast<const Refusal*>(&error);
  return refusal == nullptr ? Help::kNone : refusal->help;
}

}  // namespace thimble
