// SPDX-License-Identifier: Apache-2.0
// Schedules written by hand, finer than an operator: the design's first customers.
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
/// row_span(), its input received and its output delivered row by row.
[[nodiscard]] HandWritten row_stream();
/// row_span() with whole inputs and outputs of the caller's.
[[nodiscard]] HandWritten row_span_of_user();
/// A residual block in halves of rows. blocks: each half of the skip tensor and of the branch has a
/// buffer of its own, freed after its half; else they are held whole.
[[nodiscard]] HandWritten residual_in_halves(bool blocks);
/// A convolution of an image that comes as planes: a copy in place turns it to row-major order,
/// then the output lies over consumed pixels.
[[nodiscard]] HandWritten turned_input();
/// A residual with buffers in two banks, in external RAM, in the caller's memory, and a stream
/// (docs/memories.md). peak_bytes is the arena's.
[[nodiscard]] HandWritten several_memories();
constexpr MemoryId kSram2{4}, kPsram{5};  ///< of several_memories()
/// A residual whose skip tensor is in flash while the branch is made: stored beside a convolution,
/// fetched a row ahead of the sum (docs/memories.md).
/// chunk_bytes: its records are compressed; 0: they are not.
[[nodiscard]] HandWritten spilled_residual(int64_t chunk_bytes = 0);
constexpr MemoryId kStorage{4};  ///< of spilled_residual()

}  // namespace thimble::testing
