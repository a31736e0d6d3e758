// SPDX-License-Identifier: Apache-2.0
// Random convolutions and fully connected layers.
#include <algorithm>
#include <memory>

#include "tests/runtime/cases.h"
#include "thimble/target/kernels/convolution/conv_2d_fours.h"
#include "thimble/target/kernels/convolution/conv_2d_pairs.h"
#include "thimble/target/kernels/depthwise/depthwise_dsp.h"

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
    default:
      break;
  }
}

void fill(Random& random, Convolution& c, int64_t weights) {
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
  Pairs pairs = pairs_of(folded, WeightForm::kWide);
  c.pairs = std::move(pairs.words);
  c.tail = pairs.tail;
  c.small_sums = takes_compact_pairs(folded);
  Pairs compact = pairs_of(folded, WeightForm::kCompact);
  c.compact_pairs = std::move(compact.words);
  c.compact_tail = compact.tail;
  Fours fours = fours_of(folded);
  c.fours = std::move(fours.words);
  c.rounding = fours.rounding;
}

}  // namespace

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

Conv2DPairsParams Convolution::conv_2d_pairs(bool compact) const {
  return {compact ? compact_pairs.data() : pairs.data(),
          window,
          in[3],
          out[3],
          input_zero_point,
          output_zero_point,
          clamp_min,
          clamp_max,
          static_cast<int32_t>(compact ? compact_tail : tail)};
}

Conv2DFoursParams Convolution::conv_2d_fours() const {
  return {fours.data(), window,           in[3],
          out[3],       input_zero_point, output_zero_point,
          clamp_min,    clamp_max,        static_cast<int32_t>(rounding)};
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

Convolution random_convolution(Random& random, int32_t groups) {
  Convolution c;
  c.groups = groups;
  c.in = {random.between(1, 2), random.between(1, 7), random.between(1, 16),
          groups * random.between(1, 6)};
  c.out = {c.in[0], 0, 0, groups * random.between(1, 9)};
  c.window = random_window(random, c.in, c.out);
  fill(random, c, int64_t{c.out[3]} * c.window.kernel_h * c.window.kernel_w * c.in[3] / groups);
  if (groups == 1) pack(c);
  return c;
}

Convolution random_depthwise(Random& random, int32_t multiplier) {
  Convolution c;
  c.multiplier = multiplier;
  c.in = {random.between(1, 2), random.between(1, 7), random.between(1, 16), random.between(1, 9)};
  c.out = {c.in[0], 0, 0, c.in[3] * multiplier};
  c.window = random_window(random, c.in, c.out);
  fill(random, c, int64_t{c.out[3]} * c.window.kernel_h * c.window.kernel_w);
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
  fill(random, c, int64_t{c.out[3]} * kernel * kernel);
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
  fill(random, c, int64_t{shape.channels} * k * k * (shape.depthwise ? 1 : c.in[3]));
  if (!shape.depthwise) {
    pack(c);
    return c;
  }
  for (int8_t& shift : c.shifts) shift = static_cast<int8_t>(-random.between(1, 12));
  return c;
}

namespace {

using SharedConvolution = std::shared_ptr<const Convolution>;

SharedConvolution shared(Convolution c) {
  return std::make_shared<const Convolution>(std::move(c));
}

KernelParams params_for(KernelId kernel, const Convolution& c) {
  if (info(kernel).adapt == nullptr) return c.conv_2d();
  if (info(kernel).set == InstructionSet::kMve) return c.conv_2d_fours();
  return c.conv_2d_pairs(info(kernel).form == WeightForm::kCompact);
}

Case convolution_case(const SharedConvolution& c, KernelId kernel) {
  return {.in = {{c->in}},
          .out = {c->out},
          .run = [=](const Call& call) { run(kernel, params_for(kernel, *c), call); },
          .needed = [c](const Region& out, Chunk) -> std::vector<Region> {
            Region needed = window_region(c->window, out);
            const int32_t ins = c->in[3] / c->groups;
            const int32_t outs = c->out[3] / c->groups;
            needed.begin[3] = out.begin[3] / outs * ins;
            needed.end[3] = ((out.end[3] - 1) / outs + 1) * ins;
            return {needed};
          }};
}

Case depthwise_case(const SharedConvolution& c) {
  return {
      .in = {{c->in}},
      .out = {c->out},
      .run = [c](const Call& a) { depthwise_conv_2d(c->depthwise(), a.in[0], a.out, a.region); },
      .needed = [c](const Region& out, Chunk) -> std::vector<Region> {
        Region needed = window_region(c->window, out);
        needed.begin[3] = out.begin[3] / c->multiplier;
        needed.end[3] = (out.end[3] - 1) / c->multiplier + 1;
        return {needed};
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

Case conv_2d_finalise_case(Random& random) {
  const auto c = shared(random_convolution(random, 1));
  return {.in = {{c->out, Element::kInt32}},
          .out = {c->out},
          .run = [c](const Call& a) { conv_2d_finalise(c->conv_2d(), a.in[0], a.out, a.region); },
          .needed = [](const Region& out, Chunk) { return std::vector<Region>{out}; }};
}

Case fully_connected_case(Random& random) {
  const auto c = shared([&] {
    Convolution dense;
    dense.in = random_extents(random);
    dense.out = {dense.in[0], dense.in[1], dense.in[2], random.between(1, 7)};
    fill(random, dense, 0);
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
    const auto c = shared(random_convolution(random, 1));
    KernelUse use{.kernel = portable_kernel(Family::kConv2D), .params = c->conv_2d()};
    for (const int32_t extent : c->out) use.limits.push_back({0, extent});
    use.small_sums = c->small_sums;
    if (!does(kernel, use)) continue;
    Case result = convolution_case(c, kernel);
    result.whole = convolution_case(c, use.kernel).run;
    result.scratch_bytes = scratch_bytes(kernel, use);
    return result;
  }
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
  fill(random, c, int64_t{c.out[3]} * w.kernel_h * w.kernel_w);
  return c;
}

/// What a kernel of a DSP core is called with, and the portable one for the same.
struct PackedDepthwise {
  Convolution c;
  DepthwiseConv2DParams portable{};
  DepthwiseConv2DPackedParams packed{};
  std::vector<int32_t> constants;
};

// Whether the kernel takes it; `d` is complete then.
bool pack_for(KernelId kernel, Random& random, PackedDepthwise& d) {
  Convolution& c = d.c;
  const DepthwiseTail tail = info(kernel).tail.value();
  const bool relu = tail == DepthwiseTail::kRelu;
  for (int8_t& shift : c.shifts)
    shift = static_cast<int8_t>(-(relu ? random.between(4, 10) : random.between(1, 20)));
  d.portable = c.depthwise();
  if (tail != DepthwiseTail::kClamped) {
    d.portable.output_zero_point = d.portable.clamp_min = -128;
    d.portable.clamp_max = 127;
  }
  std::vector<Scale> scales;
  for (size_t o = 0; o < c.shifts.size(); ++o) scales.push_back({c.multipliers[o], c.shifts[o]});
  const int64_t taps = int64_t{c.window.kernel_h} * c.window.kernel_w;
  const std::vector<int64_t> largest(scales.size(), 20000 + taps * 128 * 255);
  KernelUse use{.kernel = portable_kernel(info(kernel).family), .params = d.portable};
  for (const int32_t extent : c.out) use.limits.push_back({0, extent});
  use.tail = depthwise_tail({.scales = scales,
                             .largest = largest,
                             .output_zero_point = d.portable.output_zero_point,
                             .clamp = {d.portable.clamp_min, d.portable.clamp_max}});
  if (!does(kernel, use)) return false;
  d.packed = depthwise_packed(d.portable);
  d.packed.scratch_bytes = static_cast<int32_t>(scratch_bytes(kernel, use));
  if (random.between(0, 1) == 1) {  // some channels at a time, or strips of a row
    const auto room =
        scratch_within(kernel, use, {1, c.out[2], c.out[3]}, random.between(64, 2000));
    d.packed.scratch_bytes = static_cast<int32_t>(room.value_or(least_scratch_bytes(kernel, use)));
  }
  // Here the bias is folded already.
  const DepthwiseWeights from{.weights = c.weights, .bias = c.bias, .scales = scales};
  d.constants = info(kernel).form == WeightForm::kCompact
                    ? depthwise_compact_words(from, d.portable, tail)
                    : depthwise_words(from, d.portable, tail);
  d.packed.constants = d.constants.data();
  return true;
}

// The portable kernel's parameters, of scales to the right.
Case plane_depthwise_case(Random& random, KernelId kernel) {
  for (;;) {
    Convolution drawn = random_packed_depthwise(random);
    for (int8_t& shift : drawn.shifts) shift = static_cast<int8_t>(-random.between(1, 20));
    const auto c = shared(std::move(drawn));
    KernelUse use{.kernel = portable_kernel(Family::kDepthwiseConv2D), .params = c->depthwise()};
    for (const int32_t extent : c->out) use.limits.push_back({0, extent});
    use.tail = DepthwiseTail::kClamped;
    if (!does(kernel, use)) continue;
    Case result = depthwise_case(c);
    result.whole = result.run;
    result.run = [=](const Call& call) { run(kernel, c->depthwise(), call); };
    result.scratch_bytes = scratch_bytes(kernel, use);
    return result;
  }
}

Case packed_depthwise_case(Random& random, KernelId kernel) {
  const auto d = std::make_shared<PackedDepthwise>();
  do {
    d->c = random_packed_depthwise(random);
  } while (!pack_for(kernel, random, *d));
  Case result = depthwise_case(SharedConvolution(d, &d->c));
  result.whole = [d](const Call& a) { depthwise_conv_2d(d->portable, a.in[0], a.out, a.region); };
  result.run = [=](const Call& call) { run(kernel, d->packed, call); };
  result.scratch_bytes = d->packed.scratch_bytes;
  return result;
}

// Whole images; the output at the addresses of the input.
Case depthwise_in_place_case(Random& random, KernelId kernel) {
  const auto d = std::make_shared<PackedDepthwise>();
  d->c = random_same_depthwise(random);
  const auto needed = [](const Region& out, Chunk) { return std::vector<Region>{out}; };
  Case result{.in = {{d->c.in}}, .out = {d->c.out}, .needed = needed, .in_place = true};
  if (info(kernel).set == InstructionSet::kPortable) {
    result.run = [d](const Call& a) {
      depthwise_conv_2d_in_place(d->c.depthwise(), a.in[0], a.out, a.region, a.scratch);
    };
    return result;
  }
  while (!pack_for(kernel, random, *d)) d->c = random_same_depthwise(random);
  result.in = {{d->c.in}};
  result.out = {d->c.out};
  result.whole = [d](const Call& a) { depthwise_conv_2d(d->portable, a.in[0], a.out, a.region); };
  result.run = [=](const Call& call) { run(kernel, d->packed, call); };
  result.scratch_bytes = d->packed.scratch_bytes;
  return result;
}

}  // namespace

Case grouped_conv_2d_case(Random& random) {
  const int32_t groups = random.between(2, 3);
  return convolution_case(shared(random_convolution(random, groups)),
                          portable_kernel(Family::kConv2D));
}

Case multiplied_depthwise_conv_2d_case(Random& random) {
  const int32_t multiplier = random.between(2, 9);
  return depthwise_case(shared(random_depthwise(random, multiplier)));
}

Case weighted_case(KernelId kernel, Random& random) {
  switch (info(kernel).family) {
    case Family::kConv2D:
      if (info(kernel).in == DType::kInt16) return unfolded_case(kernel, random);
      return conv_2d_case(random, kernel);
    case Family::kConv2DOffset:
      return unfolded_case(kernel, random);
    case Family::kTransposeConv:
      return unfolded_case(kernel, random);
    case Family::kConv2DAccumulate:
      return info(kernel).out == DType::kInt32 ? conv_2d_accumulate_case(random)
                                               : narrow_case(random, kernel);
    case Family::kConv2DFinalise:
      return conv_2d_finalise_case(random);
    case Family::kDepthwiseConv2D:
      if (info(kernel).set == InstructionSet::kMve) return plane_depthwise_case(random, kernel);
      return info(kernel).set == InstructionSet::kDsp
                 ? packed_depthwise_case(random, kernel)
                 : depthwise_case(shared(random_depthwise(random, 1)));
    case Family::kDepthwiseConv2DInPlace:
      return depthwise_in_place_case(random, kernel);
    case Family::kFullyConnected:
      return fully_connected_case(random);
    default:
      throw std::logic_error("weighted_case: not one of them");
  }
}

}  // namespace thimble::testing
