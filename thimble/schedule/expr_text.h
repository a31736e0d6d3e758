// SPDX-License-Identifier: Apache-2.0
// Numbers that follow counters, as text.
#pragma once

#include <functional>
#include <string>

#include "thimble/schedule/index_expr.h"

namespace thimble {

/// "2 * i0 + 1", with i and the loop's number for its counter.
[[nodiscard]] std::string to_string(const IndexExpr& expr);
/// "2 * row + 1", with name(loop) for the counters. Valid C++ if the names are (floor_div for
/// divisors).
[[nodiscard]] std::string to_string(const IndexExpr& expr,
                                    const std::function<std::string(LoopId)>& name);

}  // namespace thimble
