// SPDX-License-Identifier: Apache-2.0
// The log of a board that runs code compiled with --trace beside the reference.
#pragma once

#include <string>
#include <vector>

#include "thimble/driver/compiled.h"
#include "thimble/import/board_log.h"
#include "thimble/report/diagnosis_report.h"

namespace thimble {

/// The inferences of a log that are of this plan, whole and with every line as it was written.
/// `where` names the log. Throws CompileError if there are none, with the reason.
[[nodiscard]] std::vector<const TracedInference*> whole_inferences(const Compiled& compiled,
                                                                   const BoardLog& log,
                                                                   const std::string& where);

/// The inputs that an inference was given, in the caller's bytes, one per port.
[[nodiscard]] std::vector<Bytes> traced_inputs(const Compiled& compiled,
                                               const TracedInference& inference);

/// The first difference of all of them. inputs: what the board should have been given, if that is
/// known: one after the other, or one that all were given. outputs: those of the reference for the
/// inference that is told of, in the caller's bytes.
[[nodiscard]] Diagnosis diagnose(const Compiled& compiled,
                                 const std::vector<const TracedInference*>& inferences,
                                 const std::vector<std::vector<Bytes>>& inputs,
                                 std::vector<Bytes>& outputs);

}  // namespace thimble
