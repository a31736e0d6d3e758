// SPDX-License-Identifier: Apache-2.0
// RESIZE_BILINEAR of int8: weights in 1/1024 along height and width, halves away from zero.
#include "thimble/model/resize.h"
#include "thimble/reference/bounds_of.h"
#include "thimble/reference/evaluate.h"
#include "thimble/reference/real_of.h"
#include "thimble/reference/window.h"

namespace thimble::reference {

std::vector<Bytes> evaluate(const ResizeBilinear& op, const OpContext& context) {
  const Image in(context.input(0).shape);
  const Image out(context.output().shape);
  const LinearPositions vertical = linear_positions(op, in.h, out.h);
  const LinearPositions horizontal = linear_positions(op, in.w, out.w);
  const std::vector<int8_t> x = context.read<int8_t>(0);
  std::vector<int8_t> result;
  for (int64_t n = 0; n < out.n; ++n) {
    for (int64_t oy = 0; oy < out.h; ++oy) {
      const LinearRows y = linear_rows(vertical, oy, in.h);
      for (int64_t ox = 0; ox < out.w; ++ox) {
        const LinearRows c = linear_rows(horizontal, ox, in.w);
        for (int64_t channel = 0; channel < out.c; ++channel) {
          const auto value = [&](int64_t row, int64_t column) {
            return int64_t{x[static_cast<size_t>(in.pixel(n, row, column) + channel)]};
          };
          const int64_t above =
              value(y.first, c.first) * (1024 - c.fraction) + value(y.first, c.last) * c.fraction;
          const int64_t below =
              value(y.last, c.first) * (1024 - c.fraction) + value(y.last, c.last) * c.fraction;
          const int64_t sum = above * (1024 - y.fraction) + below * y.fraction;
          const int64_t half = sum > 0 ? 1 << 19 : -(1 << 19);
          result.push_back(static_cast<int8_t>((sum + half) / (1 << 20)));
        }
      }
    }
  }
  return {bytes_from(result)};
}

RealValues real_of(const ResizeBilinear& op, const RealContext& c) {
  const Image in(c.shape(0));
  const Image out(c.output_shape());
  const std::vector<RealRows> rows = real_rows(op, in.h, out.h);
  const std::vector<RealRows> columns = real_rows(op, in.w, out.w);
  const RealValues& x = *c.inputs[0];
  RealValues result(static_cast<size_t>(elements(c.output_shape())));
  for (int64_t pixel = 0; pixel < out.n * out.h * out.w; ++pixel) {
    const int64_t n = pixel / (out.w * out.h);
    const RealRows& y = rows[static_cast<size_t>(pixel / out.w % out.h)];
    const RealRows& z = columns[static_cast<size_t>(pixel % out.w)];
    const float below = y.fraction, right = z.fraction;
    for (int64_t k = 0; k < out.c; ++k) {
      const auto value = [&](int64_t row, int64_t column) {
        return x[static_cast<size_t>(in.pixel(n, row, column) + k)];
      };
      result[static_cast<size_t>(pixel * out.c + k)] =
          value(y.first, z.first) * (1 - below) * (1 - right) +
          value(y.last, z.first) * below * (1 - right) +
          value(y.first, z.last) * (1 - below) * right + value(y.last, z.last) * below * right;
    }
  }
  return result;
}

// Between pixels: a weighted mean, rounded, lies among them.
ValueRanges bounds_of(const ResizeBilinear&, const BoundsContext& c) { return c.input_bounds(0); }

}  // namespace thimble::reference
