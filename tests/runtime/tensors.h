// SPDX-License-Identifier: Apache-2.0
// Tensors in exact heap buffers, in every layout that views describe, so that AddressSanitizer sees
// any access outside the elements held.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "thimble_runtime/view.h"

namespace thimble::testing {

using Extents = std::array<int32_t, 4>;

/// Seeded; the same numbers on every machine.
class Random {
 public:
  explicit Random(uint32_t seed) : engine_(seed) {}
  int32_t between(int32_t low, int32_t high);  ///< both included
  std::vector<int8_t> bytes(int64_t count);

 private:
  std::mt19937 engine_;
};

int64_t count(const Extents& extents);
runtime::Region whole(const Extents& extents);
/// Not empty.
runtime::Region random_region(Random& random, const Extents& extents);

enum class Layout { kRowMajor, kChannelsFirst, kRowRing, kPixelRing };

/// The elements of `held`, a box of a tensor; rings hold whole rows or pixels of image 0.
template <class T>
struct Stored {
  std::unique_ptr<T[]> data;
  runtime::View view;

  T& at(int32_t n, int32_t y, int32_t x, int32_t c) {
    return runtime::pixel<T>(view, n, y, x)[c * view.stride[3]];
  }
};

template <class T>
Stored<T> allocate(const Extents& whole, const runtime::Region& held, Layout layout) {
  int32_t size[4];
  for (int k = 0; k < 4; ++k) size[k] = held.end[k] - held.begin[k];
  runtime::View view{};
  int64_t elements = int64_t{size[0]} * size[1] * size[2] * size[3];
  auto lay_out = [&](std::array<int, 4> order) {  // innermost first
    int32_t stride = 1;
    for (int axis : order) {
      view.stride[axis] = stride;
      stride *= size[axis];
    }
    for (int k = 0; k < 4; ++k) view.bias += held.begin[k] * view.stride[k];
  };
  auto wrap = [&](int64_t modulus) {
    const int32_t row = whole[2] * size[3];
    view = {nullptr,
            0,
            static_cast<int32_t>(modulus),
            held.begin[3],
            {whole[1] * row, row, size[3], 1}};
    elements = modulus;
  };
  switch (layout) {
    case Layout::kRowMajor:
      lay_out({3, 2, 1, 0});
      break;
    case Layout::kChannelsFirst:
      lay_out({2, 1, 3, 0});
      break;
    case Layout::kRowRing:
      wrap(int64_t{size[1]} * whole[2] * size[3]);
      break;
    case Layout::kPixelRing: {
      const int64_t first = int64_t{held.begin[1]} * whole[2] + held.begin[2];
      const int64_t last = int64_t{held.end[1] - 1} * whole[2] + held.end[2];
      wrap((last - first) * size[3]);
      break;
    }
  }
  auto data = std::make_unique<T[]>(static_cast<size_t>(elements));
  view.data = data.get();
  return {std::move(data), view};
}

template <class Visit>
void for_each_element(const runtime::Region& r, Visit visit) {
  for (int32_t n = r.begin[0]; n < r.end[0]; ++n) {
    for (int32_t y = r.begin[1]; y < r.end[1]; ++y) {
      for (int32_t x = r.begin[2]; x < r.end[2]; ++x) {
        for (int32_t c = r.begin[3]; c < r.end[3]; ++c) visit(n, y, x, c);
      }
    }
  }
}

/// The box `held` of a tensor whose row-major elements are `values`.
template <class T>
Stored<T> store(const std::vector<T>& values, const Extents& extents, const runtime::Region& held,
                Layout layout) {
  Stored<T> stored = allocate<T>(extents, held, layout);
  for_each_element(held, [&](int32_t n, int32_t y, int32_t x, int32_t c) {
    const int64_t i = ((int64_t{n} * extents[1] + y) * extents[2] + x) * extents[3] + c;
    stored.at(n, y, x, c) = values[static_cast<size_t>(i)];
  });
  return stored;
}

/// All of it, row-major.
template <class T>
Stored<T> store(const std::vector<T>& values, const Extents& extents) {
  return store(values, extents, whole(extents), Layout::kRowMajor);
}

/// Elements of the box, row-major.
template <class T>
std::vector<T> elements(Stored<T>& stored, const runtime::Region& box) {
  std::vector<T> result;
  for_each_element(box, [&](int32_t n, int32_t y, int32_t x, int32_t c) {
    result.push_back(stored.at(n, y, x, c));
  });
  return result;
}

}  // namespace thimble::testing
