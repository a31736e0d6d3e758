// SPDX-License-Identifier: Apache-2.0
// Transposition of a matrix in its own bytes: each cycle of the permutation is followed once, from
// its least position. No memory is needed to remember which cycles are done: a position begins one
// unless the cycle comes to a lesser one (Fich, Munro, Poblete, "Permuting in Place", 1995, 2).
//
// Few rows, as images have whose channels come first, go in words: columns are halved until a part
// fits a buffer on the stack, and each time the left halves of all rows are brought together.
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

constexpr uint32_t kMostRows = 4, kWord = 4;
constexpr uint32_t kPartColumns = 32;  // at a time, by way of the stack

struct __attribute__((may_alias)) Word {
  uint32_t value;
};

// [a words][b words] to [b words][a words]: words that change places are where they belong.
void swap_neighbours(Word* at, uint32_t a, uint32_t b) noexcept {
  while (a != 0 && b != 0) {
    const uint32_t count = a < b ? a : b;
    Word* other = at + a;
    for (Word* const end = at + count; at != end; ++at, ++other) {
      const Word held = *at;
      *at = *other;
      *other = held;
    }
    if (a <= b) {
      b -= count;
    } else {
      a -= count;
    }
  }
}

void transpose_part(int8_t* data, uint32_t rows, uint32_t columns) noexcept {
  int8_t part[kMostRows * kPartColumns];
  for (uint32_t k = 0; k < rows * columns; ++k) part[k] = data[k];
  for (uint32_t row = 0; row < rows; ++row) {
    const int8_t* const from = part + row * columns;
    int8_t* to = data + row;
    for (uint32_t column = 0; column < columns; ++column, to += rows) *to = from[column];
  }
}

// Columns are a multiple of four, data begins at a word.
void transpose_few_rows(int8_t* data, uint32_t rows, uint32_t columns) noexcept {
  uint32_t width = kPartColumns;
  while (width < columns) width *= 2;
  for (; width > kPartColumns; width /= 2) {
    const uint32_t left = width / 2;
    for (uint32_t begin = 0; begin + left < columns; begin += width) {
      const uint32_t all = columns - begin < width ? columns - begin : width, right = all - left;
      auto* const words = reinterpret_cast<Word*>(data + begin * rows);
      for (uint32_t row = 1; row < rows; ++row)
        swap_neighbours(words + row * left / kWord, row * right / kWord, left / kWord);
    }
  }
  for (uint32_t begin = 0; begin < columns; begin += kPartColumns) {
    const uint32_t rest = columns - begin;
    transpose_part(data + begin * rows, rows, rest < kPartColumns ? rest : kPartColumns);
  }
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
  if (rows > 1 && rows <= kMostRows && matrix.columns % kWord == 0 &&
      reinterpret_cast<uintptr_t>(data) % kWord == 0)
    return transpose_few_rows(data, rows, matrix.columns);
  uint32_t left = count - 2;  // to be moved: the first and the last element stay
  for (uint32_t start = 1; left > 0; ++start) {
    const uint32_t length = cycle_length(matrix, start);
    if (length > 1) move_cycle(matrix, start, data);
    left -= length;
  }
}

}  // namespace thimble::runtime
