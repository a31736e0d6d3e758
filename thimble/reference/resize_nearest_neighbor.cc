// SPDX-License-Identifier: Apache-2.0
// RESIZE_NEAREST_NEIGHBOR: copies raw pixels, for every element type.
#include "thimble/model/resize.h"
#include "thimble/reference/bounds_of.h"
#include "thimble/reference/evaluate.h"
#include "thimble/reference/real_of.h"
#include "thimble/reference/window.h"

namespace thimble::reference {

std::vector<Bytes> evaluate(const ResizeNearestNeighbor& op, const OpContext& context) {
  const Image in(context.input(0).shape);
  const Image out(context.output().shape);
  const int64_t size = size_bytes(context.input(0).type);
  const std::vector<int64_t> rows = nearest_rows(op, in.h, out.h);
  const std::vector<int64_t> columns = nearest_rows(op, in.w, out.w);
  const Bytes& x = context.input_bytes(0);
  Bytes result;
  result.reserve(static_cast<size_t>(context.output().size_bytes()));
  for (int64_t n = 0; n < out.n; ++n) {
    for (const int64_t row : rows) {
      for (const int64_t column : columns) {
        const auto from = x.begin() + in.pixel(n, row, column) * size;
        result.insert(result.end(), from, from + in.c * size);
      }
    }
  }
  return {result};
}

RealValues real_of(const ResizeNearestNeighbor& op, const RealContext& c) { return moved(op, c); }

ValueRanges bounds_of(const ResizeNearestNeighbor&, const BoundsContext& c) {
  return c.input_bounds(0);
}

}  // namespace thimble::reference
