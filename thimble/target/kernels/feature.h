// SPDX-License-Identifier: Apache-2.0
// What a call of a kernel does, counted: how often each of its loops goes round. Instructions are
// nearly linear in these numbers (docs/cost.md), whatever the sizes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "thimble/target/kernels/kernel.h"

namespace thimble {

/// What is counted: iterations of a loop, or what happens once in each, by the names that core
/// files have. A "quad" is four output channels at a pixel, which share loads of the input, a
/// "single" is one; a "four" is one channel at four neighbouring pixels, which share loads of the
/// weights, a "one" is one channel at one pixel. A run is a stretch of memory, a row of a window or
/// a tap, as the kernel goes. Kernels with other loops count these under the same names: what they
/// are is said by constants beside their counts (PairFeature, WordsFeature, BlockFeature, ..).
enum class Feature : uint8_t {
  kCall,           ///< the call itself
  kLooped,         ///< the call, if its region follows loop counters
  kRow,            ///< rows of output pixels
  kPixel,          ///< output pixels, as the kernel walks them
  kElement,        ///< output elements
  kQuad,           ///< quads at all pixels
  kQuadRun,        ///< runs of all quads
  kQuadProduct,    ///< products of all quads: four multiply-accumulates each
  kQuadStrided,    ///< such products where neighbours in the tensor are none in memory
  kSingle,         ///< singles at all pixels
  kSingleRun,      ///< runs of all singles
  kSingleProduct,  ///< products of all singles
  kFour,           ///< fours of all channels
  kFourRun,        ///< runs of all fours
  kFourProduct,    ///< products of all fours: four multiply-accumulates each
  kOne,            ///< ones of all channels
  kOneRun,         ///< runs of all ones
  kOneProduct,     ///< products of all ones
  kWeight,         ///< weights summed, or sums begun, before the first product
  kPaddingRun,     ///< runs, or rows of windows, with padding, of all quads and singles
  kPaddingQuad,    ///< taps of padding, of all quads
  kPaddingSingle,  ///< taps of padding, of all singles
  kCopied,         ///< elements copied to scratch
  kRingPixel,      ///< pixels found in rings
  kRingRun,        ///< runs found in rings
  kBroken,  ///< taps of quads looked for one by one, as a ring ends within a row of the window
  kBrokenSingle,  ///< such taps of singles
  kCount,
};
[[nodiscard]] const char* name(Feature feature);  ///< "quad_product"

using Features = std::array<double, static_cast<size_t>(Feature::kCount)>;

/// Counts times coefficients, summed.
[[nodiscard]] double dot(const Features& counts, const Features& coefficients);

/// One call as it is executed. Views count with their strides and rings, not with their data.
struct CallShape {
  KernelId kernel;
  KernelParams params;  ///< pointers do not matter
  std::vector<runtime::View> in;
  runtime::View out;
  runtime::Region region;
  int32_t chunk_begin = 0, chunk_end = 0;  ///< of a kernel that accumulates
  bool looped = false;                     ///< region or views follow loop counters
  int32_t advance = 0;      ///< columns of the output from a tile to the next; 0: as the region has
  bool over_input = false;  ///< what it writes lies over what it reads of operand 0
  /// What calls of its step compute at most, for kernels that can do with less scratch where that
  /// is little; nothing: all of the operator, unless the parameters say what they have.
  std::optional<CallExtents> most = {};
  std::optional<int64_t> scratch_bytes = {};  ///< that these have; nothing: all that they can use
  /// Share of what a kernel looks for at once (a convolution's row of taps, a depthwise one's
  /// window) that the end of operand 0's ring cuts, on average over the ring; nothing: as it is
  /// there.
  std::optional<double> cut;
};

}  // namespace thimble
