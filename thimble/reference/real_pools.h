// SPDX-License-Identifier: Apache-2.0
// Pools in float32. Private to thimble/reference.
#pragma once

#include "thimble/reference/real_of.h"
#include "thimble/reference/window.h"

namespace thimble::reference {

/// Combines the elements of each window, starting from `first`; then finish(value, elements).
template <class Combine, class Finish>
RealValues pooled(const Window& window, const RealContext& c, float first, Combine combine,
                  Finish finish) {
  const Image in(c.shape(0));
  const Image out(c.output_shape());
  RealValues result(static_cast<size_t>(elements(c.output_shape())), first);
  for (int64_t pixel = 0; pixel < out.n * out.h * out.w; ++pixel) {
    const Taps rows = taps_of_row(window, pixel / out.w % out.h, in.h);
    const Taps columns = taps_of_column(window, pixel % out.w, in.w);
    float* to = &result[static_cast<size_t>(pixel * out.c)];
    for (int64_t ky = rows.begin; ky < rows.end; ++ky) {
      for (int64_t kx = columns.begin; kx < columns.end; ++kx) {
        const float* x = &(*c.inputs[0])[static_cast<size_t>(
            in.pixel(pixel / (out.w * out.h), rows.position(ky), columns.position(kx)))];
        for (int64_t k = 0; k < out.c; ++k) to[k] = combine(to[k], x[k]);
      }
    }
    const auto count = static_cast<float>(rows.count() * columns.count());
    for (int64_t k = 0; k < out.c; ++k) to[k] = finish(to[k], count);
  }
  return result;
}

}  // namespace thimble::reference
