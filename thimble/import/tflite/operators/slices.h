// SPDX-License-Identifier: Apache-2.0
// SLICE, STRIDED_SLICE, SPLIT, SPLIT_V, UNPACK and REVERSE_V2: indices counted from the end, cut
// and masked as TensorFlow Lite does.
#pragma once

#include "thimble/import/expansion.h"
#include "thimble/import/tflite/op.h"

namespace thimble {

[[nodiscard]] Attributes slice(const TfliteOp& op);
[[nodiscard]] Slice strided_slice_without_new_axes(const TfliteOp& op);
/// Makes the output of a slice, of shape `extents`: further axes of it are a reshape, and so is a
/// scalar.
void finish_slice(Slice slice, Shape extents, const TfliteOp& op, Expansion& steps);

}  // namespace thimble
