// SPDX-License-Identifier: Apache-2.0
// Windows as nodes have them, axis by axis behind the channels.
#pragma once

#include <cstdint>
#include <vector>

#include "thimble/import/onnx/reading.h"

namespace thimble::onnx {

/// Along one axis.
struct Span {
  int64_t kernel = 1, stride = 1, dilation = 1, before = 0, behind = 0;
  int64_t extent = 0;  ///< of the output
  bool cut = false;    ///< ceil_mode: the last window goes beyond the padding
};

/// An attribute with a number for each of `count` axes, ones where there is none. Throws
/// CompileError for numbers below `least`.
[[nodiscard]] std::vector<int64_t> per_axis(const Node& node, const char* name, size_t count,
                                            int64_t least);

/// Spans of a window of so many indices, over the axes from 2 on.
[[nodiscard]] std::vector<Span> spans_of(const Node& node, const Shape& x,
                                         const std::vector<int64_t>& kernel);

/// The Graph's windows have rows and columns: one axis is columns of a single row.
[[nodiscard]] Window window_of(const std::vector<Span>& spans);

/// The bits of the lowest float32, which no maximum takes.
[[nodiscard]] int32_t bits_of_lowest();

}  // namespace thimble::onnx
