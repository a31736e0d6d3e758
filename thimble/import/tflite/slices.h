// SPDX-License-Identifier: Apache-2.0
// SLICE, STRIDED_SLICE, SPLIT, SPLIT_V, UNPACK and REVERSE_V2: indices counted from the end, cut
// and masked as TensorFlow Lite does.
#pragma once

#include "thimble/import/expansion.h"
#include "thimble/import/tflite/op.h"

namespace thimble {

[[nodiscard]] Attributes slice(const TfliteOp& op);
[[nodiscard]] Slice strided_slice_without_new_axes(const TfliteOp& op);
/// The shapes that they make.
[[nodiscard]] Shape slice_extents(const TfliteOp& op);
[[nodiscard]] Shape strided_slice_extents(const TfliteOp& op);
void strided_slice(const TfliteOp& op, Expansion& steps);
/// Makes the output of a slice, of shape `extents`: further axes of it are a reshape, and so is a
/// scalar.
void finish_slice(Slice slice, Shape extents, const TfliteOp& op, Expansion& steps);
/// One of the slices that SPLIT (axis, x) and SPLIT_V (x, sizes, axis) are.
[[nodiscard]] Attributes split(const TfliteOp& op);
[[nodiscard]] Attributes split_v(const TfliteOp& op);
/// One of the slices that UNPACK is; REVERSE_V2 runs backwards.
[[nodiscard]] Attributes unpack(const TfliteOp& op);
[[nodiscard]] Attributes reverse(const TfliteOp& op);

}  // namespace thimble
