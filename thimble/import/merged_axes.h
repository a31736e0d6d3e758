// SPDX-License-Identifier: Apache-2.0
// PAD and reductions of more axes than kernels have, or of none: neighbours that are treated alike
// become one; of a PAD with more than four such axes each is padded by itself.
//
//   MEAN of 2x3x4x5x6 over {1, 2}    reshape to 2x12x30, mean over {1}, reshape
//   PAD of 2x3x4x5x6 by 1 of axis 2  reshape to 6x120, 30 elements more of axis 1, reshape
#pragma once

#include "thimble/import/expansion.h"

namespace thimble {

/// Says whether it did; what is left as it was may be more than is supported.
[[nodiscard]] bool merge_axes(const Attributes& attributes, const FileOp& op, Expansion& steps);

}  // namespace thimble
