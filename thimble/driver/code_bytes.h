// SPDX-License-Identifier: Apache-2.0
// What a plan takes beside its arena and its weights, before it is compiled for its core.
#pragma once

#include <set>
#include <span>

#include "thimble/driver/compiled.h"
#include "thimble/target/code_model.h"

namespace thimble {

/// The code model of the target's core; of a Cortex-M4 where none is named. Nothing: it has none.
[[nodiscard]] std::optional<CodeModel> code_model_of(const Target& target);

/// What the model's calls use of the runtime (emit/uses.h).
[[nodiscard]] std::set<std::string> parts_of(const Compiled& compiled);
/// Code of models that share a runtime, of which others use `also_used`, and the stack of the
/// deepest; nothing: nobody knows for this core, or for a kernel.
[[nodiscard]] std::optional<CodeBytes> code_bytes_of(std::span<const Compiled> models,
                                                     const std::set<std::string>& also_used);

/// All that the firmware takes, with limits and emission of the request.
[[nodiscard]] Verdict verdict_of(const Compiled& compiled, const Request& request);

/// SRAM that is not the arena: stack, with its margin, and what the caller brings.
[[nodiscard]] int64_t beside_bytes(const Verdict& verdict);
/// About as much as any plan of the network takes there, before there is one.
[[nodiscard]] int64_t most_beside_bytes(const Graph& graph, const Request& request);

}  // namespace thimble
