// SPDX-License-Identifier: Apache-2.0
// MAX_POOL_2D: the largest raw value of the window; padding never wins.
#include <algorithm>

#include "thimble/reference/activation_range.h"
#include "thimble/reference/evaluate.h"
#include "thimble/reference/window.h"

namespace thimble::reference {

std::vector<Bytes> evaluate(const MaxPool2D& op, const OpContext& context) {
  const Image in(context.input(0).shape);
  const Image out(context.output().shape);
  const std::vector<int8_t> x = context.read<int8_t>(0);
  const ActivationRange range = activation_range(op.activation, context.output());

  std::vector<int8_t> result;
  for (int64_t n = 0; n < out.n; ++n) {
    for (int64_t oy = 0; oy < out.h; ++oy) {
      const Taps rows = taps_of_row(op.window, oy, in.h);
      for (int64_t ox = 0; ox < out.w; ++ox) {
        const Taps columns = taps_of_column(op.window, ox, in.w);
        std::vector<int8_t> largest(static_cast<size_t>(out.c), INT8_MIN);
        for (int64_t ky = rows.begin; ky < rows.end; ++ky) {
          for (int64_t kx = columns.begin; kx < columns.end; ++kx) {
            const size_t pixel =
                static_cast<size_t>(in.pixel(n, rows.position(ky), columns.position(kx)));
            for (size_t c = 0; c < largest.size(); ++c) {
              largest[c] = std::max(largest[c], x[pixel + c]);
            }
          }
        }
        for (int8_t value : largest) {
          result.push_back(static_cast<int8_t>(std::clamp<int32_t>(value, range.min, range.max)));
        }
      }
    }
  }
  return {bytes_from(result)};
}

}  // namespace thimble::reference
