// SPDX-License-Identifier: Apache-2.0
// The features of a call, whatever its kernel.
#pragma once

#include "thimble/target/kernels/feature.h"

namespace thimble {

[[nodiscard]] Features features(const CallShape& call);

}  // namespace thimble
