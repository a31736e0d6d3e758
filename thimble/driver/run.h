// SPDX-License-Identifier: Apache-2.0
// Inferences of a compiled model, compared with what is expected of them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "thimble/driver/compiled.h"
#include "thimble/driver/inference_io.h"
#include "thimble/report/run_report.h"
#include "thimble/toolchain/board.h"

namespace thimble {

/// The plain interpreter, with every operator that a case expects something of.
[[nodiscard]] Inferences run_reference(const Graph& graph, const std::vector<InputCase>& cases);

/// The plan with the kernels that ship. With sums of less than 32 bits the outputs are compared
/// with the reference with the same sums, and their deviation is from what the cases expect, or
/// from the exact arithmetic.
[[nodiscard]] Inferences run_host(const Compiled& compiled, std::vector<InputCase> cases);

/// The emitted firmware on the emulated board; likewise. storage: of what it spills there. Throws
/// CompileError if there is no compiler or emulator, or no board with such a storage.
[[nodiscard]] Inferences run_emulated(const Compiled& compiled, const std::string& core,
                                      std::vector<InputCase> cases,
                                      StorageDriver storage = StorageDriver::kRamDisk);

/// What one inference of noise costs there.
[[nodiscard]] MeasuredCost measured_cost(const Compiled& compiled, const std::string& core);
/// One inference of each of several models in one firmware, one after the other. names: of their
/// code.
[[nodiscard]] MeasuredCost measured_cost(std::span<const Compiled> models,
                                         const std::vector<std::string>& names,
                                         const std::string& core);

}  // namespace thimble
