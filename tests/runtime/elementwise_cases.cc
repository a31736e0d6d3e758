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

Case map_case(Random& random, KernelId kernel, const KernelParams& params) {
  const KernelInfo& row = info(kernel);
  return map_case(random_extents(random), element_of(row.in), element_of(row.out),
                  [=](const Call& call) { run(kernel, params, call); });
}

struct Range {
  int32_t min, max;
};

Range clamps(Element out) {
  if (out == Element::kInt32) return {-0x7FFFFFFF, 0x7FFFFFFF};
  return out == Element::kInt8 ? Range{-128, 127} : Range{-32768, 32767};
}

RescaleParams rescale_params(Random& random, const KernelInfo& row) {
  const int32_t shift = size_bytes(row.in) == 1 ? 0 : -8;
  const Range range = clamps(element_of(row.out));
  return {random_scale(random, shift - 2, shift + 2), random.between(-128, 127),
          random.between(-128, 127), range.min, range.max};
}

LeakyReluParams leaky_relu_params(Random& random, const KernelInfo& row) {
  const Range range = clamps(element_of(row.out));
  return {random_scale(random, -2, 2),
          random_scale(random, -5, 1),
          random.between(-128, 127),
          random.between(-128, 127),
          range.min,
          range.max};
}

Case lookup_case(Random& random, KernelId kernel) {
  const auto looked_up = [table = random.bytes(256)](KernelId by) {
    return [=](const Call& call) { run(by, LookupParams{table.data()}, call); };
  };
  Case result = map_case(random_extents(random), Element::kInt8, Element::kInt8, looked_up(kernel));
  result.whole = looked_up(portable_kernel(Family::kLookup));
  return result;
}

Case sigmoid_case(Random& random, KernelId kernel) {
  std::vector<int16_t> table(256);  // as the true one, it rises; of unsigned values
  for (size_t i = 0; i < table.size(); ++i)
    table[i] = static_cast<int16_t>(static_cast<uint16_t>(0x8000 + 127 * i));
  const int32_t multiplier = random.between(1, 0x7FFF), shift = random.between(0, 15);
  return map_case(random_extents(random), Element::kInt16, Element::kInt16, [=](const Call& call) {
    run(kernel, SigmoidParams{table.data(), multiplier, shift}, call);
  });
}

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

Case average_pool_2d_finalise_case(Random& random, KernelId kernel) {
  const Pool2DParams p{{.in_h = random.between(1, 30), .in_w = random.between(1, 30)}, -90, 90};
  return map_case(random, kernel, p);
}

Case mean_finalise_case(Random& random, KernelId kernel) {
  const MeanParams p{{1, random.between(1, 30), random.between(1, 30), 1},
                     {0, 1, 1, 0},
                     random_scale(random, -9, -4),
                     random.between(-128, 127),
                     random.between(-128, 127)};
  return map_case(random, kernel, p);
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

// One factor per channel, or as many as elements.
Case mul_case(Random& random, KernelId kernel) {
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

}  // namespace

Case elementwise_case(KernelId kernel, Random& random) {
  const KernelInfo& row = info(kernel);
  switch (row.family) {
    case Family::kAveragePool2DFinalise:
      return average_pool_2d_finalise_case(random, kernel);
    case Family::kMeanFinalise:
      return mean_finalise_case(random, kernel);
    case Family::kAdd:
    case Family::kSub:
    case Family::kSquaredDifference:
      return scaled_pair_case(random, kernel);
    case Family::kFloorDiv:
    case Family::kFloorMod:
    case Family::kMaximum:
    case Family::kMinimum:
      return pair_case(random, kernel, {});
    case Family::kPrelu:
      return pair_case(random, kernel, prelu_params(random, row));
    case Family::kLogistic:
    case Family::kTanh:
      return sigmoid_case(random, kernel);
    case Family::kMul:
    case Family::kDiv:
      return row.in == DType::kInt32 ? pair_case(random, kernel, {}) : mul_case(random, kernel);
    case Family::kComparison:
      return pair_case(random, kernel, comparison_params(random, row));
    case Family::kSelect:
      return select_case(random, kernel);
    case Family::kCopy:
    case Family::kCast:
      return map_case(random, kernel, {});
    case Family::kRescale:
      return map_case(random, kernel, rescale_params(random, row));
    case Family::kClamp:
      return map_case(random, kernel, ClampParams{random.between(-128, 0), random.between(1, 127)});
    case Family::kRsqrt:
      return map_case(random, kernel, RsqrtParams{random_scale(random, -10, -2)});
    case Family::kLeakyRelu:
      return map_case(random, kernel, leaky_relu_params(random, row));
    case Family::kLookup:
      return lookup_case(random, kernel);
    case Family::kQuantize:
    case Family::kDequantize:
      return map_case(
          random, kernel,
          FloatParams{static_cast<float>(random.between(1, 100)) / 64, random.between(-128, 127)});
    default:
      throw std::logic_error("elementwise_case: not one of them");
  }
}

}  // namespace thimble::testing
