// SPDX-License-Identifier: Apache-2.0
#include "tests/runtime/cases.h"

#include <stdexcept>
#include <string>

namespace thimble::testing {

runtime::Scale random_scale(Random& random, int32_t least_shift, int32_t most_shift) {
  return {random.between(1 << 30, 0x7FFFFFFF), random.between(least_shift, most_shift)};
}

Extents random_extents(Random& random) {
  return {2, random.between(1, 7), random.between(1, 7), random.between(1, 11)};
}

runtime::Window2D random_padded_window(Random& random, const Extents& in) {
  runtime::Window2D w{random.between(1, 4),
                      random.between(1, 4),
                      random.between(1, 3),
                      random.between(1, 3),
                      1,
                      1,
                      0,
                      0,
                      in[1],
                      in[2]};
  w.pad_top = random.between(0, w.kernel_h - 1);
  w.pad_left = random.between(0, w.kernel_w - 1);
  return w;
}

Range clamps(Element out) {
  if (out == Element::kInt32) return {-0x7FFFFFFF, 0x7FFFFFFF};
  return out == Element::kInt8 ? Range{-128, 127} : Range{-32768, 32767};
}

float random_float(Random& random) { return static_cast<float>(random.between(-1000, 1000)) / 256; }

std::vector<float> random_floats(Random& random, int64_t count) {
  std::vector<float> values;
  for (; count > 0; --count) values.push_back(random_float(random));
  return values;
}

runtime::FloatClampParams random_float_clamp(Random& random) {
  if (random.between(0, 1) == 0) return {-runtime::kLargestFloat, runtime::kLargestFloat};
  return {-100, 100};
}

Case map_case(Random& random, KernelId kernel, const KernelParams& params) {
  const KernelInfo& row = info(kernel);
  const Extents extents = random_extents(random);
  return {
      .in = {{extents, element_of(row.in)}},
      .out = {extents, element_of(row.out)},
      .run = [=](const Call& call) { run(kernel, params, call); },
      .needed = [](const runtime::Region& r, Chunk) { return std::vector<runtime::Region>{r}; }};
}

Case with_portable(Case result, KernelId kernel, const KernelParams& params) {
  const KernelInfo& row = info(kernel);
  result.run = [=](const Call& call) { run(kernel, params, call); };
  result.whole = [=, portable = portable_kernel(row.family, row.in, row.out)](const Call& call) {
    run(portable, params, call);
  };
  return result;
}

Case random_case(KernelId kernel, Random& random) {
  const KernelInfo& row = info(kernel);
  const bool floats = row.in == DType::kFloat32 && row.out == DType::kFloat32;
  static const std::vector<std::vector<FamilyCases>> tables{
      channel_cases(),   convolution_cases(), depthwise_cases(), detection_cases(),
      map_cases(),       matmul_cases(),      movement_cases(),  pair_cases(),
      pool_cases(),      recurrent_cases(),   reduction_cases(), resize_cases(),
      step_loop_cases(), signal_cases()};
  for (const auto& table : tables) {
    for (const FamilyCases& cases : table) {
      const auto make = floats ? cases.of_floats : cases.of_integers;
      if (cases.family != row.family || make == nullptr) continue;
      Case result = make(random, kernel);
      result.rings = row.rings;
      result.dense_channels = row.dense_channels;
      result.dense_output = row.dense_output;
      return result;
    }
  }
  throw std::logic_error(std::string(row.name) + ": its family has no row in tests/runtime");
}

Element element_of(DType type) {
  switch (size_bytes(type)) {
    case 1:
      return Element::kInt8;
    case 2:
      return Element::kInt16;
    case 8:
      return Element::kInt64;
    default:
      return type == DType::kFloat32 ? Element::kFloat32 : Element::kInt32;
  }
}

void run(KernelId kernel, const KernelParams& params, const Call& call) {
  invoke({.kernel = kernel,
          .params = &params,
          .in = call.in,
          .out = call.out,
          .region = call.region,
          .chunk_begin = call.chunk.begin,
          .chunk_end = call.chunk.end,
          .scratch = call.scratch});
}

}  // namespace thimble::testing
