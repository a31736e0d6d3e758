// SPDX-License-Identifier: Apache-2.0
// What a call of a kernel does, counted: how often each of its loops goes round. Instructions are
// nearly linear in these numbers (docs/latency.md), whatever the sizes.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "thimble/target/kernels/kernel.h"

namespace thimble {

/// A loop, or what happens once in each iteration of one. "Quad": four output channels at a pixel
/// that share loads, "single": one channel; "four": one channel of four neighbouring pixels, "one":
/// of one pixel. Runs are stretches of memory, rows of a window or taps, as the kernel goes.
enum class Feature : uint8_t {
  kCall,           ///< 1
  kLooped,         ///< 1 if the region follows loop counters
  kRow,            ///< of output pixels
  kPixel,          ///< of the output, as the kernel walks it
  kElement,        ///< of the output
  kQuad,           ///< at all pixels
  kQuadRun,        ///< of all quads
  kQuadProduct,    ///< of all quads: four multiply-accumulates
  kQuadStrided,    ///< the same where neighbours in memory are no neighbours in the tensor
  kSingle,         ///< at all pixels
  kSingleRun,      ///< of all singles
  kSingleProduct,  ///< of all singles
  kFour,           ///< of all channels
  kFourRun,        ///< of all fours
  kFourProduct,    ///< of all fours: four multiply-accumulates
  kOne,            ///< of all channels
  kOneRun,         ///< of all ones
  kOneProduct,     ///< of all ones
  kWeight,         ///< summed, or sums begun, before the first product
  kPaddingRun,     ///< runs, or rows of windows, with padding, of all quads and singles
  kPaddingQuad,    ///< taps of padding, of all quads
  kPaddingSingle,  ///< taps of padding, of all singles
  kCopied,         ///< elements copied to scratch
  kRingPixel,      ///< pixels found in rings
  kRingRun,        ///< runs found in rings
  kBroken,         ///< taps that a ring's end makes the kernel look for one by one
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
};
[[nodiscard]] Features features(const CallShape& call);

}  // namespace thimble
