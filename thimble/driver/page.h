// SPDX-License-Identifier: Apache-2.0
// What a page says of a plan beside the figures of its command; some of it is planned for it.
#pragma once

#include "thimble/driver/driver.h"
#include "thimble/report/advice.h"
#include "thimble/report/page_figures.h"

namespace thimble {

/// request.model is the source that `compiled` is of.
[[nodiscard]] PageFigures page_figures(const Request& request, const Compiled& compiled);

}  // namespace thimble
