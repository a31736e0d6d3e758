// SPDX-License-Identifier: Apache-2.0
// Random calls of what resizes images.
#include <algorithm>
#include <memory>
#include <vector>

#include "tests/runtime/cases.h"

namespace thimble::testing {
namespace {

using namespace runtime;
using runtime::Region;

Case resize_nearest_neighbor_case(Random& random, KernelId kernel) {
  const Element element = element_of(info(kernel).in);
  const Extents in = random_extents(random);
  // Whatever goes down the image will do.
  const auto rows = [&](int32_t extent) {
    std::vector<int16_t> result;
    for (int32_t count = random.between(1, 12); count > 0; --count) {
      result.push_back(static_cast<int16_t>(random.between(0, extent - 1)));
    }
    std::ranges::sort(result);
    return std::make_shared<const std::vector<int16_t>>(std::move(result));
  };
  const auto y = rows(in[1]), x = rows(in[2]);
  const Extents out{in[0], static_cast<int32_t>(y->size()), static_cast<int32_t>(x->size()), in[3]};
  return {.in = {{in, element}},
          .out = {out, element},
          .run =
              [=](const Call& call) {
                run(kernel, ResizeNearestNeighborParams{y->data(), x->data()}, call);
              },
          .needed = [=](const Region& r, Chunk) -> std::vector<Region> {
            Region needed = r;
            const auto map = [&](int axis, const std::vector<int16_t>& table) {
              needed.begin[axis] = table[static_cast<size_t>(r.begin[axis])];
              needed.end[axis] = table[static_cast<size_t>(r.end[axis] - 1)] + 1;
            };
            map(1, *y);
            map(2, *x);
            return {needed};
          }};
}

Case resize_bilinear_case(Random& random, KernelId kernel) {
  const Extents in = random_extents(random);
  Extents out = in;
  const auto axis = [&](size_t k) {
    out[k] = random.between(1, 12);
    const int32_t step = 1024 * in[k] / out[k];
    return LinearAxis{step, random.between(0, 1) * (step / 2 - 512), in[k]};
  };
  const LinearAxis rows = axis(1);
  const ResizeBilinearParams p{rows, axis(2)};
  return with_portable({.in = {{in}},
                        .out = {out},
                        .run = {},
                        .needed = [=](const Region& r, Chunk) -> std::vector<Region> {
                          Region needed = r;
                          const auto map = [&](int k, const LinearAxis& a) {
                            const auto at = [&](int32_t index) {
                              return index * a.step + a.offset;
                            };
                            needed.begin[k] = std::max(at(r.begin[k]), 0) / 1024;
                            const int32_t last = (std::max(at(r.end[k] - 1), 0) + 1023) / 1024;
                            needed.end[k] = std::min(last, a.in_extent - 1) + 1;
                          };
                          map(1, p.rows);
                          map(2, p.columns);
                          return {needed};
                        }},
                       kernel, p);
}

struct FloatRows {
  std::vector<int16_t> rows;
  std::vector<float> fractions;
};

Case float_resize_case(Random& random, KernelId kernel) {
  const Extents in = random_extents(random);
  // Whatever goes down the image will do.
  const auto rows = [&](int32_t extent) {
    auto result = std::make_shared<FloatRows>();
    int32_t first = 0;
    for (int32_t count = random.between(1, 12); count > 0; --count) {
      first = std::min(first + random.between(0, 1), extent - 1);
      result->rows.push_back(static_cast<int16_t>(first));
      result->rows.push_back(static_cast<int16_t>(std::min(first + 1, extent - 1)));
      result->fractions.push_back(random_float(random));
    }
    return result;
  };
  const auto y = rows(in[1]), x = rows(in[2]);
  const Extents out{in[0], static_cast<int32_t>(y->fractions.size()),
                    static_cast<int32_t>(x->fractions.size()), in[3]};
  return {.in = {{in, kFloat}},
          .out = {out, kFloat},
          .run =
              [=](const Call& call) {
                const FloatResizeBilinearParams p{y->rows.data(), y->fractions.data(),
                                                  x->rows.data(), x->fractions.data()};
                run(kernel, p, call);
              },
          .needed = [=](const Region& r, Chunk) -> std::vector<Region> {
            Region needed = r;
            const auto map = [&](int axis, const FloatRows& table) {
              needed.begin[axis] = table.rows[2 * static_cast<size_t>(r.begin[axis])];
              needed.end[axis] = table.rows[2 * static_cast<size_t>(r.end[axis]) - 1] + 1;
            };
            map(1, *y);
            map(2, *x);
            return {needed};
          }};
}

}  // namespace

std::vector<FamilyCases> resize_cases() {
  return {
      {Family::kResizeNearestNeighbor, resize_nearest_neighbor_case},
      {Family::kResizeBilinear, resize_bilinear_case, float_resize_case},
  };
}

}  // namespace thimble::testing
