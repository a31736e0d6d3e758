// SPDX-License-Identifier: Apache-2.0
// What parameters of several kernels have in common.
#pragma once

#include <stdint.h>

namespace thimble::runtime {

/// The shift of a scale that is a float32, whose bits are the multiplier: x -> float(x) * scale,
/// rounded to float32 and then to a whole number, ties to even, as ONNX Runtime does.
constexpr int32_t kFloatShift = -128;

/// Fixed-point scales per output channel: x -> rounding(x * multiplier * 2^(shift - 31)).
/// A positive shift goes left; kFloatShift: no fixed-point scale.
struct ChannelScales {
  const int32_t* multipliers;
  const int8_t* shifts;
};

/// One fixed-point scale, as above.
struct Scale {
  int32_t multiplier;
  int32_t shift;
};

/// float32 at the edges of the network: whole numbers less the zero point, times the scale.
struct FloatParams {
  float scale;
  int32_t zero_point;
};

/// A window over (y, x). Taps outside [0, in_h) x [0, in_w) are padding.
struct Window2D {
  int32_t kernel_h, kernel_w;
  int32_t stride_h, stride_w;
  int32_t dilation_h, dilation_w;
  int32_t pad_top, pad_left;
  int32_t in_h, in_w;
};

}  // namespace thimble::runtime
