// SPDX-License-Identifier: Apache-2.0
// What is wrong with the parameters of each operator's kernels, of integers and of float32: in the
// file of its family, NAME_fault.cc. Private to what reads parameters back.
#pragma once

#include <string>

#include "thimble/program/read_back.h"

namespace thimble {

// Operators whose kernels have no parameters give kOtherKernel.
#define THIMBLE_OPERATOR(Kind, name) \
  [[nodiscard]] std::string fault_of(const Kind& a, const ReadBack& r);
#include "thimble/model/operators.def"

}  // namespace thimble
