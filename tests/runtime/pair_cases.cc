// SPDX-License-Identifier: Apache-2.0
// Random calls of the kernels that go element by element through several inputs.
#include <vector>

#include "tests/runtime/cases.h"

namespace thimble::testing {
namespace {

using namespace runtime;
using runtime::Region;

Case pair_case(Random& random, KernelId kernel, const KernelParams& params) {
  const Extents extents = random_extents(random);
  const Element element = element_of(info(kernel).in);
  return {.in = {{extents, element}, {extents, element}},
          .out = {extents, element_of(info(kernel).out)},
          .run = [=](const Call& call) { run(kernel, params, call); },
          .needed =
              [](const Region& r, Chunk) {
                return std::vector<Region>{r, r};
              }};
}

// Bytes are true unless they are 0.
Case select_case(Random& random, KernelId kernel) {
  const Extents extents = random_extents(random);
  const Element element = element_of(info(kernel).out);
  return {.in = {{extents, Element::kInt8}, {extents, element}, {extents, element}},
          .out = {extents, element},
          .run = [=](const Call& call) { run(kernel, {}, call); },
          .needed =
              [](const Region& r, Chunk) {
                return std::vector<Region>{r, r, r};
              }};
}

KernelParams comparison_params(Random& random, const KernelInfo& row) {
  const int32_t accepted = random.between(1, 15);
  if (row.in != DType::kInt8) return RelationParams{accepted};
  return ComparisonParams{accepted,
                          {random.between(-128, 127), random.between(-128, 127)},
                          {random_scale(random, -9, -3), random_scale(random, -9, -3)}};
}

PreluParams prelu_params(Random& random, const KernelInfo& row) {
  const Range range = clamps(element_of(row.out));
  const bool wide = row.in == DType::kInt16;
  const auto zero_point = [&] { return wide ? 0 : random.between(-128, 127); };
  return {random_scale(random, -2, 2),
          random_scale(random, wide ? -16 : -8, wide ? -13 : -4),
          zero_point(),
          zero_point(),
          zero_point(),
          range.min,
          range.max};
}

// Sums, differences and their squares, which take the same parameters; int32 takes none.
Case scaled_pair_case(Random& random, KernelId kernel) {
  if (info(kernel).in == DType::kInt32) return pair_case(random, kernel, {});
  const bool squares = info(kernel).family == Family::kSquaredDifference;
  const Element element = element_of(info(kernel).in);
  const Extents extents = random_extents(random);
  AddParams p{squares ? 7 : 20,
              {random.between(-128, 127), random.between(-128, 127)},
              random.between(-128, 127),
              {random_scale(random, -3, 0), random_scale(random, -3, 0)},
              random_scale(random, squares ? -22 : -19, -17),
              -120,
              120};
  if (element == Element::kInt16) {
    p = {squares ? 0 : 15,
         {0, 0},
         0,
         {random_scale(random, -3, squares ? -1 : 0), random_scale(random, -3, squares ? -1 : 0)},
         random_scale(random, -16, -12),
         -30000,
         30000};
  }
  const KernelId portable = portable_kernel(info(kernel).family, info(kernel).in, info(kernel).out);
  if (kernel != portable) {  // one of the operands is halved
    const int32_t half = random.between(0, 1);
    p.scale[half] = {1 << 30, 0};
    const bool both = info(kernel).set == InstructionSet::kDsp && random.between(0, 3) == 0;
    p.scale[1 - half] = both ? p.scale[half] : random_scale(random, -20, -1);
    if (random.between(0, 1) == 0) p.clamp_min = -128, p.clamp_max = 127;
  }
  return {.in = {{extents, element}, {extents, element}},
          .out = {extents, element},
          .run = [=](const Call& call) { run(kernel, p, call); },
          .needed =
              [](const Region& r, Chunk) {
                return std::vector<Region>{r, r};
              },
          .whole = [=](const Call& call) { run(portable, p, call); }};
}

// One factor per channel, or as many as elements; int32 takes no parameters.
Case mul_case(Random& random, KernelId kernel) {
  if (info(kernel).in == DType::kInt32) return pair_case(random, kernel, {});
  const Extents extents = random_extents(random);
  const bool broadcast = random.between(0, 1) == 0;
  const Extents factors = broadcast ? Extents{1, 1, 1, extents[3]} : extents;
  const bool dsp = info(kernel).set == InstructionSet::kDsp;  // no clamps
  const Element element = element_of(info(kernel).in);
  const KernelId portable = portable_kernel(info(kernel).family, info(kernel).in, info(kernel).out);
  MulParams p{{random.between(-128, 127), random.between(-128, 127)},
              random.between(-128, 127),
              dsp ? random_scale(random, -22, -1) : random_scale(random, -9, -5),
              dsp ? -128 : -120,
              dsp ? 127 : 120};
  if (element == Element::kInt16) p = {{0, 0}, 0, random_scale(random, -17, -13), -30000, 30000};
  return {.in = {{factors, element, broadcast}, {extents, element}},
          .out = {extents, element},
          .run = [=](const Call& call) { run(kernel, p, call); },
          .needed = [=](const Region& r, Chunk) -> std::vector<Region> {
            if (!broadcast) return {r, r};
            return {{{0, 0, 0, r.begin[3]}, {1, 1, 1, r.end[3]}}, r};
          },
          .whole = [=](const Call& call) { run(portable, p, call); }};
}

Case float_pair_case(Random& random, KernelId kernel, const KernelParams& params) {
  const Extents extents = random_extents(random);
  const bool broadcast = random.between(0, 1) == 0;
  const Extents other = broadcast ? Extents{1, 1, 1, extents[3]} : extents;
  return {.in = {{extents, kFloat}, {other, kFloat, broadcast}},
          .out = {extents, kFloat},
          .run = [=](const Call& call) { run(kernel, params, call); },
          .needed = [=](const Region& r, Chunk) -> std::vector<Region> {
            if (!broadcast) return {r, r};
            return {r, {{0, 0, 0, r.begin[3]}, {1, 1, 1, r.end[3]}}};
          }};
}

Case plain_case(Random& random, KernelId kernel) { return pair_case(random, kernel, {}); }

Case add_to_even_case(Random& random, KernelId kernel) {
  const auto scale = [&] { return static_cast<float>(random.between(1, 300)) / 256; };
  return pair_case(random, kernel,
                   AddToEvenParams{{scale(), scale()}, 100 * scale() - 60, -120, 120});
}

Case mul_to_even_case(Random& random, KernelId kernel) {
  const auto scale = static_cast<float>(random.between(1, 300)) / 16384;
  return pair_case(random, kernel,
                   MulToEvenParams{{random.between(-128, 127), random.between(-128, 127)},
                                   scale,
                                   static_cast<float>(random.between(-128, 127)),
                                   -120,
                                   120});
}

Case prelu_case(Random& random, KernelId kernel) {
  return pair_case(random, kernel, prelu_params(random, info(kernel)));
}

Case comparison_case(Random& random, KernelId kernel) {
  return pair_case(random, kernel, comparison_params(random, info(kernel)));
}

Case plain_float_case(Random& random, KernelId kernel) {
  return float_pair_case(random, kernel, {});
}

Case clamped_float_case(Random& random, KernelId kernel) {
  return float_pair_case(random, kernel, random_float_clamp(random));
}

}  // namespace

std::vector<FamilyCases> pair_cases() {
  return {
      {Family::kAdd, scaled_pair_case, clamped_float_case},
      {Family::kAddToEven, add_to_even_case},
      {Family::kMulToEven, mul_to_even_case},
      {Family::kSub, scaled_pair_case, clamped_float_case},
      {Family::kSquaredDifference, scaled_pair_case, plain_float_case},
      {Family::kMul, mul_case, clamped_float_case},
      {Family::kDiv, mul_case, clamped_float_case},
      {Family::kFloorDiv, plain_case, plain_float_case},
      {Family::kFloorMod, plain_case, plain_float_case},
      {Family::kPow, nullptr, plain_float_case},
      {Family::kMaximum, plain_case, plain_float_case},
      {Family::kMinimum, plain_case, plain_float_case},
      {Family::kPrelu, prelu_case, plain_float_case},
      {Family::kComparison, comparison_case},
      {Family::kSelect, select_case},
  };
}

}  // namespace thimble::testing
