// SPDX-License-Identifier: Apache-2.0
// Random calls of pools.
#include <vector>

#include "tests/runtime/cases.h"

namespace thimble::testing {
namespace {

using namespace runtime;
using runtime::Region;

Case pool_case(Random& random, KernelId kernel) {
  Extents in = random_extents(random);
  in[3] = random.between(1, 19);
  // Every window holds an element of the input: less padding than the window is wide, no dilation.
  Pool2DParams p{};
  p.window = {random.between(1, 4),
              random.between(1, 4),
              random.between(1, 3),
              random.between(1, 3),
              1,
              1,
              0,
              0,
              in[1],
              in[2]};
  p.window.pad_top = random.between(0, p.window.kernel_h - 1);
  p.window.pad_left = random.between(0, p.window.kernel_w - 1);
  p.clamp_min = -90;
  p.clamp_max = 90;
  const Element element = element_of(info(kernel).in);
  const Extents out{in[0], (in[1] + p.window.pad_top - 1) / p.window.stride_h + 1,
                    (in[2] + p.window.pad_left - 1) / p.window.stride_w + 1, in[3]};
  return with_portable(
      {.in = {{in, element}},
       .out = {out, element},
       .run = {},
       .needed = [w = p.window](const Region& r,
                                Chunk) { return std::vector<Region>{window_region(w, r)}; }},
      kernel, p);
}

Case average_pool_2d_finalise_case(Random& random, KernelId kernel) {
  const Pool2DParams p{{.in_h = random.between(1, 30), .in_w = random.between(1, 30)}, -90, 90};
  return map_case(random, kernel, p);
}

/// Every window holds an element of the input: less padding than the window is wide, no dilation.
Case float_pool_case(Random& random, KernelId kernel) {
  const Extents in = random_extents(random);
  const Window2D w = random_padded_window(random, in);
  const Extents out{in[0], (in[1] + w.pad_top - 1) / w.stride_h + 1,
                    (in[2] + w.pad_left - 1) / w.stride_w + 1, in[3]};
  const FloatClampParams clamp = random_float_clamp(random);
  const FloatPool2DParams p{w, clamp.clamp_min, clamp.clamp_max};
  return {
      .in = {{in, kFloat}},
      .out = {out, kFloat},
      .run = [=](const Call& call) { run(kernel, p, call); },
      .needed = [w](const Region& r, Chunk) { return std::vector<Region>{window_region(w, r)}; }};
}

Case number_pool_case(Random& random, KernelId kernel) {
  const Extents in = random_extents(random);
  const Window2D w = random_padded_window(random, in);
  const Extents out{in[0], (in[1] + w.pad_top - 1) / w.stride_h + 1,
                    (in[2] + w.pad_left - 1) / w.stride_w + 1, in[3]};
  const NumberPoolParams p{w,
                           static_cast<float>(random.between(1, 100)) / 64,
                           static_cast<float>(random.between(1, 100)) / 64,
                           random.between(-128, 127),
                           random.between(-128, 127),
                           -100,
                           100};
  return {
      .in = {{in}},
      .out = {out},
      .run = [=](const Call& call) { run(kernel, p, call); },
      .needed = [w](const Region& r, Chunk) { return std::vector<Region>{window_region(w, r)}; }};
}

}  // namespace

std::vector<FamilyCases> pool_cases() {
  return {
      {Family::kAveragePool2D, pool_case, float_pool_case},
      {Family::kAveragePool2DTiesUp, pool_case},
      {Family::kAveragePool2DToEven, number_pool_case},
      {Family::kAveragePool2DFinalise, average_pool_2d_finalise_case},
      {Family::kMaxPool2D, pool_case, float_pool_case},
      {Family::kMinPool2D, pool_case, float_pool_case},
      {Family::kL2Pool2D, nullptr, float_pool_case},
  };
}

}  // namespace thimble::testing
