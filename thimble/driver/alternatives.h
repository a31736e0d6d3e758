// SPDX-License-Identifier: Apache-2.0
// What else to ask for where a plan does not fit, with the figures that it reaches.
#pragma once

#include <vector>

#include "thimble/driver/driver.h"
#include "thimble/report/advice.h"

namespace thimble {

/// Options for the same model, in the words of the command line, that need fewer bytes of arena
/// than `compiled` and than all that ask for less; the least first. Tried are the best planner,
/// plans past the latency limit, limits lifted, ports elsewhere that are live at the peak, integers
/// instead of floats, external RAM; several of them at once only if none of them fits alone; a
/// smaller input, and larger boards, only where they fit. Each
/// is planned, placed and verified, and what the model or the board refuses is left out. All of
/// them together take no longer than the request's time limit; request.progress may cancel.
[[nodiscard]] std::vector<Alternative> alternatives(const Request& request,
                                                    const Compiled& compiled);
/// alternatives() where there is no plan at all.
[[nodiscard]] std::vector<Alternative> alternatives(const Request& request, const Infeasible& no);

/// A small part of what the best one does, and of its time.
[[nodiscard]] const char* quick_planner();

/// Boards with no less SRAM than the target and so much flash, a chip each, the smallest first.
[[nodiscard]] std::vector<Target> larger_boards(const Target& target, int64_t flash_bytes);

/// What needs fewer bytes of arena though the plan fits: smaller plans of the front, ports
/// elsewhere, integers instead of floats, limits lifted. Each with the request's planner if that
/// was quick, else with a quick one.
[[nodiscard]] std::vector<Alternative> smaller_alternatives(const Request& request,
                                                            const Compiled& compiled);

/// What is tried though nobody asked for less: without a limit on SRAM, integers instead of floats
/// that are live at the peak, by a quick planner.
[[nodiscard]] std::vector<Alternative> unasked_alternatives(const Request& request,
                                                            const Compiled& compiled);

}  // namespace thimble
