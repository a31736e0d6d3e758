// SPDX-License-Identifier: Apache-2.0
// Logs as boards write them that compute what the reference does.
#pragma once

#include <string>
#include <vector>

#include "thimble/driver/compiled.h"

namespace thimble::testing {

/// One inference of code with `--trace`. plan_sha256: of its NAME_plan.json.
[[nodiscard]] std::string traced_log(const Compiled& compiled, const std::string& plan_sha256,
                                     const std::vector<Bytes>& inputs);
/// Cycles of one inference: 1,000 in stage 0, 2,000 in stage 1, ...
[[nodiscard]] std::string profile_log(const Compiled& compiled, const std::string& plan_sha256);

}  // namespace thimble::testing
