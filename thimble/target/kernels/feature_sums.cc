// SPDX-License-Identifier: Apache-2.0
#include "thimble/target/kernels/feature_sums.h"

#include <algorithm>
#include <numeric>

#include "thimble/model/division.h"

namespace thimble {
namespace {

/// A window along one axis of the input.
struct WindowAxis {
  int32_t kernel, stride, dilation, pad, extent;

  /// Number of the first tap at `position` of the input or behind it.
  [[nodiscard]] int32_t first_tap_from(int64_t position, int64_t origin) const {
    const int64_t behind = position - origin;
    const int64_t tap = dilation == 1 ? behind : ceil_div(behind, dilation);
    return static_cast<int32_t>(std::clamp<int64_t>(tap, 0, kernel));
  }
};

/// Outputs without padding are all alike.
TapSums tap_sums(int32_t begin, int32_t end, const WindowAxis& w) {
  TapSums sums;
  const auto add = [&](int32_t first, int32_t last, double outputs) {
    sums.outputs += outputs;
    sums.inside += outputs * (last - first);
    sums.full += last - first == w.kernel ? outputs : 0;
    sums.runs +=
        outputs * ((first > 0 ? 1 : 0) + (last > first ? 1 : 0) + (last < w.kernel ? 1 : 0));
    sums.some_inside += last > first ? outputs : 0;
  };
  const runtime::Outputs full =
      runtime::full_outputs(begin, end, w.kernel, w.stride, w.dilation, w.pad, w.extent);
  if (full.begin < full.end) add(0, w.kernel, full.end - full.begin);
  for (int32_t k = begin; k < end; ++k) {
    if (k == full.begin && full.begin < full.end) k = full.end;
    if (k >= end) break;
    const int64_t origin = int64_t{k} * w.stride - w.pad;
    add(w.first_tap_from(0, origin), w.first_tap_from(w.extent, origin), 1);
  }
  return sums;
}

}  // namespace

TapSums row_taps(const runtime::Window2D& w, const runtime::Region& region) {
  return tap_sums(region.begin[1], region.end[1],
                  {w.kernel_h, w.stride_h, w.dilation_h, w.pad_top, w.in_h});
}

TapSums column_taps(const runtime::Window2D& w, const runtime::Region& region) {
  return tap_sums(region.begin[2], region.end[2],
                  {w.kernel_w, w.stride_w, w.dilation_w, w.pad_left, w.in_w});
}

TileColumns written_columns(const runtime::Window2D& w, const CallShape& call) {
  const int32_t begin = call.region.begin[2], columns = call.region.end[2] - begin;
  return {.begin = begin,
          .count = columns,
          .advance = call.advance > 0 ? call.advance : columns,
          .extent = (w.in_w + w.pad_left - 1) / w.stride_w + 1};
}

TileColumns read_columns(const runtime::Window2D& w, const CallShape& call) {
  const TileColumns out = written_columns(w, call);
  return {.begin = out.begin * w.stride_w - w.pad_left,
          .count = (out.count - 1) * w.stride_w + (w.kernel_w - 1) * w.dilation_w + 1,
          .advance = out.advance * w.stride_w,
          .extent = w.in_w};
}

double cut_rows(const runtime::View& view, const TileColumns& columns) {
  if (view.modulus == 0 || view.stride[2] == 0) return 0;
  if (view.modulus % view.stride[2] != 0)  // it ends within a column
    return std::min(1.0, double{1} * (columns.count - 1) * view.stride[2] / view.modulus);
  const int32_t held = view.modulus / view.stride[2];
  // Where rows begin in the ring: at multiples of this, or all at its beginning.
  const int32_t apart =
      columns_outermost(view) ? held : std::gcd(view.stride[1] / view.stride[2], held);
  int32_t begin = columns.begin % columns.advance, tiles = 0;
  if (begin < 0) begin += columns.advance;
  double cut = 0;
  for (; begin + columns.count <= columns.extent; begin += columns.advance, ++tiles) {
    const int32_t whole = apart - begin % apart;  // columns before the first such place
    if (columns.count > whole)
      cut += std::min(1.0, double{1} * apart * ceil_div(columns.count - whole, apart) / held);
  }
  return tiles == 0 ? 0 : cut / tiles;
}

// Pieces begin at multiples of what a ring and they have in common.
double cut_pieces(const runtime::View& view, double rows) {
  if (view.modulus == 0 || view.stride[1] == 0) return 0;
  const int32_t held = view.modulus / view.stride[1], piece = static_cast<int32_t>(rows);
  if (piece >= held) return piece == held ? 0 : 1;
  return static_cast<double>(piece - std::gcd(piece, held)) / held;
}

Channels in_quads(int32_t channels) {
  const int32_t quads = channels / 4;
  return {static_cast<double>(quads), static_cast<double>(channels - 4 * quads)};
}

}  // namespace thimble
