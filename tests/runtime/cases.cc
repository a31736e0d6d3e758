// SPDX-License-Identifier: Apache-2.0
#include "tests/runtime/cases.h"

#include <algorithm>
#include <memory>

namespace thimble::testing {
namespace {

using namespace runtime;

int32_t out_extent(Random& random, int32_t in, int32_t kernel, int32_t stride, int32_t dilation,
                   int32_t pad) {
  const int32_t span = (kernel - 1) * dilation + 1;
  const int32_t pad_end = random.between(0, kernel - 1);
  return std::max(0, in + pad + pad_end - span) / stride + 1;
}

// Windows that reach into the input somewhere at least.
Window2D random_window(Random& random, const Extents& in, Extents& out) {
  Window2D w{};
  w.kernel_h = random.between(1, 4);
  w.kernel_w = random.between(1, 4);
  w.stride_h = random.between(1, 3);
  w.stride_w = random.between(1, 3);
  w.dilation_h = random.between(1, 2);
  w.dilation_w = random.between(1, 2);
  w.pad_top = random.between(0, w.kernel_h - 1);
  w.pad_left = random.between(0, w.kernel_w - 1);
  w.in_h = in[1];
  w.in_w = in[2];
  out[1] = out_extent(random, in[1], w.kernel_h, w.stride_h, w.dilation_h, w.pad_top);
  out[2] = out_extent(random, in[2], w.kernel_w, w.stride_w, w.dilation_w, w.pad_left);
  return w;
}

void fill(Random& random, Convolution& c, int64_t weights) {
  const auto channels = static_cast<size_t>(c.out[3]);
  c.weights = random.bytes(weights);
  c.input_zero_point = random.between(-128, 127);
  for (size_t o = 0; o < channels; ++o) {
    c.bias.push_back(random.between(-20000, 20000));
    c.multipliers.push_back(random.between(1 << 30, 0x7FFFFFFF));
    c.shifts.push_back(static_cast<int8_t>(random.between(-11, -5)));
  }
}

Scale random_scale(Random& random, int32_t low, int32_t high) {
  return {random.between(1 << 30, 0x7FFFFFFF), random.between(low, high)};
}

Extents random_extents(Random& random, int32_t images) {
  return {images, random.between(1, 7), random.between(1, 7), random.between(1, 11)};
}

Case elementwise_case(const Extents& extents,
                      std::function<void(const View&, const View&, const Region&)> run) {
  return {extents, extents, std::move(run), [](const Region& r) { return r; }};
}

}  // namespace

runtime::Region window_region(const Window2D& w, const Region& out) {
  Region needed = out;
  auto reach = [&](int axis, int32_t stride, int32_t pad, int32_t span, int32_t extent) {
    const int32_t begin = out.begin[axis] * stride - pad;
    const int32_t end = (out.end[axis] - 1) * stride - pad + span;
    needed.begin[axis] = std::clamp(begin, 0, extent - 1);
    needed.end[axis] = std::clamp(end, needed.begin[axis] + 1, extent);
  };
  reach(1, w.stride_h, w.pad_top, (w.kernel_h - 1) * w.dilation_h + 1, w.in_h);
  reach(2, w.stride_w, w.pad_left, (w.kernel_w - 1) * w.dilation_w + 1, w.in_w);
  return needed;
}

Conv2DParams Convolution::conv_2d() const {
  return {weights.data(),
          bias.data(),
          {multipliers.data(), shifts.data()},
          window,
          in[3] / groups,
          out[3] / groups,
          input_zero_point,
          3,
          -100,
          110};
}

DepthwiseConv2DParams Convolution::depthwise() const {
  return {weights.data(),
          bias.data(),
          {multipliers.data(), shifts.data()},
          window,
          out[3],
          multiplier,
          input_zero_point,
          3,
          -100,
          110};
}

Convolution random_convolution(Random& random, int32_t groups) {
  Convolution c;
  c.groups = groups;
  c.in = {random.between(1, 2), random.between(1, 7), random.between(1, 16),
          groups * random.between(1, 6)};
  c.out = {c.in[0], 0, 0, groups * random.between(1, 9)};
  c.window = random_window(random, c.in, c.out);
  fill(random, c, int64_t{c.out[3]} * c.window.kernel_h * c.window.kernel_w * c.in[3] / groups);
  return c;
}

Convolution random_depthwise(Random& random, int32_t multiplier) {
  Convolution c;
  c.multiplier = multiplier;
  c.in = {random.between(1, 2), random.between(1, 7), random.between(1, 16), random.between(1, 9)};
  c.out = {c.in[0], 0, 0, c.in[3] * multiplier};
  c.window = random_window(random, c.in, c.out);
  fill(random, c, int64_t{c.out[3]} * c.window.kernel_h * c.window.kernel_w);
  return c;
}

Convolution random_same_depthwise(Random& random) {
  Convolution c;
  c.in = c.out = {random.between(1, 2), random.between(1, 14), random.between(1, 14),
                  random.between(1, 11)};
  const int32_t kernel = random.between(0, 2) * 2 + 1;
  const int32_t dilation = random.between(1, 2);
  const int32_t pad = kernel / 2 * dilation;
  c.window = {kernel, kernel, 1, 1, dilation, dilation, pad, pad, c.in[1], c.in[2]};
  fill(random, c, int64_t{c.out[3]} * kernel * kernel);
  return c;
}

namespace {

Case convolution_case(const std::shared_ptr<Convolution>& c, bool depthwise) {
  return {c->in, c->out,
          [c, depthwise](const View& x, const View& out, const Region& region) {
            if (depthwise) return runtime::depthwise_conv_2d(c->depthwise(), x, out, region);
            runtime::conv_2d(c->conv_2d(), x, out, region);
          },
          [c, depthwise](const Region& out) {
            Region needed = window_region(c->window, out);
            if (depthwise) {
              needed.begin[3] = out.begin[3] / c->multiplier;
              needed.end[3] = (out.end[3] - 1) / c->multiplier + 1;
              return needed;
            }
            const int32_t ins = c->in[3] / c->groups;
            const int32_t outs = c->out[3] / c->groups;
            needed.begin[3] = out.begin[3] / outs * ins;
            needed.end[3] = ((out.end[3] - 1) / outs + 1) * ins;
            return needed;
          }};
}

Case pool_case(Random& random, void (*kernel)(const Pool2DParams&, const View&, const View&,
                                              const Region&) noexcept) {
  const Extents in = random_extents(random, 2);
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
  const Extents out{in[0], (in[1] + p.window.pad_top - 1) / p.window.stride_h + 1,
                    (in[2] + p.window.pad_left - 1) / p.window.stride_w + 1, in[3]};
  return {in, out, [=](const View& x, const View& o, const Region& r) { kernel(p, x, o, r); },
          [w = p.window](const Region& r) { return window_region(w, r); }};
}

}  // namespace

Case conv_2d_case(Random& random) {
  return convolution_case(std::make_shared<Convolution>(random_convolution(random, 1)), false);
}

Case grouped_conv_2d_case(Random& random) {
  const int32_t groups = random.between(2, 3);
  return convolution_case(std::make_shared<Convolution>(random_convolution(random, groups)), false);
}

Case depthwise_conv_2d_case(Random& random) {
  return convolution_case(std::make_shared<Convolution>(random_depthwise(random, 1)), true);
}

Case multiplied_depthwise_conv_2d_case(Random& random) {
  const int32_t multiplier = random.between(2, 9);
  return convolution_case(std::make_shared<Convolution>(random_depthwise(random, multiplier)),
                          true);
}

Case average_pool_2d_case(Random& random) { return pool_case(random, runtime::average_pool_2d); }

Case max_pool_2d_case(Random& random) { return pool_case(random, runtime::max_pool_2d); }

Case add_case(Random& random) {
  const Extents extents = random_extents(random, 2);
  auto other = std::make_shared<Stored<int8_t>>(store(random.bytes(count(extents)), extents));
  const AddParams p{20,
                    {random.between(-128, 127), random.between(-128, 127)},
                    random.between(-128, 127),
                    {random_scale(random, -3, 0), random_scale(random, -3, 0)},
                    random_scale(random, -19, -17),
                    -120,
                    120};
  return elementwise_case(extents, [=](const View& x, const View& out, const Region& r) {
    runtime::add(p, x, other->view, out, r);
  });
}

// As many matrices on the right as on the left.
Case batch_matmul_case(Random& random) {
  const Extents in = random_extents(random, 2);
  const Extents out{in[0], in[1], in[2], random.between(1, 7)};
  const Extents right{in[0], in[1], out[3], in[3]};
  auto other = std::make_shared<Stored<int8_t>>(store(random.bytes(count(right)), right));
  const BatchMatMulParams p{in[3],
                            {random.between(-128, 127), random.between(-128, 127)},
                            random.between(-128, 127),
                            random_scale(random, -11, -7)};
  return {in, out,
          [=](const View& x, const View& o, const Region& r) {
            runtime::batch_matmul(p, x, other->view, o, r);
          },
          [channels = in[3]](const Region& r) {
            Region needed = r;
            needed.begin[3] = 0;
            needed.end[3] = channels;
            return needed;
          }};
}

Case mul_case(Random& random) {
  const Extents extents = random_extents(random, 2);
  // One factor per channel.
  auto other = std::make_shared<Stored<int8_t>>(
      store(random.bytes(extents[3]), Extents{1, 1, 1, extents[3]}));
  for (int k = 0; k < 3; ++k) other->view.stride[k] = 0;
  const MulParams p{{random.between(-128, 127), random.between(-128, 127)},
                    random.between(-128, 127),
                    random_scale(random, -9, -5),
                    -120,
                    120};
  return elementwise_case(extents, [=](const View& x, const View& out, const Region& r) {
    runtime::mul(p, other->view, x, out, r);
  });
}

Case mean_case(Random& random) {
  const Extents in = random_extents(random, 2);
  Extents out = in;
  MeanParams p{};
  for (size_t k = 0; k < 4; ++k) {
    p.in_extent[k] = in[k];
    p.reduced[k] = random.between(0, 1);
    if (p.reduced[k] != 0) out[k] = 1;
  }
  p.scale = random_scale(random, -5, 0);
  p.input_zero_point = random.between(-128, 127);
  p.output_zero_point = random.between(-128, 127);
  return {in, out,
          [=](const View& x, const View& o, const Region& r) { runtime::mean(p, x, o, r); },
          [p](const Region& r) {
            Region needed = r;
            for (int k = 0; k < 4; ++k) {
              if (p.reduced[k] != 0) needed.end[k] = p.in_extent[k];
            }
            return needed;
          }};
}

Case pad_case(Random& random) {
  const Extents in = random_extents(random, 2);
  Extents out{};
  PadParams p{};
  p.value = random.between(-128, 127);
  for (size_t k = 0; k < 4; ++k) {
    p.in_extent[k] = in[k];
    p.before[k] = random.between(0, 3);
    out[k] = p.before[k] + in[k] + random.between(0, 3);
  }
  return {in, out, [=](const View& x, const View& o, const Region& r) { runtime::pad(p, x, o, r); },
          [p](const Region& r) {
            Region needed{};
            for (int k = 0; k < 4; ++k) {
              needed.begin[k] = std::clamp(r.begin[k] - p.before[k], 0, p.in_extent[k] - 1);
              needed.end[k] =
                  std::clamp(r.end[k] - p.before[k], needed.begin[k] + 1, p.in_extent[k]);
            }
            return needed;
          }};
}

Case copy_case(Random& random) {
  return elementwise_case(random_extents(random, 2), runtime::copy_8);
}

Case rescale_case(Random& random) {
  const RescaleParams p{random_scale(random, -2, 2), random.between(-128, 127),
                        random.between(-128, 127), -128, 127};
  return elementwise_case(random_extents(random, 2),
                          [=](const View& x, const View& out, const Region& r) {
                            runtime::rescale_i8_i8(p, x, out, r);
                          });
}

Case clamp_case(Random& random) {
  const ClampParams p{random.between(-128, 0), random.between(1, 127)};
  return elementwise_case(
      random_extents(random, 2),
      [=](const View& x, const View& out, const Region& r) { runtime::clamp(p, x, out, r); });
}

Case lookup_case(Random& random) {
  return elementwise_case(
      random_extents(random, 2),
      [table = random.bytes(256)](const View& x, const View& out, const Region& r) {
        runtime::lookup_i8({table.data()}, x, out, r);
      });
}

Case softmax_case(Random& random) {
  const Extents extents = random_extents(random, 2);
  const SoftmaxParams p{random_scale(random, 20, 23), -128, extents[3]};
  Case c = elementwise_case(extents, [=](const View& x, const View& out, const Region& r) {
    runtime::softmax_i8_i8(p, x, out, r);
  });
  return c;
}

Case resize_nearest_neighbor_case(Random& random) {
  const Extents in = random_extents(random, 2);
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
  return {in, out,
          [=](const View& from, const View& to, const Region& r) {
            runtime::resize_nearest_neighbor({y->data(), x->data()}, from, to, r);
          },
          [=](const Region& r) {
            Region needed = r;
            const auto map = [&](int axis, const std::vector<int16_t>& table) {
              needed.begin[axis] = table[static_cast<size_t>(r.begin[axis])];
              needed.end[axis] = table[static_cast<size_t>(r.end[axis] - 1)] + 1;
            };
            map(1, *y);
            map(2, *x);
            return needed;
          }};
}

Case resize_bilinear_case(Random& random) {
  const Extents in = random_extents(random, 2);
  Extents out = in;
  const auto axis = [&](size_t k) {
    out[k] = random.between(1, 12);
    const int32_t step = 1024 * in[k] / out[k];
    return LinearAxis{step, random.between(0, 1) * (step / 2 - 512), in[k]};
  };
  const ResizeBilinearParams p{axis(1), axis(2)};
  return {
      in, out,
      [=](const View& x, const View& o, const Region& r) { runtime::resize_bilinear(p, x, o, r); },
      [=](const Region& r) {
        Region needed = r;
        const auto map = [&](int k, const LinearAxis& a) {
          const auto at = [&](int32_t index) { return index * a.step + a.offset; };
          needed.begin[k] = std::max(at(r.begin[k]), 0) / 1024;
          const int32_t last = (std::max(at(r.end[k] - 1), 0) + 1023) / 1024;
          needed.end[k] = std::min(last, a.in_extent - 1) + 1;
        };
        map(1, p.rows);
        map(2, p.columns);
        return needed;
      }};
}

}  // namespace thimble::testing
