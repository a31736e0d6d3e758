// SPDX-License-Identifier: Apache-2.0
// Random calls of what moves elements and computes none.
#include <algorithm>
#include <vector>

#include "tests/runtime/cases.h"

namespace thimble::testing {
namespace {

using namespace runtime;
using runtime::Region;

Case pad_case(Random& random, KernelId kernel) {
  const Extents in = random_extents(random);
  Extents out{};
  PadParams p{};
  p.value = random.between(-128, 127);
  for (size_t k = 0; k < 4; ++k) {
    p.in_extent[k] = in[k];
    p.before[k] = random.between(0, 3);
    out[k] = p.before[k] + in[k] + random.between(0, 3);
  }
  const Element element = element_of(info(kernel).in);
  return {.in = {{in, element}},
          .out = {out, element},
          .run = [=](const Call& call) { run(kernel, p, call); },
          .needed = [p](const Region& r, Chunk) -> std::vector<Region> {
            Region needed{};
            for (int k = 0; k < 4; ++k) {
              needed.begin[k] = std::clamp(r.begin[k] - p.before[k], 0, p.in_extent[k] - 1);
              needed.end[k] =
                  std::clamp(r.end[k] - p.before[k], needed.begin[k] + 1, p.in_extent[k]);
            }
            return {needed};
          }};
}

// The order of axes changes in the view of the output, which is made here.
Case transpose_case(Random& random, KernelId) {
  const Extents extents = random_extents(random);
  return {.in = {{extents}},
          .out = {extents},
          .run = [](const Call& a) { transpose_in_place_8(a.in[0], a.out, a.region); },
          .needed = [](const Region& r, Chunk) { return std::vector<Region>{r}; },
          .in_place = true};
}

// Indices are any numbers: what lies beyond an end is the element there.
Case gather_case(Random& random, KernelId kernel) {
  const Element element = element_of(info(kernel).in);
  const Extents in = random_extents(random);
  const Extents out{in[0], in[1], random.between(1, 7), in[3]};
  const GatherParams p{in[2]};
  return {.in = {{in, element}, {{in[0], 1, out[2], 1}, Element::kInt32, true}},
          .out = {out, element},
          .run = [=](const Call& call) { run(kernel, p, call); },
          .needed = [count = in[2]](const Region& r, Chunk) -> std::vector<Region> {
            Region x = r, indices = r;
            x.begin[2] = 0;
            x.end[2] = count;
            for (const int axis : {1, 3}) {
              indices.begin[axis] = 0;
              indices.end[axis] = 1;
            }
            return {x, indices};
          }};
}

// A begin is any number, too.
Case update_slice_case(Random& random, KernelId kernel) {
  const Element element = element_of(info(kernel).in);
  const Extents x = random_extents(random);
  Extents update = x;
  UpdateSliceParams p{.axes = random.between(1, 4), .extent = {}, .room = {}};
  for (size_t k = 0; k < 4; ++k) {
    update[k] = random.between(1, x[k]);
    p.extent[k] = update[k];
    p.room[k] = x[k] - update[k];
  }
  const auto all = [](const Extents& e) { return Region{{}, {e[0], e[1], e[2], e[3]}}; };
  const Extents begins{1, 1, 1, p.axes};
  return {.in = {{x, element}, {update, element}, {begins, Element::kInt32}},
          .out = {x, element},
          .run = [=](const Call& call) { run(kernel, p, call); },
          .needed = [=](const Region& r, Chunk) -> std::vector<Region> {
            return {r, all(update), all(begins)};
          }};
}

}  // namespace

std::vector<FamilyCases> movement_cases() {
  return {
      {Family::kCopy, [](Random& random, KernelId kernel) { return map_case(random, kernel, {}); }},
      {Family::kCast, [](Random& random, KernelId kernel) { return map_case(random, kernel, {}); }},
      {Family::kPad, pad_case},
      {Family::kTransposeInPlace, transpose_case},
      {Family::kGather, gather_case},
      {Family::kUpdateSlice, update_slice_case},
  };
}

}  // namespace thimble::testing
