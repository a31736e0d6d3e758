// SPDX-License-Identifier: Apache-2.0
// Cycles from the log of a board, beside estimates.
#pragma once

#include <string>

#include "thimble/driver/compiled.h"
#include "thimble/import/board_log.h"
#include "thimble/report/profile_report.h"

namespace thimble {

/// The last profile of this plan in the log that is whole. `where` names the log; the report's
/// files are left to the caller. Throws CompileError if there is none, with the reason.
[[nodiscard]] ProfileReport board_profile(const Compiled& compiled, const BoardLog& log,
                                          const std::string& where);

/// What `--latency` reads: the fit as a model of the core. Throws CompileError for a core without
/// a model.
[[nodiscard]] std::string fit_json(const ProfileReport& report);

}  // namespace thimble
