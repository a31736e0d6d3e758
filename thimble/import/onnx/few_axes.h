// SPDX-License-Identifier: Apache-2.0
// Paddings of more axes than kernels have, in steps of fewer (import/merged_axes.h).
#pragma once

#include "thimble/import/onnx/islands.h"

namespace thimble::onnx {

/// What cannot be taken apart is left as it was, and refused where it is checked.
[[nodiscard]] Steps with_few_axes(Steps network);

}  // namespace thimble::onnx
