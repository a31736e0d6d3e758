// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "thimble/model/graph.h"

namespace thimble {

/// Every tensor's value after an inference, by TensorId: row-major bytes; empty for constants.
using TensorValues = std::vector<Bytes>;

}  // namespace thimble
