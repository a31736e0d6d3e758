// SPDX-License-Identifier: Apache-2.0
// How emitted functions call stages: what they hand over, and what they do about a fault.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "thimble/emit/caller.h"
#include "thimble/emit/stages.h"

namespace thimble {

/// Whether some of the stages is handed `what`.
[[nodiscard]] bool uses(std::span<const Stage> stages, const std::string& what);
/// "arena, caller" as the stages need them, with the types before them or without.
[[nodiscard]] std::string handed(const CallerSide& side, std::span<const Stage> stages, bool types);
/// Whether a function leaves with a fault of a transfer, or goes on, since transfers behind one do
/// nothing, and its caller leaves.
enum class OnFault : uint8_t { kLeave, kGoOn };

/// Lines that call stages; rows of the table that follow one another in one.
[[nodiscard]] std::string call_lines(const CallerSide& side, std::span<const Stage> stages,
                                     OnFault on_fault);
/// The first lines of an entry point: its parameters, checked beside `conditions`, as the stages
/// want them. name: of the project; fields: values of the caller's fields.
[[nodiscard]] std::string opening(const std::string& name, const CallerSide& side,
                                  std::span<const Stage> stages, const std::string& fields,
                                  std::vector<std::string> conditions);
/// Behind them, if no stage has need of what the caller brings.
[[nodiscard]] std::string unused_fields(const CallerSide& side, std::span<const Stage> stages);
/// Behind a call that may have found a fault: leaves with it.
[[nodiscard]] std::string fault_text(const CallerSide& side, const std::string& call,
                                     const std::string& indent);

}  // namespace thimble
