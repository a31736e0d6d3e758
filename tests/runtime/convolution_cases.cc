// SPDX-License-Identifier: Apache-2.0
// Random calls of convolutions and fully connected layers: of int8; of those that fold nothing into
// their bias (int16, weights with a zero point, transposed); of float32.
#include <algorithm>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "tests/runtime/cases.h"
#include "thimble/target/kernels/convolution/conv_2d_words.h"

namespace thimble::testing {
namespace {

using namespace runtime;
using runtime::Region;

/// What the groups of an output's channels read, of `ins` and `outs` channels each.
Region grouped_region(const Window2D& window, const Region& out, int32_t ins, int32_t outs) {
  Region needed = window_region(window, out);
  needed.begin[3] = out.begin[3] / outs * ins;
  needed.end[3] = ((out.end[3] - 1) / outs + 1) * ins;
  return needed;
}

KernelParams params_for(KernelId kernel, const Convolution& c) {
  const KernelInfo& k = info(kernel);
  const bool nibbles = k.form == WeightForm::kNibbles;
  if (k.adapt == nullptr) return nibbles ? c.conv_2d_nibbles() : c.conv_2d();
  if (k.set == InstructionSet::kMve)
    return c.conv_2d_fours(nibbles ? WeightForm::kNibbles : WeightForm::kRows);
  return c.conv_2d_pairs(k.form.value());
}

Case convolution_case(const SharedConvolution& c, KernelId kernel) {
  return {.in = {{c->in}},
          .out = {c->out},
          .run = [=](const Call& call) { run(kernel, params_for(kernel, *c), call); },
          .needed = [c](const Region& out, Chunk) -> std::vector<Region> {
            return {grouped_region(c->window, out, c->in[3] / c->groups, c->out[3] / c->groups)};
          }};
}

Case accumulate_case(const SharedConvolution& c, Element element,
                     std::function<void(const Call&)> run) {
  return {.in = {{c->in}},
          .out = {c->out, element},
          .run = std::move(run),
          .needed = [c](const Region& out, Chunk chunk) -> std::vector<Region> {
            Region needed = window_region(c->window, out);
            needed.begin[3] = chunk.begin;
            needed.end[3] = chunk.end;
            return {needed};
          },
          .reduced = c->in[3]};
}

Case narrow_case(Random& random, KernelId kernel) {
  const auto c = shared(random_convolution(random, 1));
  return accumulate_case(c, element_of(info(kernel).out),
                         [c, kernel, zero_point = random.between(-100, 100)](const Call& call) {
                           run(kernel, c->narrow(zero_point), call);
                         });
}

Case conv_2d_accumulate_case(Random& random) {
  const auto c = shared(random_convolution(random, 1));
  return accumulate_case(c, Element::kInt32, [c](const Call& a) {
    conv_2d_accumulate(c->conv_2d(), a.in[0], a.out, a.region, a.chunk.begin, a.chunk.end);
  });
}

Case conv_2d_finalise_case(Random& random, KernelId) {
  const auto c = shared(random_convolution(random, 1));
  return {.in = {{c->out, Element::kInt32}},
          .out = {c->out},
          .run = [c](const Call& a) { conv_2d_finalise(c->conv_2d(), a.in[0], a.out, a.region); },
          .needed = [](const Region& out, Chunk) { return std::vector<Region>{out}; }};
}

Case fully_connected_case(Random& random, KernelId) {
  const auto c = shared([&] {
    Convolution dense;
    dense.in = random_extents(random);
    dense.out = {dense.in[0], dense.in[1], dense.in[2], random.between(1, 7)};
    fill_convolution(random, dense, 0);
    return dense;
  }());
  const int32_t weights_zero_point = random.between(-128, 127);
  return {.in = {{c->in}, {{1, 1, c->out[3], c->in[3]}}},
          .out = {c->out},
          .run =
              [=](const Call& a) {
                const FullyConnectedParams p{c->bias.data(),
                                             {c->multipliers.data(), c->shifts.data()},
                                             c->in[3],
                                             c->input_zero_point,
                                             weights_zero_point,
                                             3,
                                             -100,
                                             110};
                fully_connected(p, a.in[0], a.in[1], a.out, a.region);
              },
          .needed = [channels = c->in[3]](const Region& out, Chunk) -> std::vector<Region> {
            Region x = out;
            x.begin[3] = 0;
            x.end[3] = channels;
            return {x, {{0, 0, out.begin[3], 0}, {1, 1, out.end[3], channels}}};
          }};
}

/// A call that the kernel takes; what it computes is what the portable one does.
Case conv_2d_case(Random& random, KernelId kernel) {
  for (;;) {
    const bool nibbles = info(kernel).form == WeightForm::kNibbles;
    const auto c = shared(random_convolution(random, 1, nibbles ? 4 : 8));
    KernelUse use{.kernel = portable_kernel(Family::kConv2D), .params = c->conv_2d()};
    for (const int32_t extent : c->out) use.limits.push_back({0, extent});
    use.small_sums = c->small_sums;
    use.nibbles = c->nibbles;
    use.nibble_pairs = c->nibble_pairs;
    use.nibble_fours = c->nibble_fours;
    if (!does(kernel, use)) continue;
    Case result = convolution_case(c, kernel);
    result.whole = convolution_case(c, use.kernel).run;
    result.scratch_bytes = scratch_bytes(kernel, use);
    return result;
  }
}

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
  if (element == Element::kInt8 && has_float_scales(u.c)) return u;
  for (int32_t& multiplier : u.c.multipliers) multiplier |= 1 << 30;
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
                return {grouped_region(c.window, out, c.in[3] / c.groups, c.out[3] / c.groups)};
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

struct FloatConstants {
  std::vector<float> weights, bias;
};

/// Groups, multipliers, strides, dilation and padding as of convolutions of int8.
Case float_conv_case(Random& random, KernelId kernel) {
  const Convolution c = random_convolution(random, random.between(1, 3));
  const auto constants = std::make_shared<FloatConstants>();
  constants->weights = random_floats(random, static_cast<int64_t>(c.weights.size()));
  constants->bias = random_floats(random, c.out[3]);
  const FloatClampParams clamp = random_float_clamp(random);
  const int32_t ins = c.in[3] / c.groups, outs = c.out[3] / c.groups;
  const Window2D window = c.window;
  return {.in = {{c.in, kFloat}},
          .out = {c.out, kFloat},
          .run =
              [=](const Call& call) {
                const FloatConv2DParams p{
                    constants->weights.data(), constants->bias.data(), window, ins, outs,
                    clamp.clamp_min,           clamp.clamp_max};
                run(kernel, p, call);
              },
          .needed = [=](const Region& out, Chunk) -> std::vector<Region> {
            return {grouped_region(window, out, ins, outs)};
          }};
}

/// Weights as of convolutions of int8; scales of each output channel, or one.
Case hybrid_conv_case(Random& random, KernelId kernel) {
  const Convolution c = random_convolution(random, random.between(1, 3));
  const auto weights = std::make_shared<const std::vector<int8_t>>(c.weights);
  const auto constants = std::make_shared<FloatConstants>();  // weights: scales
  const int32_t scale_step = random.between(0, 1);
  constants->weights = random_floats(random, scale_step == 0 ? 1 : c.out[3]);
  constants->bias = random_floats(random, c.out[3]);
  const FloatClampParams clamp = random_float_clamp(random);
  const int32_t ins = c.in[3] / c.groups, outs = c.out[3] / c.groups;
  const int32_t zero_point = random.between(-128, 127);
  const Window2D window = c.window;
  return {.in = {{c.in, kFloat}},
          .out = {c.out, kFloat},
          .run =
              [=](const Call& call) {
                const HybridConv2DParams p{.weights = weights->data(),
                                           .bias = constants->bias.data(),
                                           .scales = constants->weights.data(),
                                           .window = window,
                                           .in_per_group = ins,
                                           .out_per_group = outs,
                                           .scale_step = scale_step,
                                           .zero_point = zero_point,
                                           .clamp_min = clamp.clamp_min,
                                           .clamp_max = clamp.clamp_max};
                run(kernel, p, call);
              },
          .needed = [=](const Region& out, Chunk) -> std::vector<Region> {
            return {grouped_region(window, out, ins, outs)};
          }};
}

Case float_transpose_conv_case(Random& random, KernelId kernel) {
  const Extents in = random_extents(random);
  const Window2D w = random_padded_window(random, in);
  const Extents out{in[0], in[1] * w.stride_h + random.between(0, 2),
                    in[2] * w.stride_w + random.between(0, 2), random.between(1, 7)};
  const auto constants = std::make_shared<FloatConstants>();
  constants->weights = random_floats(random, int64_t{out[3]} * w.kernel_h * w.kernel_w * in[3]);
  constants->bias = random_floats(random, out[3]);
  const FloatClampParams clamp = random_float_clamp(random);
  return {.in = {{in, kFloat}},
          .out = {out, kFloat},
          .run =
              [=](const Call& call) {
                const FloatConv2DParams p{
                    constants->weights.data(), constants->bias.data(), w, in[3], out[3],
                    clamp.clamp_min,           clamp.clamp_max};
                run(kernel, p, call);
              },
          .needed = [=](const Region& r, Chunk) -> std::vector<Region> {
            Region needed = r;
            reach_back(needed, 1, w.kernel_h, w.stride_h, w.pad_top, in[1]);
            reach_back(needed, 2, w.kernel_w, w.stride_w, w.pad_left, in[2]);
            needed.begin[3] = 0;
            needed.end[3] = in[3];
            return {needed};
          }};
}

}  // namespace

Case grouped_conv_2d_case(Random& random) {
  const int32_t groups = random.between(2, 3);
  return convolution_case(shared(random_convolution(random, groups)),
                          portable_kernel(Family::kConv2D));
}

Case grouped_conv_2d_nibbles_case(Random& random) {
  const auto c = shared(random_convolution(random, random.between(2, 3), 4));
  Case result = convolution_case(c, kernel_named("conv_2d_nibbles"));
  result.whole = convolution_case(c, portable_kernel(Family::kConv2D)).run;
  return result;
}

std::vector<FamilyCases> convolution_cases() {
  return {
      {Family::kConv2D,
       [](Random& random, KernelId kernel) {
         return info(kernel).in == DType::kInt16 ? unfolded_conv_2d_case(random, kernel)
                                                 : conv_2d_case(random, kernel);
       },
       float_conv_case},
      {Family::kConv2DOffset, unfolded_conv_2d_case},
      {Family::kConv2DHybrid, nullptr, hybrid_conv_case},
      {Family::kConv2DAccumulate,
       [](Random& random, KernelId kernel) {
         return info(kernel).out == DType::kInt32 ? conv_2d_accumulate_case(random)
                                                  : narrow_case(random, kernel);
       }},
      {Family::kConv2DFinalise, conv_2d_finalise_case},
      {Family::kTransposeConv, transpose_conv_case, float_transpose_conv_case},
      {Family::kFullyConnected, fully_connected_case},
  };
}

}  // namespace thimble::testing
