// SPDX-License-Identifier: Apache-2.0
// Parameters and packed constants, read back: what a kernel would compute with them is what its
// operator says. Written apart from the packing (thimble/target/kernels), on the arithmetic of the
// reference: packed weights are unpacked, sums of weights taken out of the bias again.
#pragma once

#include <string>

#include "thimble/program/program.h"

namespace thimble {

/// Empty, or how the parameters of a call of an operator's kernel differ from what it says:
/// "clamp_max is 127, not 93".
[[nodiscard]] std::string parameter_fault(const Graph& graph, const Program& program,
                                          const Call& call);

}  // namespace thimble
