// SPDX-License-Identifier: Apache-2.0
// Random calls of the kernels that go element by element through one input: activations, functions,
// other scales.
#include <utility>
#include <vector>

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

Case quantize_case(Random& random, KernelId kernel) {
  return map_case(
      random, kernel,
      FloatParams{static_cast<float>(random.between(1, 100)) / 64, random.between(-128, 127)});
}

/// Without parameters.
Case function_case(Random& random, KernelId kernel) { return map_case(random, kernel, {}); }

}  // namespace

std::vector<FamilyCases> map_cases() {
  return {
      {Family::kRescale,
       [](Random& random, KernelId kernel) {
         return map_case(random, kernel, rescale_params(random, info(kernel)));
       }},
      {Family::kClamp,
       [](Random& random, KernelId kernel) {
         return map_case(random, kernel,
                         ClampParams{random.between(-128, 0), random.between(1, 127)});
       },
       [](Random& random, KernelId kernel) {
         return map_case(random, kernel, random_float_clamp(random));
       }},
      {Family::kLeakyRelu,
       [](Random& random, KernelId kernel) {
         return map_case(random, kernel, leaky_relu_params(random, info(kernel)));
       },
       [](Random& random, KernelId kernel) {
         return map_case(random, kernel, FloatLeakyReluParams{0.25F});
       }},
      {Family::kLookup, lookup_case},
      {Family::kLogistic, sigmoid_case, function_case},
      {Family::kTanh, sigmoid_case, function_case},
      {Family::kRsqrt,
       [](Random& random, KernelId kernel) {
         return map_case(random, kernel, RsqrtParams{random_scale(random, -10, -2)});
       },
       function_case},
      {Family::kQuantize, quantize_case},
      {Family::kQuantizeToEven, quantize_case},
      {Family::kDequantize, quantize_case},
      {Family::kAbs, nullptr, function_case},
      {Family::kElu, nullptr, function_case},
      {Family::kGelu, nullptr, function_case},
      {Family::kGeluByTanh, nullptr, function_case},
      {Family::kHardSwish, nullptr, function_case},
      {Family::kAtan, nullptr, function_case},
      {Family::kCeil, nullptr, function_case},
      {Family::kCos, nullptr, function_case},
      {Family::kErf, nullptr, function_case},
      {Family::kExp, nullptr, function_case},
      {Family::kFloor, nullptr, function_case},
      {Family::kLog, nullptr, function_case},
      {Family::kNeg, nullptr, function_case},
      {Family::kRound, nullptr, function_case},
      {Family::kSin, nullptr, function_case},
      {Family::kSqrt, nullptr, function_case},
      {Family::kSquare, nullptr, function_case},
  };
}

}  // namespace thimble::testing
