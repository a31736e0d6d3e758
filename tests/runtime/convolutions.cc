// SPDX-License-Identifier: Apache-2.0
// Random convolutions, with what packed kernels take of them.
#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>
#include <vector>

#include "tests/runtime/cases.h"
#include "thimble/target/kernels/convolution/conv_2d_fours.h"
#include "thimble/target/kernels/convolution/conv_2d_pairs.h"
#include "thimble/target/kernels/convolution/weights.h"

namespace thimble::testing {
namespace {

using namespace runtime;
using runtime::Region;

int32_t out_extent(Random& random, int32_t in, int32_t kernel, int32_t stride, int32_t dilation,
                   int32_t pad) {
  const int32_t span = (kernel - 1) * dilation + 1;
  const int32_t pad_end = random.between(0, kernel - 1);
  return std::max(0, in + pad + pad_end - span) / stride + 1;
}

// Windows that reach into the input somewhere at least.
Window2D random_window(Random& random, const Extents& in, Extents& out) {
  Window2D w{};
  // Now and then more rows than a kernel keeps.
  w.kernel_h = random.between(0, 5) == 0 ? random.between(9, 14) : random.between(1, 4);
  w.kernel_w = random.between(1, 4);
  w.stride_h = random.between(1, 3);
  w.stride_w = random.between(1, 3);
  w.dilation_h = random.between(1, 2);
  w.dilation_w = random.between(1, 2);
  w.pad_top = random.between(0, w.kernel_h - 1);
  w.pad_left = random.between(0, w.kernel_w - 1);
  w.in_h = in[1];
  w.in_w = in[2];
  out[1] = out_extent(random, in[1], w.kernel_h, w.stride_h, w.dilation_h, w.pad_top);
  out[2] = out_extent(random, in[2], w.kernel_w, w.stride_w, w.dilation_w, w.pad_left);
  return w;
}

// What all tails of kernels in 16 bits are for, and what none is.
void fill_output(Random& random, Convolution& c) {
  switch (random.between(0, 5)) {
    case 0:  // relu
      c.output_zero_point = random.between(0, 1) == 0 ? -128 : random.between(-128, 126);
      c.clamp_min = c.output_zero_point;
      c.clamp_max = random.between(0, 1) == 0 ? 127 : random.between(std::max(0, c.clamp_min), 126);
      break;
    case 1:
      c.output_zero_point = random.between(-128, 127);
      c.clamp_min = -128;
      c.clamp_max = 127;
      break;
    case 2:
      c.clamp_min = random.between(0, 50);
      break;
    case 3:  // rare shifts
      for (int8_t& shift : c.shifts) shift = static_cast<int8_t>(random.between(-31, 3));
      break;
    case 4:
      use_float_scales(c);
      break;
    default:
      break;
  }
}

void pack_nibbles(const FoldedWeights& folded, Convolution& c) {
  c.nibble_pairs = pairs_hold(folded, WeightForm::kNibbles);
  c.pairs[WeightForm::kNibbles] = pairs_of(folded, WeightForm::kNibbles);
  c.nibble_fours = nibble_fours_hold(folded);
  if (c.nibble_fours) c.fours[WeightForm::kNibbles] = fours_of(folded, WeightForm::kNibbles).words;
  const size_t inputs = c.weights.size() / c.bias.size();
  for (size_t o = 0; o < c.bias.size(); ++o) {
    for (size_t k = 0; k < inputs; k += 2) {
      const int8_t* const weights = c.weights.data() + o * inputs + k;
      const int32_t second = k + 1 < inputs ? weights[1] : 0;
      c.nibble_rows.push_back(static_cast<int8_t>(nibble_pair(weights[0], second)));
    }
  }
}

void pack(Convolution& c) {
  std::vector<Scale> scales;
  for (size_t o = 0; o < c.shifts.size(); ++o) scales.push_back({c.multipliers[o], c.shifts[o]});
  const FoldedWeights folded{.weights = c.weights,
                             .bias = c.bias,
                             .scales = scales,
                             .output_zero_point = c.output_zero_point,
                             .clamp = {c.clamp_min, c.clamp_max},
                             .kernel_h = c.window.kernel_h,
                             .kernel_w = c.window.kernel_w};
  for (const WeightForm form : {WeightForm::kWide, WeightForm::kCompact})
    c.pairs[form] = pairs_of(folded, form);
  c.small_sums = pairs_hold(folded, WeightForm::kCompact);
  c.nibbles = fit_nibbles(c.weights);
  if (c.nibbles) pack_nibbles(folded, c);
  Fours fours = fours_of(folded, WeightForm::kRows);
  c.fours[WeightForm::kRows] = std::move(fours.words);
  c.rounding = fours.rounding;
}

}  // namespace

void use_float_scales(Convolution& c) {
  for (size_t o = 0; o < c.shifts.size(); ++o) {
    const float scale = std::ldexp(static_cast<float>(c.multipliers[o]), c.shifts[o] - 31);
    c.multipliers[o] = std::bit_cast<int32_t>(scale);
    c.shifts[o] = kFloatShift;
  }
}

void fill_convolution(Random& random, Convolution& c, int64_t weights) {
  const auto channels = static_cast<size_t>(c.out[3]);
  c.weights = random.bytes(weights);
  c.input_zero_point = random.between(-128, 127);
  for (size_t o = 0; o < channels; ++o) {
    c.bias.push_back(random.between(-20000, 20000));
    c.multipliers.push_back(random.between(1 << 30, 0x7FFFFFFF));
    c.shifts.push_back(static_cast<int8_t>(random.between(-11, -5)));
  }
  if (random.between(0, 3) == 0) {  // one scale a layer
    std::ranges::fill(c.multipliers, c.multipliers.front());
    std::ranges::fill(c.shifts, c.shifts.front());
  }
  fill_output(random, c);
}

Region window_region(const Window2D& w, const Region& out) {
  Region needed = out;
  auto reach = [&](int axis, int32_t stride, int32_t pad, int32_t span, int32_t extent) {
    const int32_t begin = out.begin[axis] * stride - pad;
    const int32_t end = (out.end[axis] - 1) * stride - pad + span;
    needed.begin[axis] = std::clamp(begin, 0, extent - 1);
    needed.end[axis] = std::clamp(end, needed.begin[axis] + 1, extent);
  };
  reach(1, w.stride_h, w.pad_top, (w.kernel_h - 1) * w.dilation_h + 1, w.in_h);
  reach(2, w.stride_w, w.pad_left, (w.kernel_w - 1) * w.dilation_w + 1, w.in_w);
  return needed;
}

Conv2DParams Convolution::conv_2d() const {
  return {weights.data(),   bias.data(),       {multipliers.data(), shifts.data()},
          window,           in[3] / groups,    out[3] / groups,
          input_zero_point, output_zero_point, clamp_min,
          clamp_max};
}

Conv2DParams Convolution::conv_2d_nibbles() const {
  Conv2DParams p = conv_2d();
  p.weights = nibble_rows.data();
  return p;
}

Conv2DPairsParams Convolution::conv_2d_pairs(WeightForm form) const {
  const Pairs& packed = pairs.at(form);
  return {packed.words.data(),
          window,
          in[3],
          out[3],
          input_zero_point,
          output_zero_point,
          clamp_min,
          clamp_max,
          static_cast<int32_t>(packed.tail)};
}

Conv2DFoursParams Convolution::conv_2d_fours(WeightForm form) const {
  return {fours.at(form).data(),
          window,
          in[3],
          out[3],
          input_zero_point,
          output_zero_point,
          clamp_min,
          clamp_max,
          static_cast<int32_t>(rounding)};
}

Conv2DNarrowParams Convolution::narrow(int32_t accumulator_zero_point) const {
  return {
      weights.data(),   bias.data(),           {multipliers.data(), shifts.data()}, window, in[3],
      input_zero_point, accumulator_zero_point};
}

DepthwiseConv2DParams Convolution::depthwise() const {
  return {weights.data(),
          bias.data(),
          {multipliers.data(), shifts.data()},
          window,
          out[3],
          multiplier,
          input_zero_point,
          output_zero_point,
          clamp_min,
          clamp_max};
}

Convolution random_convolution(Random& random, int32_t groups, int32_t bits) {
  Convolution c;
  c.groups = groups;
  c.in = {random.between(1, 2), random.between(1, 7), random.between(1, 16),
          groups * random.between(1, 6)};
  c.out = {c.in[0], 0, 0, groups * random.between(1, 9)};
  c.window = random_window(random, c.in, c.out);
  fill_convolution(random, c,
                   int64_t{c.out[3]} * c.window.kernel_h * c.window.kernel_w * c.in[3] / groups);
  // Kernels may want as many below zero as above.
  const int32_t least = bits == 8 || random.between(0, 1) == 0 ? -128 : 1 - (1 << (bits - 1));
  for (int8_t& weight : c.weights)
    weight = static_cast<int8_t>(std::max(weight >> (8 - bits), least));
  if (groups == 1 || bits <= 4) pack(c);
  return c;
}

Convolution random_depthwise(Random& random, int32_t multiplier) {
  Convolution c;
  c.multiplier = multiplier;
  c.in = {random.between(1, 2), random.between(1, 7), random.between(1, 16), random.between(1, 9)};
  c.out = {c.in[0], 0, 0, c.in[3] * multiplier};
  c.window = random_window(random, c.in, c.out);
  fill_convolution(random, c, int64_t{c.out[3]} * c.window.kernel_h * c.window.kernel_w);
  return c;
}

Convolution random_same_depthwise(Random& random) {
  Convolution c;
  c.in = c.out = {random.between(1, 2), random.between(1, 14), random.between(1, 14),
                  random.between(1, 11)};
  const int32_t kernel = random.between(0, 2) * 2 + 1;
  const int32_t dilation = random.between(1, 2);
  const int32_t pad = kernel / 2 * dilation;
  c.window = {kernel, kernel, 1, 1, dilation, dilation, pad, pad, c.in[1], c.in[2]};
  fill_convolution(random, c, int64_t{c.out[3]} * kernel * kernel);
  return c;
}

Convolution convolution_of(Random& random, const ConvolutionShape& shape) {
  Convolution c;
  const int32_t k = shape.kernel, s = shape.stride;
  const auto outputs = [&](int32_t in) {
    return std::max(0, in + shape.pad + shape.pad_end - k) / s + 1;
  };
  c.in = shape.in;
  c.out = {c.in[0], outputs(c.in[1]), outputs(c.in[2]), shape.channels};
  c.window = {k, k, s, s, 1, 1, shape.pad, shape.pad, c.in[1], c.in[2]};
  fill_convolution(random, c, int64_t{shape.channels} * k * k * (shape.depthwise ? 1 : c.in[3]));
  if (!shape.depthwise) {
    pack(c);
    return c;
  }
  for (int8_t& shift : c.shifts) {
    if (!has_float_scales(c)) shift = static_cast<int8_t>(-random.between(1, 12));
  }
  return c;
}

// Kernels of DSP cores: mostly 3 x 3, which have blocks of their own.
Convolution random_packed_depthwise(Random& random) {
  Convolution c;
  c.multiplier = random.between(0, 3) == 0 ? random.between(2, 5) : 1;
  c.in = {random.between(1, 2), random.between(1, 9), random.between(1, 17),
          random.between(1, c.multiplier == 1 ? 17 : 5)};
  c.out = {c.in[0], 0, 0, c.in[3] * c.multiplier};
  const bool blocks = random.between(0, 1) == 1;
  const int32_t stride = random.between(1, 3);
  Window2D& w = c.window;
  w.kernel_h = blocks ? 3 : random.between(1, 7);
  w.kernel_w = blocks ? 3 : random.between(1, 7);
  w.stride_h = stride;
  w.stride_w = blocks ? stride : random.between(1, 3);
  w.dilation_h = w.dilation_w = 1;
  w.pad_top = random.between(0, w.kernel_h - 1);
  w.pad_left = random.between(0, w.kernel_w - 1);
  w.in_h = c.in[1];
  w.in_w = c.in[2];
  c.out[1] = out_extent(random, c.in[1], w.kernel_h, w.stride_h, 1, w.pad_top);
  c.out[2] = out_extent(random, c.in[2], w.kernel_w, w.stride_w, 1, w.pad_left);
  fill_convolution(random, c, int64_t{c.out[3]} * w.kernel_h * w.kernel_w);
  return c;
}

}  // namespace thimble::testing
