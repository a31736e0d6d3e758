// SPDX-License-Identifier: Apache-2.0
// Numbers of tokens as programs have them: what is waited for before another transfer begins has
// the same one, as each takes memory of the stack (runtime::InFlight).
//
//   begin a; begin b; wait a; begin c; wait b; wait c        a 0, b 1, c 0
#pragma once

#include <vector>

#include "thimble/schedule/schedule.h"

namespace thimble {

struct TokenNumbers {
  std::vector<TokenId> of;  ///< by token of the schedule
  int count = 0;
};
[[nodiscard]] TokenNumbers token_numbers(const Schedule& schedule);

}  // namespace thimble
