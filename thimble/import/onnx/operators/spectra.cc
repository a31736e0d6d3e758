// SPDX-License-Identifier: Apache-2.0
// Fourier transforms: products with constant matrices. An axis of one or two behind all others has
// real and imaginary parts.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "thimble/import/file_limits.h"
#include "thimble/import/onnx/along_axis.h"

namespace thimble::onnx {
namespace {

struct Transform {
  int64_t length = 0;   ///< of the transform; indices behind those that there are count as 0
  int64_t outputs = 0;  ///< bins
  bool inverse = false;
  std::vector<float> window = {};  ///< what each index is times; none: 1
};

Transform transform_of(const Reading& r, int64_t length) {
  const bool one_sided = r.node.whole("onesided", r.node.op() == "STFT" ? 1 : 0) != 0;
  const bool inverse = r.node.whole("inverse", 0) != 0;
  if (one_sided && inverse) r.node.refuse("is not supported inverse and onesided");
  if (one_sided && r.input(0).shape.back() != 1)
    r.node.damaged("it is onesided, of complex numbers");
  return {.length = length, .outputs = one_sided ? length / 2 + 1 : length, .inverse = inverse};
}

/// [outputs, indices] of the cosines, or of the sines.
std::vector<float> matrix_of(const Reading& r, const Transform& t, int64_t extent, bool sines) {
  constexpr int64_t kMostElements = 1 << 22;
  if (t.length < 1 || t.outputs > kMostElements / std::max<int64_t>(extent, 1))
    r.node.refuse(fmt::format("is not supported of {} points; {} products of a matrix are the most",
                              t.length, kMostElements));
  std::vector<float> matrix(static_cast<size_t>(t.outputs * extent), 0);
  for (int64_t k = 0; k < t.outputs; ++k) {
    for (int64_t n = 0; n < std::min(extent, t.length); ++n) {
      const double turn = 2 * std::numbers::pi * static_cast<double>(k * n % t.length) /
                          static_cast<double>(t.length);
      double value = sines ? (t.inverse ? 1 : -1) * std::sin(turn) : std::cos(turn);
      if (t.inverse) value /= static_cast<double>(t.length);
      if (!t.window.empty()) value *= static_cast<double>(t.window[static_cast<size_t>(n)]);
      matrix[static_cast<size_t>(k * extent + n)] = static_cast<float>(value);
    }
  }
  return matrix;
}

Value transformed(const Reading& r, const Value& x, size_t axis, const Transform& t) {
  const size_t last = x.rank() - 1;
  const int64_t extent = x.shape[axis];
  const std::vector<float> cosines = matrix_of(r, t, extent, false);
  const std::vector<float> sines = matrix_of(r, t, extent, true);
  const Value real = x.shape[last] == 1 ? x : taken(r, x, last, {0});
  Value of_real = mixed(r, real, axis, cosines), of_imaginary = mixed(r, real, axis, sines);
  if (x.shape[last] == 2) {
    const Value imaginary = taken(r, x, last, {1});
    of_real = r.each(Sub{}, of_real, mixed(r, imaginary, axis, sines));
    of_imaginary = r.each(Add{}, of_imaginary, mixed(r, imaginary, axis, cosines));
  }
  return joined_along(r, {of_real, of_imaginary}, last);
}

void check_parts(const Reading& r, const Value& x, size_t least, size_t most) {
  if (x.rank() < least || x.rank() > most || x.shape.back() < 1 || x.shape.back() > 2)
    r.node.damaged(fmt::format("{} is no signal of real or complex numbers", to_string(x.shape)));
}

int64_t whole_of(const Reading& r, size_t k, const char* what) {
  const int64_t value = one_whole(r.node, r.constant(k, what), what);
  if (value < 1) r.node.damaged(fmt::format("{} is no length", what));
  return value;
}

void dft(Reading& r) {
  const Value& x = r.input(0);
  check_parts(r, x, 2, kMaxRank);
  int64_t along = r.node.opset < 20 ? r.node.whole("axis", 1) : -2;
  if (r.has(2)) along = one_whole(r.node, r.constant(2, "an axis"), "an axis");
  const size_t axis = r.node.axis(along, x.rank());
  if (axis + 1 == x.rank()) r.node.damaged("it transforms real and imaginary parts");
  const int64_t length = r.has(1) ? whole_of(r, 1, "a length") : x.shape[axis];
  r.make(0, transformed(r, x, axis, transform_of(r, length)));
}

void stft(Reading& r) {
  const Value& x = r.input(0);
  check_parts(r, x, 3, 3);
  const int64_t step = whole_of(r, 1, "a step");
  std::vector<float> window;
  if (r.has(2)) window = reals(r.constant(2, "a window"));
  const int64_t length = r.has(3) ? whole_of(r, 3, "a length") : std::ssize(window);
  if (length < 1 || length > x.shape[1] || (!window.empty() && std::ssize(window) != length))
    r.node.damaged(fmt::format("frames of {} in {}", length, x.shape[1]));
  const int64_t frames = (x.shape[1] - length) / step + 1;
  constexpr int64_t kMostElements = 1 << 24;
  if (step > x.shape[1] || frames > kMostElements / length)
    r.node.refuse(fmt::format("is not supported of {} frames of {}", frames, length));
  std::vector<int64_t> positions;
  for (int64_t frame = 0; frame < frames; ++frame)
    for (int64_t k = 0; k < length; ++k) positions.push_back(frame * step + k);
  const Value all =
      in_shape(taken(r, x, 1, positions), {x.shape[0], frames, length, x.shape.back()});
  Transform t = transform_of(r, length);
  t.window = std::move(window);
  r.make(0, transformed(r, all, 2, t));
}

}  // namespace

const ReadNodes& spectrum_operators() {
  static const ReadNodes all = {{"DFT", dft}, {"STFT", stft}};
  return all;
}

}  // namespace thimble::onnx
