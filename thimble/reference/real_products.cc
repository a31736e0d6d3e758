// SPDX-License-Identifier: Apache-2.0
// Convolutions and matrix products in float32. Loops run over output channels innermost, which
// compilers turn into vector instructions without changing the order of any sum.
#include "thimble/reference/real_products.h"

#include <algorithm>

#include "thimble/reference/matrices.h"
#include "thimble/reference/window.h"

namespace thimble::reference {
namespace {

constexpr int64_t kPixels = 4;  ///< output pixels at a time: so often is each weight used once read

/// sums[p][o] += x[p][i] * weights[i][o] for the pixels whose tap lies on the image.
void add_products(const float* const (&x)[kPixels], const float* weights, int64_t in_channels,
                  int64_t out_channels, float* sums) {
  for (int64_t i = 0; i < in_channels; ++i) {
    const float* w = weights + i * out_channels;
    for (int64_t p = 0; p < kPixels; ++p) {
      if (x[p] == nullptr) continue;
      const float value = x[p][i];
      float* sum = sums + p * out_channels;
      for (int64_t o = 0; o < out_channels; ++o) sum[o] += value * w[o];
    }
  }
}

/// [o][k] -> [k][o] for each group of output channels.
RealValues transposed(const RealValues& weights, int64_t groups, int64_t outputs, int64_t depth) {
  RealValues result(weights.size());
  for (int64_t g = 0; g < groups; ++g) {
    for (int64_t o = 0; o < outputs; ++o) {
      for (int64_t k = 0; k < depth; ++k) {
        result[static_cast<size_t>((g * depth + k) * outputs + o)] =
            weights[static_cast<size_t>((g * outputs + o) * depth + k)];
      }
    }
  }
  return result;
}

/// Last of all, as zeros too.
void add_bias(const RealValues* bias, int64_t channels, RealValues& sums) {
  for (size_t k = 0; k < sums.size(); ++k)
    sums[k] += bias == nullptr ? 0 : (*bias)[k % static_cast<size_t>(channels)];
}

}  // namespace

RealProduct product_of(const RealContext& c) {
  return {c.shape(0),
          *c.inputs[0],
          c.shape(1),
          *c.inputs[1],
          c.inputs.size() > 2 ? c.inputs[2] : nullptr,
          c.output_shape()};
}

RealValues real_conv(const Window& window, const RealProduct& a) {
  const Image in(a.x_shape);
  const Image out(a.out_shape);
  const Image w(a.weights_shape);
  const int64_t groups = in.c / w.c;
  const int64_t outputs = out.c / groups;
  const RealValues weights = transposed(a.weights, groups, outputs, w.h * w.w * w.c);
  RealValues result(static_cast<size_t>(out.n * out.h * out.w * out.c));
  RealValues sums(static_cast<size_t>(kPixels * outputs));
  for (int64_t row = 0; row < out.n * out.h; ++row) {
    const Taps rows = taps_of_row(window, row % out.h, in.h);
    for (int64_t x0 = 0; x0 < out.w; x0 += kPixels) {
      for (int64_t g = 0; g < groups; ++g) {
        std::ranges::fill(sums, 0.0F);
        for (int64_t ky = rows.begin; ky < rows.end; ++ky) {
          for (int64_t kx = 0; kx < w.w; ++kx) {
            const float* x[kPixels] = {};
            for (int64_t p = 0; p < std::min(kPixels, out.w - x0); ++p) {
              const Taps columns = taps_of_column(window, x0 + p, in.w);
              if (kx < columns.begin || kx >= columns.end) continue;
              x[p] = &a.x[static_cast<size_t>(
                  in.pixel(row / out.h, rows.position(ky), columns.position(kx)) + g * w.c)];
            }
            add_products(x,
                         &weights[static_cast<size_t>(((g * w.h + ky) * w.w + kx) * w.c * outputs)],
                         w.c, outputs, sums.data());
          }
        }
        for (int64_t p = 0; p < std::min(kPixels, out.w - x0); ++p) {
          float* to = &result[static_cast<size_t>((row * out.w + x0 + p) * out.c + g * outputs)];
          for (int64_t o = 0; o < outputs; ++o) to[o] = sums[static_cast<size_t>(p * outputs + o)];
        }
      }
    }
  }
  add_bias(a.bias, out.c, result);
  return result;
}

RealValues real_depthwise(const Window& window, int64_t multiplier, const RealProduct& a) {
  const Image in(a.x_shape);
  const Image out(a.out_shape);
  const Image w(a.weights_shape);
  RealValues result(static_cast<size_t>(out.n * out.h * out.w * out.c));
  for (int64_t pixel = 0; pixel < out.n * out.h * out.w; ++pixel) {
    const Taps rows = taps_of_row(window, pixel / out.w % out.h, in.h);
    const Taps columns = taps_of_column(window, pixel % out.w, in.w);
    float* to = &result[static_cast<size_t>(pixel * out.c)];
    for (int64_t ky = rows.begin; ky < rows.end; ++ky) {
      for (int64_t kx = columns.begin; kx < columns.end; ++kx) {
        const float* x = &a.x[static_cast<size_t>(
            in.pixel(pixel / (out.w * out.h), rows.position(ky), columns.position(kx)))];
        const float* tap = &a.weights[static_cast<size_t>(w.pixel(0, ky, kx))];
        if (multiplier == 1) {
          for (int64_t o = 0; o < out.c; ++o) to[o] += x[o] * tap[o];
        } else {
          for (int64_t o = 0; o < out.c; ++o) to[o] += x[o / multiplier] * tap[o];
        }
      }
    }
  }
  add_bias(a.bias, out.c, result);
  return result;
}

RealValues real_transpose_conv(const Window& window, const RealProduct& a) {
  const Image in(a.x_shape), out(a.out_shape), w(a.weights_shape);
  RealValues result(static_cast<size_t>(out.n * out.h * out.w * out.c));
  for (int64_t pixel = 0; pixel < in.n * in.h * in.w; ++pixel) {
    const float* x = &a.x[static_cast<size_t>(pixel * in.c)];
    for (int64_t tap = 0; tap < w.h * w.w; ++tap) {
      const int64_t ky = tap / w.w, kx = tap % w.w;
      const int64_t row = pixel / in.w % in.h * window.stride_h - window.padding.top + ky;
      const int64_t column = pixel % in.w * window.stride_w - window.padding.left + kx;
      if (row < 0 || row >= out.h || column < 0 || column >= out.w) continue;
      float* to = &result[static_cast<size_t>(out.pixel(pixel / (in.w * in.h), row, column))];
      for (int64_t o = 0; o < out.c; ++o) {
        const float* weights = &a.weights[static_cast<size_t>(w.pixel(o, ky, kx))];
        for (int64_t c = 0; c < in.c; ++c) to[o] += x[c] * weights[c];
      }
    }
  }
  add_bias(a.bias, out.c, result);
  return result;
}

/// A convolution of single pixels.
RealValues real_fully_connected(const RealProduct& a) {
  const int64_t outputs = a.weights_shape[0], depth = a.weights_shape[1];
  const int64_t batch = elements(a.x_shape) / depth;
  const Shape x{1, 1, batch, depth}, weights{outputs, 1, 1, depth}, out{1, 1, batch, outputs};
  return real_conv({}, {x, a.x, weights, a.weights, a.bias, out});
}

RealValues real_batch_matmul(const BatchMatMul& op, const RealProduct& a) {
  const Matrices at = matrices(op, a.x_shape, a.weights_shape, a.out_shape);
  RealValues result(at.x_first.size(), 0);
  for (size_t i = 0; i < result.size(); ++i) {
    const float* x = &a.x[static_cast<size_t>(at.x_first[i])];
    const float* y = &a.weights[static_cast<size_t>(at.y_first[i])];
    for (int64_t k = 0; k < at.depth; ++k) result[i] += x[k * at.x_step] * y[k * at.y_step];
  }
  return result;
}

}  // namespace thimble::reference
