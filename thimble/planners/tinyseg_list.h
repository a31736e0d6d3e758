// SPDX-License-Identifier: Apache-2.0
// A network as the interpreter's memory planner sees it, which is what TinySeg counts (sections 2.2
// and 6.1): operators in order, the bytes of what they read and write, scratch. No kernels, no
// values; algorithms 1 to 3 of the paper (tinyseg_spills.h) transform such lists.
#pragma once

#include <cstdint>
#include <vector>

#include "thimble/model/graph.h"

namespace thimble::tinyseg {

/// What fusing and splitting ask of an operator.
enum class Kind : uint8_t { kOther, kConcat, kConv, kSplit, kSpill, kFetching, kFetchingConv };

struct ListedTensor {
  int64_t size_bytes = 0;
  int64_t channels = 1;       ///< equal parts along the last axis, all of `size_bytes`
  TensorId of;                ///< of the network; invalid: a shape that the converter computes
  int64_t first_channel = 0;  ///< of `of`, where this is a part of it
};

struct ListedOp {
  Kind kind = Kind::kOther;
  std::vector<int> reads, writes;  ///< tensors of the list; constants are left out
  int64_t scratch_bytes = 0;
  OpId of;                     ///< of the network; invalid: none of it
  bool along_channels = true;  ///< kConcat, kFetching: the axis is the last one
  int64_t fetched_bytes = 0;   ///< kFetching, kFetchingConv: what they read from storage
};

/// A tensor that no operator writes and that is no input is not there any more.
struct OperatorList {
  std::vector<ListedTensor> tensors;  ///< as TFLM's planner numbers its buffers
  std::vector<ListedOp> ops;          ///< in their order
  std::vector<int> inputs, outputs;
};

/// scratch_bits: of an element of the scratch of a transposed convolution, 32 in TFLM's kernel, 16
/// after "temporary tensor quantization" (section 5.3).
///
/// In front of a transposed convolution stand the three operators that TensorFlow's converter
/// writes for Keras: SHAPE of its input, STRIDED_SLICE of that, PACK of that and constants; each
/// gives 16 B (4 rounded up). Variables of the network count as inputs and outputs.
[[nodiscard]] OperatorList list_of(const Graph& graph, int scratch_bits);

struct ListedArena {
  int64_t bytes = 0;
  std::vector<int64_t> heights;        ///< per operator: the end of the highest buffer live then
  std::vector<std::vector<int>> live;  ///< per operator: tensors, ascending
};

/// TFLM's GreedyMemoryPlanner: buffers are tensors, then scratch, of 16-byte units; the largest
/// first, of equal ones the later; each at the lowest gap. Nothing lies over anything.
[[nodiscard]] ListedArena arena_of(const OperatorList& list);

}  // namespace thimble::tinyseg
