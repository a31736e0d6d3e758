// SPDX-License-Identifier: Apache-2.0
// Windows over depth, rows and columns: sums, or the largest, of windows over rows and columns, one
// for each layer that they reach in depth.
#pragma once

#include "thimble/import/onnx/reading.h"

namespace thimble::onnx {

constexpr size_t kVolumeAxes = 5;  ///< N, C, depth, rows, columns

void volume_conv(Reading& r);
void volume_max_pool(Reading& r);
void volume_average_pool(Reading& r);

}  // namespace thimble::onnx
