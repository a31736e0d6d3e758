// SPDX-License-Identifier: Apache-2.0
// Random calls of the kernels without weights whose outputs read other places of the input, or
// many.
#include <algorithm>
#include <memory>

#include "tests/runtime/cases.h"
#include "thimble/target/kernels/softmax.h"

namespace thimble::testing {
namespace {

using namespace runtime;
using runtime::Region;

// A variant's case: what it takes of views, and the portable kernel beside it.
Case with_portable(Case result, KernelId kernel, const KernelParams& params) {
  const KernelInfo& row = info(kernel);
  result.run = [=](const Call& call) { run(kernel, params, call); };
  result.whole = [=, portable = portable_kernel(row.family, row.in, row.out)](const Call& call) {
    run(portable, params, call);
  };
  return result;
}

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
Case transpose_case(Random& random) {
  const Extents extents = random_extents(random);
  return {.in = {{extents}},
          .out = {extents},
          .run = [](const Call& a) { transpose_in_place_8(a.in[0], a.out, a.region); },
          .needed = [](const Region& r, Chunk) { return std::vector<Region>{r}; },
          .in_place = true};
}

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

Case arg_max_case(Random& random, KernelId kernel) {
  const Extents in = random_extents(random);
  const ArgMaxParams p{in[3], random.between(0, 1)};
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

}  // namespace

Case gathering_case(KernelId kernel, Random& random) {
  switch (info(kernel).family) {
    case Family::kBatchMatMul:
      return batch_matmul_case(random, kernel);
    case Family::kAveragePool2D:
    case Family::kAveragePool2DTiesUp:
    case Family::kMaxPool2D:
    case Family::kMinPool2D:
      return pool_case(random, kernel);
    case Family::kMean:
      return mean_case(random, kernel);
    case Family::kSumAccumulate:
      return sum_accumulate_case(random, kernel);
    case Family::kPad:
      return pad_case(random, kernel);
    case Family::kTransposeInPlace:
      return transpose_case(random);
    case Family::kSoftmax:
      if (info(kernel).in == DType::kInt16) return softmax_tables_case(random, kernel);
      return softmax_case(random, kernel);
    case Family::kGather:
      return gather_case(random, kernel);
    case Family::kUpdateSlice:
      return update_slice_case(random, kernel);
    case Family::kArgMax:
      return arg_max_case(random, kernel);
    case Family::kCumSum:
    case Family::kL2Normalization:
      return along_channels_case(random, kernel);
    case Family::kLogSoftmax:
      return log_softmax_case(random, kernel);
    case Family::kResizeNearestNeighbor:
      return resize_nearest_neighbor_case(random, kernel);
    case Family::kResizeBilinear:
      return resize_bilinear_case(random, kernel);
    default:
      throw std::logic_error("gathering_case: not one of them");
  }
}

}  // namespace thimble::testing
