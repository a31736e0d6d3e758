// SPDX-License-Identifier: Apache-2.0
// MAX_POOL_2D (MIN_POOL_2D): the largest (smallest) raw value of the window; padding never wins.
#include <algorithm>
#include <limits>

#include "thimble/reference/activation_range.h"
#include "thimble/reference/bounds_of.h"
#include "thimble/reference/evaluate.h"
#include "thimble/reference/real_of.h"
#include "thimble/reference/real_pools.h"
#include "thimble/reference/window.h"

namespace thimble::reference {

std::vector<Bytes> evaluate(const MaxPool2D& op, const OpContext& context) {
  const Image in(context.input(0).shape);
  const Image out(context.output().shape);
  const std::vector<int32_t> x = integers_from(context.input_bytes(0), context.input(0).type);
  const ActivationRange range = activation_range(op.activation, context.output());

  const IntegerRange values = range_of(context.output().type);
  const auto worst = static_cast<int32_t>(op.least ? values.max : values.min);
  std::vector<int32_t> result;
  for (int64_t n = 0; n < out.n; ++n) {
    for (int64_t oy = 0; oy < out.h; ++oy) {
      const Taps rows = taps_of_row(op.window, oy, in.h);
      for (int64_t ox = 0; ox < out.w; ++ox) {
        const Taps columns = taps_of_column(op.window, ox, in.w);
        std::vector<int32_t> best(static_cast<size_t>(out.c), worst);
        for (int64_t ky = rows.begin; ky < rows.end; ++ky) {
          for (int64_t kx = columns.begin; kx < columns.end; ++kx) {
            const size_t pixel =
                static_cast<size_t>(in.pixel(n, rows.position(ky), columns.position(kx)));
            for (size_t c = 0; c < best.size(); ++c) {
              best[c] =
                  op.least ? std::min(best[c], x[pixel + c]) : std::max(best[c], x[pixel + c]);
            }
          }
        }
        for (int32_t value : best) result.push_back(std::clamp(value, range.min, range.max));
      }
    }
  }
  return {bytes_from_integers(result, context.output().type)};
}

RealValues real_of(const MaxPool2D& op, const RealContext& c) {
  if (op.least) {
    return clamped(op.activation, pooled(
                                      op.window, c, std::numeric_limits<float>::max(),
                                      [](float a, float b) { return std::min(a, b); },
                                      [](float smallest, float) { return smallest; }));
  }
  return clamped(op.activation, pooled(
                                    op.window, c, std::numeric_limits<float>::lowest(),
                                    [](float a, float b) { return b > a ? b : a; },
                                    [](float largest, float) { return largest; }));
}

ValueRanges bounds_of(const MaxPool2D& op, const BoundsContext& c) {
  const Image in(c.input(0).shape), out(c.output().shape);
  const auto misses = [](const Taps& taps) { return taps.count() == 0; };
  ValueRanges result = c.input_bounds(0);
  if (std::ranges::any_of(distinct_taps_of_rows(op.window, in.h, out.h), misses) ||
      std::ranges::any_of(distinct_taps_of_columns(op.window, in.w, out.w), misses)) {
    const IntegerRange values = range_of(c.output().type);
    for (ValueRange& i : result) {
      if (op.least) {
        i.high = static_cast<int32_t>(values.max);
      } else {
        i.low = static_cast<int32_t>(values.min);
      }
    }
  }
  return clamped(result, activation_range(op.activation, c.output()));
}

}  // namespace thimble::reference
