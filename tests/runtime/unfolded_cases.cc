// SPDX-License-Identifier: Apache-2.0
// Random convolutions that fold nothing into their bias: of int16, of weights with a zero point,
// and transposed ones.
#include <algorithm>
#include <memory>

#include "tests/runtime/cases.h"
#include "thimble/target/kernels/convolution/conv_2d_words.h"

namespace thimble::testing {
namespace {

using namespace runtime;
using runtime::Region;

/// A convolution with a bias of 64 bits.
struct UnfoldedConvolution {
  Convolution c;
  std::vector<int32_t> bias;
  int32_t rounds_once = 0;
  int32_t weights_zero_point = 0;
  std::vector<int32_t> words = {};  ///< all of it as a kernel in words takes it

  [[nodiscard]] UnfoldedConv2DParams params() const {
    return {c.weights.data(),   bias.data(),        {c.multipliers.data(), c.shifts.data()},
            c.window,           c.in[3] / c.groups, c.out[3] / c.groups,
            c.out[3],           c.input_zero_point, c.output_zero_point,
            weights_zero_point, c.clamp_min,        c.clamp_max,
            rounds_once};
  }
  [[nodiscard]] std::vector<Scale> scales() const {
    std::vector<Scale> result;
    for (size_t o = 0; o < c.shifts.size(); ++o) result.push_back({c.multipliers[o], c.shifts[o]});
    return result;
  }
  [[nodiscard]] Conv2DWordsParams in_words() const {
    Conv2DWordsParams p = words_params(params(), c.groups);
    p.words = words.data();
    return p;
  }
};

UnfoldedConvolution unfolded(Random& random, Convolution c, Element element) {
  UnfoldedConvolution u{std::move(c), {}};
  const bool far = element == Element::kInt16 && random.between(0, 3) == 0;
  for (const int32_t bias : u.c.bias) {
    const int32_t upper = far ? random.between(-40, 40) : bias < 0 ? -1 : 0;
    u.bias.insert(u.bias.end(), {bias, upper});
  }
  if (element == Element::kInt16) {
    u.rounds_once = random.between(0, 1);
    u.c.input_zero_point = u.c.output_zero_point = 0;
    u.c.clamp_min = -30000;
    u.c.clamp_max = 30000;
  }
  for (int8_t& shift : u.c.shifts)
    shift = static_cast<int8_t>(far ? random.between(-30, 0) : random.between(-11, -5));
  return u;
}

/// Packed for the kernel, if it takes it.
std::shared_ptr<const UnfoldedConvolution> packed_for(KernelId kernel, UnfoldedConvolution u) {
  const std::vector<Scale> scales = u.scales();
  KernelUse use{.kernel = portable_kernel(info(kernel).family, info(kernel).in, info(kernel).out),
                .params = u.params(),
                .words = takes_words(scales, u.rounds_once != 0)};
  for (const int32_t extent : u.c.out) use.limits.push_back({0, extent});
  if (!does(kernel, use)) return nullptr;
  if (info(kernel).adapt != nullptr) {
    std::vector<int64_t> bias;
    for (size_t o = 0; o < u.bias.size(); o += 2)
      bias.push_back(int64_t{u.bias[o + 1]} * (int64_t{1} << 32) +
                     static_cast<uint32_t>(u.bias[o]));
    u.words = words_of(
        {.weights = u.c.weights, .bias = bias, .scales = scales, .rounds_once = u.rounds_once != 0},
        *info(kernel).form);
  }
  return std::make_shared<const UnfoldedConvolution>(std::move(u));
}

void set_calls(const std::shared_ptr<const UnfoldedConvolution>& u, KernelId kernel, Case& result) {
  const KernelInfo& row = info(kernel);
  const KernelId portable = portable_kernel(row.family, row.in, row.out);
  result.whole = [=](const Call& call) { run(portable, u->params(), call); };
  result.run = result.whole;
  if (row.adapt != nullptr)
    result.run = [=](const Call& call) { run(kernel, u->in_words(), call); };
}

// More inputs than sums of 32 bits take, or more taps apart than are held at a time.
Convolution large_window(Random& random) {
  Convolution c = random_convolution(random, 1);
  const int32_t k = random.between(1, 5);
  c.in = {1, k * 2, k * 2, random.between(1, 2000 / (k * k))};
  c.window = {k,     k,     1,       1,      random.between(1, 2), random.between(1, 2),
              k - 1, k - 1, c.in[1], c.in[2]};
  c.out[0] = 1;
  c.out[1] = c.out[2] = 2;
  c.weights = random.bytes(int64_t{c.out[3]} * k * k * c.in[3]);
  return c;
}

Convolution drawn_for(KernelId kernel, Random& random) {
  if (info(kernel).form == WeightForm::kDepthwise) return random_depthwise(random, 1);
  if (random.between(0, 7) == 0) return large_window(random);
  return random_convolution(random, info(kernel).adapt != nullptr ? 1 : random.between(1, 3));
}

Case unfolded_conv_2d_case(Random& random, KernelId kernel) {
  const Element element = element_of(info(kernel).in);
  std::shared_ptr<const UnfoldedConvolution> u;
  while (u == nullptr) {
    Convolution c = drawn_for(kernel, random);
    if (info(kernel).form == WeightForm::kDepthwise) c.groups = c.in[3];
    UnfoldedConvolution drawn = unfolded(random, std::move(c), element);
    if (element == Element::kInt8) drawn.weights_zero_point = random.between(-128, 127);
    u = packed_for(kernel, std::move(drawn));
  }
  Case result{.in = {{u->c.in, element}},
              .out = {u->c.out, element},
              .needed = [u](const Region& out, Chunk) -> std::vector<Region> {
                const Convolution& c = u->c;
                Region needed = window_region(c.window, out);
                const int32_t ins = c.in[3] / c.groups, outs = c.out[3] / c.groups;
                needed.begin[3] = out.begin[3] / outs * ins;
                needed.end[3] = ((out.end[3] - 1) / outs + 1) * ins;
                return {needed};
              }};
  set_calls(u, kernel, result);
  return result;
}

// Rows of the input that those of a piece meet; at least one.
void reach_back(Region& needed, int axis, int32_t kernel, int32_t stride, int32_t pad,
                int32_t extent) {
  const int32_t begin = (needed.begin[axis] + pad - kernel + stride) / stride;
  const int32_t end = (needed.end[axis] - 1 + pad) / stride + 1;
  needed.begin[axis] = std::clamp(begin, 0, extent - 1);
  needed.end[axis] = std::clamp(end, needed.begin[axis] + 1, extent);
}

Convolution random_transposed(Random& random) {
  Convolution c = random_convolution(random, 1);
  c.window.dilation_h = c.window.dilation_w = 1;
  for (const int axis : {1, 2}) {
    const auto k = static_cast<size_t>(axis);
    const int32_t stride = axis == 1 ? c.window.stride_h : c.window.stride_w;
    c.out[k] = std::max(1, c.in[k] * stride + random.between(-2, 3));
  }
  return c;
}

Case transpose_conv_case(Random& random, KernelId kernel) {
  const Element element = element_of(info(kernel).in);
  std::shared_ptr<const UnfoldedConvolution> u;
  while (u == nullptr) u = packed_for(kernel, unfolded(random, random_transposed(random), element));
  Case result{.in = {{u->c.in, element}},
              .out = {u->c.out, element},
              .needed = [u](const Region& out, Chunk) -> std::vector<Region> {
                const Window2D& w = u->c.window;
                Region needed = out;
                reach_back(needed, 1, w.kernel_h, w.stride_h, w.pad_top, w.in_h);
                reach_back(needed, 2, w.kernel_w, w.stride_w, w.pad_left, w.in_w);
                needed.begin[3] = 0;
                needed.end[3] = u->c.in[3];
                return {needed};
              }};
  set_calls(u, kernel, result);
  return result;
}

}  // namespace

Case unfolded_case(KernelId kernel, Random& random) {
  return info(kernel).family == Family::kTransposeConv ? transpose_conv_case(random, kernel)
                                                       : unfolded_conv_2d_case(random, kernel);
}

}  // namespace thimble::testing
