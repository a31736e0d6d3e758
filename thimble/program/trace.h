// SPDX-License-Identifier: Apache-2.0
// What a Program executes, call by call, as text: kernel, parameters, views, region, chunk,
// scratch; and each row that the caller brings or takes. Emitted code that is linked against
// recording kernels must write the same (tests/trace/recorder.h): then what was verified is what
// runs.
#pragma once

#include <functional>
#include <string>

#include "thimble/program/program.h"

namespace thimble {

/// Calls line(text) for each line of the trace (trace_text.h), in order. Copies of a buffer onto
/// itself are left out, calls with empty regions are not.
void trace(const Graph& graph, const Program& program,
           const std::function<void(const std::string&)>& line);

/// What the memory of a buffer is called in a trace: "arena", "psram", "input",
/// "output_1".
[[nodiscard]] std::string trace_memory(const Program& program, BufferId buffer);

}  // namespace thimble
