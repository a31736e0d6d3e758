// SPDX-License-Identifier: Apache-2.0
// How far one image runs ahead of another, against a simulation tick by tick.
#include "thimble/analysis/raster.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "zoo/random.h"

namespace thimble {
namespace {

int64_t complete(const Beat& beat, int64_t tick, int64_t extent) {
  return std::clamp<int64_t>(beat.end(tick), 0, extent);
}

/// Pixels in row-major order that are complete after tick (row, column).
int64_t pixels(const Raster& r, int64_t row, int64_t column) {
  const int64_t before = complete(r.rows, row - 1, r.height);
  const int64_t rows = complete(r.rows, row, r.height);
  return before * r.width + (rows - before) * complete(r.columns, column, r.width);
}

std::optional<int64_t> simulated(const Raster& written, int64_t written_unit,
                                 const RasterReader& reader, int64_t read_unit,
                                 const RasterTicks& ticks) {
  std::optional<int64_t> most;
  const Raster& out = reader.out;
  for (int64_t i = 0; i < ticks.rows; ++i) {
    for (int64_t j = 0; j < ticks.columns; ++j) {
      const int64_t made = pixels(written, i, j);
      if (made == 0) continue;
      int64_t next = pixels(out, i, reader.later ? j - 1 : j);  // first output still to come
      std::optional<int64_t> first;
      for (; next < out.height * out.width; ++next) {
        const int64_t row = std::max<int64_t>(first_read(reader.rows, next / out.width), 0);
        const int64_t column =
            reader.columns ? std::clamp<int64_t>(first_read(*reader.columns, next % out.width), 0,
                                                 reader.width)
                           : 0;
        first = std::min(first.value_or(INT64_MAX), row * reader.width + column);
      }
      if (first)
        most = std::max(most.value_or(INT64_MIN), made * written_unit - *first * read_unit);
    }
  }
  return most;
}

TEST(Raster, AWindowOfThreeKeepsTwoRowsAndThreePixels) {
  const Affine window{.out_axis = 1, .lo = -1, .hi = 1};
  const RasterReader reader{.out = {{1, 1, 0}, {1, 1, 0}, 8, 10},
                            .rows = window,
                            .columns = window,
                            .width = 10,
                            .later = true};
  const Raster written{{1, 1, 1}, {1, 1, 1}, 8, 10};
  EXPECT_EQ(most_ahead(written, 1, reader, 1, {9, 11}), 2 * 10 + 3);
}

TEST(Raster, WholeRowsAreAllColumnsAtOnce) {
  const Affine window{.out_axis = 1, .lo = -1, .hi = 1};
  const RasterReader reader{.out = {{1, 1, 0}, all_columns(10), 8, 10},
                            .rows = window,
                            .columns = window,
                            .width = 10,
                            .later = true};
  EXPECT_EQ(most_ahead({{1, 1, 1}, all_columns(10), 8, 10}, 1, reader, 1, {9, 1}), 3 * 10);
}

TEST(Raster, EqualsTheSimulation) {
  zoo::Random random(1);
  for (int round = 0; round < 3'000; ++round) {
    SCOPED_TRACE(round);
    const int64_t stride = random.between(1, 3), kernel = random.between(1, 4);
    const int64_t up = random.chance(0.3) ? random.between(2, 4) : 1;  // an upsampled image
    const auto window = [&](int axis) {
      const int64_t pad = random.between(-2, kernel - 1);  // negative: the first are not read
      return Affine{.out_axis = axis, .num = stride, .den = up, .lo = -pad, .hi = kernel - 1 - pad};
    };
    const auto beat = [&](int64_t ticks) { return Beat{1, ticks, random.between(-6, ticks)}; };
    const int64_t height = random.between(1, 9), width = random.between(1, 9);
    const bool by_pixels = random.chance(0.7);
    const auto raster = [&](int64_t ticks) {
      const int64_t columns = random.between(1, 9);
      return Raster{beat(ticks), by_pixels ? beat(ticks) : all_columns(columns),
                    random.between(1, 9), columns};
    };
    RasterReader reader{raster(stride), window(1), window(2), width, random.chance(0.5)};
    if (random.chance(0.2)) reader.columns.reset();
    Raster written = raster(random.between(1, 3));
    if (random.chance(0.5))
      written = {beat(1), by_pixels ? beat(1) : all_columns(width), height, width};
    const RasterTicks ticks{random.between(1, 30), by_pixels ? 40 : 1};
    const int64_t written_unit = random.between(1, 4), read_unit = random.between(1, 4);
    EXPECT_EQ(most_ahead(written, written_unit, reader, read_unit, ticks),
              simulated(written, written_unit, reader, read_unit, ticks));
  }
}

}  // namespace
}  // namespace thimble
