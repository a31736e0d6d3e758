// SPDX-License-Identifier: Apache-2.0
// The functions that the emitted header declares: an inference in one go, or as rows come.
//
//   NAME_run          each stage once; rows of the input are asked for as ticks need them
//   NAME_begin,       the same with the caller's clock: the state is the number of the next tick
//   and NAME_push_rows    row; every call executes all ticks whose rows are there
#pragma once

#include <string>

#include "thimble/emit/stage_hooks.h"

namespace thimble {

/// Behind the stages, within their namespace: what several functions need.
[[nodiscard]] std::string entry_helpers(const Observed& its);
/// Struct Caller, before the stages; empty if the caller brings nothing but the arena and rows.
[[nodiscard]] std::string caller_struct(const CallerSide& side);
/// Outside of the namespace.
[[nodiscard]] std::string entry_points(const Observed& its);

}  // namespace thimble
