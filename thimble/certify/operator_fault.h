// SPDX-License-Identifier: Apache-2.0
// One operator of the rewritten network against the part of the file's that it stands for.
#pragma once

#include <string>

#include "thimble/certify/networks.h"

namespace thimble {

/// Whether the file has it too, with the same operands.
[[nodiscard]] bool is_of_the_file(const Networks& networks, const Op& op);

/// What is wrong with it, or empty. work: what may be spent on executing it, which it takes from;
/// each operator is executed once at least.
[[nodiscard]] std::string operator_fault(const Networks& networks, const Op& op, int64_t& work);

/// Compares an operator's constants with its counterpart's in the file: operands are the same, or
/// have the channels that the output kept; filters and biases make the same sums.
[[nodiscard]] std::string constants_fault(const Networks& networks, const Op& op,
                                          const Op& counterpart);

}  // namespace thimble
