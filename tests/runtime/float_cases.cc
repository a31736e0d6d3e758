// SPDX-License-Identifier: Apache-2.0
// Random calls of the kernels of float32.
#include <algorithm>
#include <memory>

#include "tests/runtime/cases.h"

namespace thimble::testing {
namespace {

using namespace runtime;
using runtime::Region;

constexpr Element kFloat = Element::kFloat32;

float random_float(Random& random) { return static_cast<float>(random.between(-1000, 1000)) / 256; }

Case float_map_case(Random& random, KernelId kernel, const KernelParams& params) {
  const Extents extents = random_extents(random);
  return {.in = {{extents, kFloat}},
          .out = {extents, kFloat},
          .run = [=](const Call& call) { run(kernel, params, call); },
          .needed = [](const Region& r, Chunk) { return std::vector<Region>{r}; }};
}

// Whole calls alone.
Case detections_case(Random& random, KernelId kernel) {
  const int32_t boxes = random.between(1, 9), background = random.between(0, 1);
  DetectionPostProcessParams p{.anchors = nullptr,
                               .boxes = boxes,
                               .classes = random.between(1, 4),
                               .label_offset = background,
                               .max_detections = random.between(1, 5),
                               .detections_per_class = random.between(1, 4),
                               .regular = random.between(0, 1),
                               .score_threshold = -1,
                               .iou_threshold = 0.5F,
                               .scales = {10, 10, 5, 5}};
  const auto anchors = std::make_shared<const std::vector<float>>(random_floats(random, 4 * boxes));
  const Extents encodings{1, 1, boxes, 4}, scores{1, 1, boxes, p.classes + background};
  const int32_t room = p.regular != 0 ? 4 * p.detections_per_class : 0;
  const auto all = [](const Extents& e) { return Region{{}, {e[0], e[1], e[2], e[3]}}; };
  return {.in = {{encodings, kFloat}, {scores, kFloat}},
          .out = {{1, 1, 1, 6 * p.max_detections + 1 + room}, kFloat},
          .run =
              [=](const Call& call) {
                DetectionPostProcessParams with_anchors = p;
                with_anchors.anchors = anchors->data();
                run(kernel, with_anchors, call);
              },
          .needed = [=](const Region&, Chunk) -> std::vector<Region> {
            return {all(encodings), all(scores)};
          },
          .whole_channels = true};
}

Case float_pair_case(Random& random, KernelId kernel, const KernelParams& params) {
  const Extents extents = random_extents(random);
  const bool broadcast = random.between(0, 1) == 0;
  const Extents other = broadcast ? Extents{1, 1, 1, extents[3]} : extents;
  return {.in = {{extents, kFloat}, {other, kFloat, broadcast}},
          .out = {extents, kFloat},
          .run = [=](const Call& call) { run(kernel, params, call); },
          .needed = [=](const Region& r, Chunk) -> std::vector<Region> {
            if (!broadcast) return {r, r};
            return {r, {{0, 0, 0, r.begin[3]}, {1, 1, 1, r.end[3]}}};
          }};
}

struct FloatConstants {
  std::vector<float> weights, bias;
};

/// Groups, multipliers, strides, dilation and padding as of convolutions of int8.
Case float_conv_case(Random& random, KernelId kernel) {
  const Convolution c = random_convolution(random, random.between(1, 3));
  const auto constants = std::make_shared<FloatConstants>();
  constants->weights = random_floats(random, static_cast<int64_t>(c.weights.size()));
  constants->bias = random_floats(random, c.out[3]);
  const FloatClampParams clamp = random_float_clamp(random);
  const int32_t ins = c.in[3] / c.groups, outs = c.out[3] / c.groups;
  const Window2D window = c.window;
  return {.in = {{c.in, kFloat}},
          .out = {c.out, kFloat},
          .run =
              [=](const Call& call) {
                const FloatConv2DParams p{
                    constants->weights.data(), constants->bias.data(), window, ins, outs,
                    clamp.clamp_min,           clamp.clamp_max};
                run(kernel, p, call);
              },
          .needed = [=](const Region& out, Chunk) -> std::vector<Region> {
            Region needed = window_region(window, out);
            needed.begin[3] = out.begin[3] / outs * ins;
            needed.end[3] = ((out.end[3] - 1) / outs + 1) * ins;
            return {needed};
          }};
}

/// Weights as of convolutions of int8; scales of each output channel, or one.
Case hybrid_conv_case(Random& random, KernelId kernel) {
  const Convolution c = random_convolution(random, random.between(1, 3));
  const auto weights = std::make_shared<const std::vector<int8_t>>(c.weights);
  const auto constants = std::make_shared<FloatConstants>();  // weights: scales
  const int32_t scale_step = random.between(0, 1);
  constants->weights = random_floats(random, scale_step == 0 ? 1 : c.out[3]);
  constants->bias = random_floats(random, c.out[3]);
  const FloatClampParams clamp = random_float_clamp(random);
  const int32_t ins = c.in[3] / c.groups, outs = c.out[3] / c.groups;
  const int32_t zero_point = random.between(-128, 127);
  const Window2D window = c.window;
  return {.in = {{c.in, kFloat}},
          .out = {c.out, kFloat},
          .run =
              [=](const Call& call) {
                const HybridConv2DParams p{.weights = weights->data(),
                                           .bias = constants->bias.data(),
                                           .scales = constants->weights.data(),
                                           .window = window,
                                           .in_per_group = ins,
                                           .out_per_group = outs,
                                           .scale_step = scale_step,
                                           .zero_point = zero_point,
                                           .clamp_min = clamp.clamp_min,
                                           .clamp_max = clamp.clamp_max};
                run(kernel, p, call);
              },
          .needed = [=](const Region& out, Chunk) -> std::vector<Region> {
            Region needed = window_region(window, out);
            needed.begin[3] = out.begin[3] / outs * ins;
            needed.end[3] = ((out.end[3] - 1) / outs + 1) * ins;
            return {needed};
          }};
}

/// The rows or columns of the input that those of the output reach, at least one.
void reach_back(Region& needed, int axis, const Region& out, int32_t pad, int32_t kernel,
                int32_t stride, int32_t extent) {
  const int32_t lowest = out.begin[axis] + pad - kernel + stride;
  needed.begin[axis] = std::clamp(lowest < 0 ? 0 : lowest / stride, 0, extent - 1);
  needed.end[axis] =
      std::clamp((out.end[axis] - 1 + pad) / stride + 1, needed.begin[axis] + 1, extent);
}

Case float_transpose_conv_case(Random& random, KernelId kernel) {
  const Extents in = random_extents(random);
  Window2D w{random.between(1, 4),
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
  const Extents out{in[0], in[1] * w.stride_h + random.between(0, 2),
                    in[2] * w.stride_w + random.between(0, 2), random.between(1, 7)};
  const auto constants = std::make_shared<FloatConstants>();
  constants->weights = random_floats(random, int64_t{out[3]} * w.kernel_h * w.kernel_w * in[3]);
  constants->bias = random_floats(random, out[3]);
  const FloatClampParams clamp = random_float_clamp(random);
  return {.in = {{in, kFloat}},
          .out = {out, kFloat},
          .run =
              [=](const Call& call) {
                const FloatConv2DParams p{
                    constants->weights.data(), constants->bias.data(), w, in[3], out[3],
                    clamp.clamp_min,           clamp.clamp_max};
                run(kernel, p, call);
              },
          .needed = [=](const Region& r, Chunk) -> std::vector<Region> {
            Region needed = r;
            reach_back(needed, 1, r, w.pad_top, w.kernel_h, w.stride_h, in[1]);
            reach_back(needed, 2, r, w.pad_left, w.kernel_w, w.stride_w, in[2]);
            needed.begin[3] = 0;
            needed.end[3] = in[3];
            return {needed};
          }};
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

/// Every window holds an element of the input: less padding than the window is wide, no dilation.
Case float_pool_case(Random& random, KernelId kernel) {
  const Extents in = random_extents(random);
  Window2D w{random.between(1, 4),
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

std::vector<float> random_floats(Random& random, int64_t count) {
  std::vector<float> values;
  for (; count > 0; --count) values.push_back(random_float(random));
  return values;
}

FloatClampParams random_float_clamp(Random& random) {
  if (random.between(0, 1) == 0) return {-kLargestFloat, kLargestFloat};
  return {-100, 100};
}

Case float_case(KernelId kernel, Random& random) {
  switch (info(kernel).family) {
    case Family::kConv2D:
      return float_conv_case(random, kernel);
    case Family::kConv2DHybrid:
      return hybrid_conv_case(random, kernel);
    case Family::kTransposeConv:
      return float_transpose_conv_case(random, kernel);
    case Family::kBatchMatMul:
      return float_matmul_case(random, kernel);
    case Family::kAveragePool2D:
    case Family::kL2Pool2D:
    case Family::kMaxPool2D:
    case Family::kMinPool2D:
      return float_pool_case(random, kernel);
    case Family::kMean:
      return float_mean_case(random, kernel);
    case Family::kAdd:
    case Family::kSub:
    case Family::kMul:
    case Family::kDiv:
      return float_pair_case(random, kernel, random_float_clamp(random));
    case Family::kFloorDiv:
    case Family::kFloorMod:
    case Family::kMaximum:
    case Family::kMinimum:
    case Family::kSquaredDifference:
    case Family::kPrelu:
      return float_pair_case(random, kernel, {});
    case Family::kClamp:
      return float_map_case(random, kernel, random_float_clamp(random));
    case Family::kLeakyRelu:
      return float_map_case(random, kernel, FloatLeakyReluParams{0.25F});
    case Family::kSoftmax:
    case Family::kLogSoftmax:
    case Family::kCumSum:
    case Family::kL2Normalization:
      return float_along_channels_case(random, kernel);
    case Family::kDetectionPostProcess:
      return detections_case(random, kernel);
    case Family::kSvdf:
    case Family::kLstm:
    case Family::kLstmHybrid:
      return float_recurrent_case(kernel, random);
    case Family::kResizeBilinear:
      return float_resize_case(random, kernel);
    default:  // functions
      return float_map_case(random, kernel, {});
  }
}

}  // namespace thimble::testing
