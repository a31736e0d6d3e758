// SPDX-License-Identifier: Apache-2.0
// Random calls of the kernels whose outputs read one element of each input.
#include "tests/runtime/cases.h"

namespace thimble::testing {
namespace {

using namespace runtime;
using runtime::Region;

Case map_case(const Extents& extents, Element in, Element out,
              std::function<void(const Call&)> run) {
  return {.in = {{extents, in}},
          .out = {extents, out},
          .run = std::move(run),
          .needed = [](const Region& r, Chunk) { return std::vector<Region>{r}; }};
}

template <class Params>
using MapKernel = void (*)(const Params&, const View&, const View&, const Region&) noexcept;

template <class Params>
Case map_case(Random& random, Element in, Element out, MapKernel<Params> kernel, const Params& p) {
  return map_case(random_extents(random), in, out,
                  [=](const Call& a) { kernel(p, a.in[0], a.out, a.region); });
}

Case copy_case(Random& random, Element element,
               void (*kernel)(const View&, const View&, const Region&) noexcept) {
  return map_case(random_extents(random), element, element,
                  [=](const Call& a) { kernel(a.in[0], a.out, a.region); });
}

Case rescale_case(Random& random, Element in, Element out, MapKernel<RescaleParams> kernel) {
  const int32_t shift = in == Element::kInt8 ? 0 : -8;
  const RescaleParams p{random_scale(random, shift - 2, shift + 2), random.between(-128, 127),
                        random.between(-128, 127), out == Element::kInt8 ? -128 : -32768,
                        out == Element::kInt8 ? 127 : 32767};
  return map_case(random, in, out, kernel, p);
}

Case float_case(Random& random, Element in, Element out, MapKernel<FloatParams> kernel) {
  const FloatParams p{static_cast<float>(random.between(1, 100)) / 64, random.between(-128, 127)};
  return map_case(random, in, out, kernel, p);
}

Case lookup_case(Random& random) {
  return map_case(random_extents(random), Element::kInt8, Element::kInt8,
                  [table = random.bytes(256)](const Call& a) {
                    lookup_i8({table.data()}, a.in[0], a.out, a.region);
                  });
}

Case average_pool_2d_finalise_case(Random& random) {
  const Pool2DParams p{{.in_h = random.between(1, 30), .in_w = random.between(1, 30)}, -90, 90};
  return map_case(random, Element::kInt32, Element::kInt8, average_pool_2d_finalise, p);
}

Case mean_finalise_case(Random& random) {
  const MeanParams p{{1, random.between(1, 30), random.between(1, 30), 1},
                     {0, 1, 1, 0},
                     random_scale(random, -9, -4),
                     random.between(-128, 127),
                     random.between(-128, 127)};
  return map_case(random, Element::kInt32, Element::kInt8, mean_finalise, p);
}

Case add_case(Random& random) {
  const Extents extents = random_extents(random);
  const AddParams p{20,
                    {random.between(-128, 127), random.between(-128, 127)},
                    random.between(-128, 127),
                    {random_scale(random, -3, 0), random_scale(random, -3, 0)},
                    random_scale(random, -19, -17),
                    -120,
                    120};
  return {.in = {{extents}, {extents}},
          .out = {extents},
          .run = [=](const Call& a) { add(p, a.in[0], a.in[1], a.out, a.region); },
          .needed =
              [](const Region& r, Chunk) {
                return std::vector<Region>{r, r};
              }};
}

// One factor per channel.
Case mul_case(Random& random) {
  const Extents extents = random_extents(random);
  const MulParams p{{random.between(-128, 127), random.between(-128, 127)},
                    random.between(-128, 127),
                    random_scale(random, -9, -5),
                    -120,
                    120};
  return {.in = {{{1, 1, 1, extents[3]}, Element::kInt8, true}, {extents}},
          .out = {extents},
          .run = [=](const Call& a) { mul(p, a.in[0], a.in[1], a.out, a.region); },
          .needed = [](const Region& r, Chunk) -> std::vector<Region> {
            return {{{0, 0, 0, r.begin[3]}, {1, 1, 1, r.end[3]}}, r};
          }};
}

}  // namespace

Case elementwise_case(KernelId kernel, Random& random) {
  using enum Element;
  switch (kernel) {
    case KernelId::kAveragePool2DFinalise:
      return average_pool_2d_finalise_case(random);
    case KernelId::kMeanFinalise:
      return mean_finalise_case(random);
    case KernelId::kAdd:
      return add_case(random);
    case KernelId::kMul:
      return mul_case(random);
    case KernelId::kCopy8:
      return copy_case(random, kInt8, copy_8);
    case KernelId::kCopy16:
      return copy_case(random, kInt16, copy_16);
    case KernelId::kCopy32:
      return copy_case(random, kInt32, copy_32);
    case KernelId::kRescaleI8I8:
      return rescale_case(random, kInt8, kInt8, rescale_i8_i8);
    case KernelId::kRescaleI8U8:
      return rescale_case(random, kInt8, kInt8, rescale_i8_u8);
    case KernelId::kRescaleU8I8:
      return rescale_case(random, kInt8, kInt8, rescale_u8_i8);
    case KernelId::kRescaleI8I16:
      return rescale_case(random, kInt8, kInt16, rescale_i8_i16);
    case KernelId::kRescaleI16I8:
      return rescale_case(random, kInt16, kInt8, rescale_i16_i8);
    case KernelId::kRescaleI32I8:
      return rescale_case(random, kInt32, kInt8, rescale_i32_i8);
    case KernelId::kRescaleI16I32:
      return rescale_case(random, kInt16, kInt32, rescale_i16_i32);
    case KernelId::kClamp:
      return map_case<ClampParams>(random, kInt8, kInt8, clamp,
                                   {random.between(-128, 0), random.between(1, 127)});
    case KernelId::kLookupI8:
      return lookup_case(random);
    case KernelId::kQuantizeF32I8:
      return float_case(random, kFloat32, kInt8, quantize_f32_i8);
    case KernelId::kQuantizeF32I16:
      return float_case(random, kFloat32, kInt16, quantize_f32_i16);
    case KernelId::kDequantizeI8F32:
      return float_case(random, kInt8, kFloat32, dequantize_i8_f32);
    case KernelId::kDequantizeI16F32:
      return float_case(random, kInt16, kFloat32, dequantize_i16_f32);
    default:
      throw std::logic_error("elementwise_case: not one of them");
  }
}

}  // namespace thimble::testing
