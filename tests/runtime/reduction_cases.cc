// SPDX-License-Identifier: Apache-2.0
// Random calls of means and sums, which leave axes out.
#include <vector>

#include "tests/runtime/cases.h"

namespace thimble::testing {
namespace {

using namespace runtime;
using runtime::Region;

Case mean_case(Random& random, KernelId kernel) {
  const bool pixels = info(kernel).takes != nullptr;  // over y and x alone
  Extents in = random_extents(random);
  in[3] = random.between(1, 19);
  Extents out = in;
  MeanParams p{};
  for (size_t k = 0; k < 4; ++k) {
    p.in_extent[k] = in[k];
    p.reduced[k] = pixels && k % 3 == 0 ? 0 : random.between(0, 1);
    if (p.reduced[k] != 0) out[k] = 1;
  }
  p.scale = random_scale(random, -5, 0);
  p.input_zero_point = random.between(-128, 127);
  p.output_zero_point = random.between(-128, 127);
  const Element element = element_of(info(kernel).in);
  return with_portable({.in = {{in, element}},
                        .out = {out, element},
                        .run = {},
                        .needed = [p](const Region& r, Chunk) -> std::vector<Region> {
                          Region needed = r;
                          for (int k = 0; k < 4; ++k) {
                            if (p.reduced[k] != 0) needed.end[k] = p.in_extent[k];
                          }
                          return {needed};
                        }},
                       kernel, p);
}

Case mean_finalise_case(Random& random, KernelId kernel) {
  const MeanParams p{{1, random.between(1, 30), random.between(1, 30), 1},
                     {0, 1, 1, 0},
                     random_scale(random, -9, -4),
                     random.between(-128, 127),
                     random.between(-128, 127)};
  return map_case(random, kernel, p);
}

Case sum_accumulate_case(Random& random, KernelId kernel) {
  const Extents in = random_extents(random);
  Extents out = in;
  SumParams p{};
  p.chunk_axis = random.between(0, 2);
  for (size_t k = 0; k < 4; ++k) {
    p.in_extent[k] = in[k];
    p.reduced[k] = static_cast<int>(k) == p.chunk_axis || (k < 3 && random.between(0, 1) == 0);
    if (p.reduced[k] != 0) out[k] = 1;
  }
  return {.in = {{in, element_of(info(kernel).in)}},
          .out = {out, Element::kInt32},
          .run = [=](const Call& call) { run(kernel, p, call); },
          .needed = [p](const Region& r, Chunk chunk) -> std::vector<Region> {
            Region needed = r;
            for (int k = 0; k < 4; ++k) {
              if (p.reduced[k] != 0) needed.end[k] = p.in_extent[k];
            }
            needed.begin[p.chunk_axis] = chunk.begin;
            needed.end[p.chunk_axis] = chunk.end;
            return {needed};
          },
          .reduced = in[static_cast<size_t>(p.chunk_axis)]};
}

Case float_mean_case(Random& random, KernelId kernel) {
  const Extents in = random_extents(random);
  Extents out = in;
  FloatMeanParams p{};
  for (size_t k = 0; k < 4; ++k) {
    p.in_extent[k] = in[k];
    p.reduced[k] = random.between(0, 1);
    if (p.reduced[k] != 0) out[k] = 1;
    p.divisor = static_cast<float>(random.between(1, 9));
  }
  return {.in = {{in, kFloat}},
          .out = {out, kFloat},
          .run = [=](const Call& call) { run(kernel, p, call); },
          .needed = [p](const Region& r, Chunk) -> std::vector<Region> {
            Region needed = r;
            for (int k = 0; k < 4; ++k) {
              if (p.reduced[k] != 0) needed.end[k] = p.in_extent[k];
            }
            return {needed};
          }};
}

}  // namespace

std::vector<FamilyCases> reduction_cases() {
  return {
      {Family::kMean, mean_case, float_mean_case},
      {Family::kMeanFinalise, mean_finalise_case},
      {Family::kSumAccumulate, sum_accumulate_case},
  };
}

}  // namespace thimble::testing
