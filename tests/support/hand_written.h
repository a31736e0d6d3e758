// SPDX-License-Identifier: Apache-2.0
// Two schedules written by hand, finer than an operator: the design's first customers.
#pragma once

#include "thimble/schedule/schedule.h"

namespace thimble::testing {

struct HandWritten {
  Graph graph;
  Schedule schedule;
  int64_t peak_bytes = 0;  ///< computed by hand, see hand_written.cc
};

/// Pex's Figure 1: expand, depthwise, project one channel at a time. sums: kInt32, or kInt16 or
/// kInt8, which are lossy.
[[nodiscard]] HandWritten channel_loop(DType sums = DType::kInt32);
/// A stride-2 convolution, a depthwise and a residual, row by row, output over consumed input rows.
[[nodiscard]] HandWritten row_span();

}  // namespace thimble::testing
