// SPDX-License-Identifier: Apache-2.0
// Random calls of products of matrices of the network's.
#include <vector>

#include "tests/runtime/cases.h"

namespace thimble::testing {
namespace {

using namespace runtime;
using runtime::Region;

// As many matrices on the right as on the left.
Case batch_matmul_case(Random& random, KernelId kernel) {
  const bool wide = info(kernel).in == DType::kInt16;
  const Element element = element_of(info(kernel).in);
  const Extents in = random_extents(random);
  const Extents out{in[0], in[1], in[2], random.between(1, 7)};
  const BatchMatMulParams p{in[3],
                            {random.between(-128, 127), random.between(-128, 127)},
                            random.between(-128, 127),
                            random_scale(random, wide ? -19 : -11, wide ? -15 : -7)};
  return with_portable(
      {.in = {{in, element}, {{in[0], in[1], out[3], in[3]}, element}},
       .out = {out, element},
       .needed = [depth = in[3]](const Region& r, Chunk) -> std::vector<Region> {
         return {{{r.begin[0], r.begin[1], r.begin[2], 0}, {r.end[0], r.end[1], r.end[2], depth}},
                 {{r.begin[0], r.begin[1], r.begin[3], 0}, {r.end[0], r.end[1], r.end[3], depth}}};
       }},
      kernel, p);
}

Case float_matmul_case(Random& random, KernelId kernel) {
  const Extents in = random_extents(random);
  const Extents out{in[0], in[1], in[2], random.between(1, 7)};
  const int32_t depth = in[3];
  return {.in = {{in, kFloat}, {{in[0], in[1], out[3], depth}, kFloat}},
          .out = {out, kFloat},
          .run = [=](const Call& call) { run(kernel, FloatMatMulParams{depth}, call); },
          .needed = [=](const Region& r, Chunk) -> std::vector<Region> {
            return {
                {{r.begin[0], r.begin[1], r.begin[2], 0}, {r.end[0], r.end[1], r.end[2], depth}},
                {{r.begin[0], r.begin[1], r.begin[3], 0}, {r.end[0], r.end[1], r.end[3], depth}}};
          }};
}

}  // namespace

std::vector<FamilyCases> matmul_cases() {
  return {
      {Family::kBatchMatMul, batch_matmul_case, float_matmul_case},
  };
}

}  // namespace thimble::testing
