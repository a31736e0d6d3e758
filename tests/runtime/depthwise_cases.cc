// SPDX-License-Identifier: Apache-2.0
// Random calls of depthwise convolutions.
#include <memory>
#include <utility>
#include <vector>

#include "tests/runtime/cases.h"
#include "thimble/target/kernels/depthwise/depthwise_dsp.h"

namespace thimble::testing {
namespace {

using namespace runtime;
using runtime::Region;

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
  if (has_float_scales(c) != (tail == DepthwiseTail::kToEven)) return false;
  for (int8_t& shift : c.shifts) {
    if (!has_float_scales(c))
      shift = static_cast<int8_t>(-(relu ? random.between(4, 10) : random.between(1, 20)));
  }
  d.portable = c.depthwise();
  if (tail == DepthwiseTail::kRelu || tail == DepthwiseTail::kShifted) {
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
    const auto bytes =
        scratch_within(kernel, use, {1, c.out[2], c.out[3]}, random.between(64, 2000));
    d.packed.scratch_bytes = static_cast<int32_t>(bytes.value_or(least_scratch_bytes(kernel, use)));
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
    for (int8_t& shift : drawn.shifts) {
      if (!has_float_scales(drawn)) shift = static_cast<int8_t>(-random.between(1, 20));
    }
    const auto c = shared(std::move(drawn));
    KernelUse use{.kernel = portable_kernel(Family::kDepthwiseConv2D), .params = c->depthwise()};
    for (const int32_t extent : c->out) use.limits.push_back({0, extent});
    use.tail = has_float_scales(*c) ? DepthwiseTail::kToEven : DepthwiseTail::kClamped;
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

Case depthwise_conv_2d_case(Random& random, KernelId kernel) {
  switch (info(kernel).set) {
    case InstructionSet::kMve:
      return plane_depthwise_case(random, kernel);
    case InstructionSet::kDsp:
      return packed_depthwise_case(random, kernel);
    default:
      return depthwise_case(shared(random_depthwise(random, 1)));
  }
}

}  // namespace

Case multiplied_depthwise_conv_2d_case(Random& random) {
  const int32_t multiplier = random.between(2, 9);
  return depthwise_case(shared(random_depthwise(random, multiplier)));
}

std::vector<FamilyCases> depthwise_cases() {
  return {
      {Family::kDepthwiseConv2D, depthwise_conv_2d_case},
      {Family::kDepthwiseConv2DInPlace, depthwise_in_place_case},
  };
}

}  // namespace thimble::testing
