// SPDX-License-Identifier: Apache-2.0
// AVERAGE_POOL_2D: raw quantised values, rounded half away from zero (of uint8: up); padding is not
// counted.
#include <algorithm>

#include "thimble/reference/activation_range.h"
#include "thimble/reference/bounds_of.h"
#include "thimble/reference/evaluate.h"
#include "thimble/reference/real_of.h"
#include "thimble/reference/real_pools.h"
#include "thimble/reference/window.h"

namespace thimble::reference {
namespace {

int32_t rounded_quotient(int32_t sum, int32_t count) {
  return sum > 0 ? (sum + count / 2) / count : (sum - count / 2) / count;
}

/// The quotient of values that were 128 more, none negative: ties round up.
int32_t rounded_quotient_of_uint8(int32_t sum, int32_t count) {
  return (sum + 128 * count + count / 2) / count - 128;
}

}  // namespace

std::vector<Bytes> evaluate(const AveragePool2D& op, const OpContext& context) {
  const Image in(context.input(0).shape);
  const Image out(context.output().shape);
  const std::vector<int32_t> x = integers_from(context.input_bytes(0), context.input(0).type);
  const ActivationRange range = activation_range(op.activation, context.output());
  const bool is_uint8 = context.arithmetic() == Arithmetic::kTfliteUint8;

  std::vector<int32_t> result;
  for (int64_t n = 0; n < out.n; ++n) {
    for (int64_t oy = 0; oy < out.h; ++oy) {
      const Taps rows = taps_of_row(op.window, oy, in.h);
      for (int64_t ox = 0; ox < out.w; ++ox) {
        const Taps columns = taps_of_column(op.window, ox, in.w);
        const int32_t count = static_cast<int32_t>(rows.count() * columns.count());
        check(count > 0, "a pooling window holds at least one element of the image");
        std::vector<int32_t> sums(static_cast<size_t>(out.c), 0);
        for (int64_t ky = rows.begin; ky < rows.end; ++ky) {
          for (int64_t kx = columns.begin; kx < columns.end; ++kx) {
            const size_t pixel =
                static_cast<size_t>(in.pixel(n, rows.position(ky), columns.position(kx)));
            for (size_t c = 0; c < sums.size(); ++c) sums[c] += x[pixel + c];
          }
        }
        for (int32_t sum : sums) {
          const int32_t average =
              is_uint8 ? rounded_quotient_of_uint8(sum, count) : rounded_quotient(sum, count);
          result.push_back(std::clamp(average, range.min, range.max));
        }
      }
    }
  }
  return {bytes_from_integers(result, context.output().type)};
}

RealValues real_of(const AveragePool2D& op, const RealContext& c) {
  return clamped(op.activation, pooled(
                                    op.window, c, 0, [](float a, float b) { return a + b; },
                                    [](float sum, float count) { return sum / count; }));
}

// An average of values, rounded, lies among them.
ValueRanges bounds_of(const AveragePool2D& op, const BoundsContext& c) {
  return clamped(c.input_bounds(0), activation_range(op.activation, c.output()));
}

}  // namespace thimble::reference
