// SPDX-License-Identifier: Apache-2.0
// Random calls of what goes along all channels: softmax, sums, norms, the largest.
#include <memory>
#include <vector>

#include "tests/runtime/cases.h"
#include "thimble/target/kernels/softmax.h"

namespace thimble::testing {
namespace {

using namespace runtime;
using runtime::Region;

Case softmax_case(Random& random, KernelId kernel) {
  const Extents extents = random_extents(random);
  const SoftmaxParams p{random_scale(random, 20, 23), -random.between(100, 300), extents[3]};
  Case result =
      with_portable({.in = {{extents, element_of(info(kernel).in)}},
                     .out = {extents, element_of(info(kernel).out)},
                     .needed = [](const Region& r, Chunk) { return std::vector<Region>{r}; },
                     .whole_channels = true},
                    kernel, p);
  if (info(kernel).adapt == nullptr) return result;
  const auto table = std::make_shared<const std::vector<int32_t>>(exponentials_of(p));
  result.run = [=](const Call& call) {
    run(kernel, SoftmaxExponentialsParams{table->data(), p.channels}, call);
  };
  return result;
}

Case softmax_tables_case(Random& random, KernelId kernel) {
  const Extents extents = random_extents(random);
  std::vector<int16_t> exponentials(513), reciprocals(513);  // as the true ones, rising and falling
  for (size_t i = 0; i < exponentials.size(); ++i) {
    exponentials[i] = static_cast<int16_t>(63 * i);
    reciprocals[i] = static_cast<int16_t>(32767 - 31 * i);
  }
  const runtime::Scale scale = random_scale(random, -2, 2);
  return {
      .in = {{extents, Element::kInt16}},
      .out = {extents, Element::kInt16},
      .run =
          [=](const Call& call) {
            const SoftmaxTableParams p{exponentials.data(), reciprocals.data(), scale, extents[3]};
            run(kernel, p, call);
          },
      .needed = [](const Region& r, Chunk) { return std::vector<Region>{r}; },
      .whole_channels = true};
}

Case log_softmax_case(Random& random, KernelId kernel) {
  const Extents extents = random_extents(random);
  const LogSoftmaxParams p{random_scale(random, 20, 23), random_scale(random, -22, -20), -128,
                           extents[3]};
  return {.in = {{extents}},
          .out = {extents},
          .run = [=](const Call& call) { run(kernel, p, call); },
          .needed = [](const Region& r, Chunk) { return std::vector<Region>{r}; },
          .whole_channels = true};
}

Case arg_max_case(Random& random, KernelId kernel) {
  const Extents in = random_extents(random);
  const ArgMaxParams p{in[3], random.between(0, 1), random.between(0, 1)};
  return {.in = {{in, element_of(info(kernel).in)}},
          .out = {{in[0], in[1], in[2], 1}, Element::kInt32},
          .run = [=](const Call& call) { run(kernel, p, call); },
          .needed = [channels = in[3]](const Region& r, Chunk) -> std::vector<Region> {
            Region needed = r;
            needed.end[3] = channels;
            return {needed};
          }};
}

// Sums and norms of all channels.
Case along_channels_case(Random& random, KernelId kernel) {
  const Extents extents = random_extents(random);
  const int32_t zero_point = random.between(-128, 127);
  KernelParams p = L2NormalizationParams{zero_point, extents[3]};
  if (info(kernel).family == Family::kCumSum) {
    p = CumSumParams{random_scale(random, -21, -19), zero_point,
                     random.between(-128, 127),      random.between(0, 1),
                     random.between(0, 1),           extents[3]};
  }
  return {.in = {{extents}},
          .out = {extents},
          .run = [=](const Call& call) { run(kernel, p, call); },
          .needed = [](const Region& r, Chunk) { return std::vector<Region>{r}; },
          .whole_channels = true};
}

KernelParams along_channels_params(Random& random, Family family, int32_t channels) {
  switch (family) {
    case Family::kCumSum:
      return FloatCumSumParams{random.between(0, 1), random.between(0, 1), channels};
    case Family::kL2Normalization:
      return FloatL2NormalizationParams{channels};
    default:
      return FloatSoftmaxParams{static_cast<float>(random.between(1, 100)) / 64, channels};
  }
}

Case float_along_channels_case(Random& random, KernelId kernel) {
  const Extents extents = random_extents(random);
  const KernelParams p = along_channels_params(random, info(kernel).family, extents[3]);
  return {.in = {{extents, kFloat}},
          .out = {extents, kFloat},
          .run = [=](const Call& call) { run(kernel, p, call); },
          .needed = [](const Region& r, Chunk) { return std::vector<Region>{r}; },
          .whole_channels = true};
}

}  // namespace

std::vector<FamilyCases> channel_cases() {
  return {
      {Family::kSoftmax,
       [](Random& random, KernelId kernel) {
         return info(kernel).in == DType::kInt16 ? softmax_tables_case(random, kernel)
                                                 : softmax_case(random, kernel);
       },
       float_along_channels_case},
      {Family::kLogSoftmax, log_softmax_case, float_along_channels_case},
      {Family::kArgMax, arg_max_case},
      {Family::kCumSum, along_channels_case, float_along_channels_case},
      {Family::kL2Normalization, along_channels_case, float_along_channels_case},
  };
}

}  // namespace thimble::testing
