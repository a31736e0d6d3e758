// SPDX-License-Identifier: Apache-2.0
// Transposition of a matrix in its own bytes: each cycle of the permutation is followed once, from
// its least position. No memory is needed to remember which cycles are done: a position begins one
// unless the cycle comes to a lesser one (Fich, Munro, Poblete, "Permuting in Place", 1995, 2).
#include "thimble_runtime/kernels.h"

namespace thimble::runtime {
namespace {

struct Matrix {
  uint32_t rows, columns;

  // Row-major before, column-major after: where the element comes from that ends at `to`.
  uint32_t source(uint32_t to) const noexcept {
    const uint32_t column = to / rows;
    return (to - column * rows) * columns + column;
  }
};

// Elements of the cycle through `start`; 0 if it has a lesser position.
uint32_t cycle_length(const Matrix& matrix, uint32_t start) noexcept {
  uint32_t length = 1;
  uint32_t at = matrix.source(start);
  for (; at > start; ++length) at = matrix.source(at);
  return at == start ? length : 0;
}

void move_cycle(const Matrix& matrix, uint32_t start, int8_t* data) noexcept {
  const int8_t first = data[start];
  uint32_t to = start;
  for (uint32_t from = matrix.source(to); from != start; from = matrix.source(to)) {
    data[to] = data[from];
    to = from;
  }
  data[to] = first;
}

}  // namespace

void transpose_in_place_8(const View& x, const View& out, const Region& region) noexcept {
  uint32_t count = 1;
  uint32_t rows = 1;
  for (int32_t axis = 0; axis < 4; ++axis) {
    const int32_t extent = region.end[axis] - region.begin[axis];
    count *= static_cast<uint32_t>(extent);
    // Neighbours in a row of x are a column's length apart in out.
    if (extent > 1 && x.stride[axis] == 1) rows = static_cast<uint32_t>(out.stride[axis]);
  }
  if (count < 3) return;
  const Matrix matrix{rows, count / rows};
  auto* data = static_cast<int8_t*>(out.data);
  uint32_t left = count - 2;  // to be moved: the first and the last element stay
  for (uint32_t start = 1; left > 0; ++start) {
    const uint32_t length = cycle_length(matrix, start);
    if (length > 1) move_cycle(matrix, start, data);
    left -= length;
  }
}

}  // namespace thimble::runtime
