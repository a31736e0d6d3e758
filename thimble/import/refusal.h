// SPDX-License-Identifier: Apache-2.0
// Why a model is refused, with what would help: as data, for whoever lists all that stops it.
#pragma once

#include <cstdint>

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

struct Refusal : CompileError {
  Refusal(const std::string& where, const std::string& message, Help helps)
      : CompileError(where, message), help(helps) {}
  Help help;
};

/// The help for any error: kNone but for a Refusal.
[[nodiscard]] inline Help help_of(const CompileError& error) {
  const auto* refusal = dynamic_cast<const Refusal*>(&error);
  return refusal == nullptr ? Help::kNone : refusal->help;
}

}  // namespace thimble
