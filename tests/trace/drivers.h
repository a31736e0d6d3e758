// SPDX-License-Identifier: Apache-2.0
// Programs around emitted projects, for the host. Both take a project's name as their argument.
#pragma once

#include <string>

#include "tests/trace/traced.h"

namespace thimble::testing {

/// Linked with recorder.cc: writes the trace of NAME_run or, with a second argument, of
/// NAME_push_rows.
[[nodiscard]] std::string tracing_driver(const std::vector<EmittedProject>& projects);

/// Reads the inputs of one inference after the other as their memory holds them, one port after the
/// other, and writes the outputs. Variables are reset before the first.
[[nodiscard]] std::string real_driver(const std::vector<EmittedProject>& projects);

}  // namespace thimble::testing
