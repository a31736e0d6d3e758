// SPDX-License-Identifier: Apache-2.0
#include "thimble/moves/sweep_lead.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace thimble {
namespace {

/// In a tile of the period, and those that are as many periods later or earlier.
int64_t lead_at(const WrittenImage& out, const ReadImage& in, size_t tile) {
  const auto period = static_cast<int64_t>(in.from.size());
  const int64_t from = in.from[tile];
  const int64_t out_rows = out.beat.rows * period / out.beat.tiles;
  const int64_t in_rows = in.pace.rows * period / in.pace.tiles;
  const int64_t end = out.beat.end(static_cast<int64_t>(tile));
  int64_t most = -in.height * in.row_bytes;
  const int64_t first = ceil_div(1 - end, out_rows);
  const int64_t last = ceil_div(in.height - from, in_rows) - 1;
  // Concave in the tile: the most is at an end, or where one of the two is cut off.
  const int64_t all_written = floor_div(out.height - end, out_rows);
  const int64_t none_read = floor_div(-from, in_rows);
  for (const int64_t at : {first, last, all_written, all_written + 1, none_read, none_read + 1}) {
    if (at < first || at > last) continue;
    const int64_t written = std::min(end + out_rows * at, out.height);
    const int64_t read = std::max<int64_t>(from + in_rows * at, 0);
    most = std::max(most, written * out.row_bytes - read * in.row_bytes);
  }
  return most;
}

}  // namespace

SweepPace pace_of(const Beat& reader, int64_t each) {
  const int64_t divisor = std::gcd(reader.rows * each, reader.tiles);
  return {reader.rows * each / divisor, reader.tiles / divisor};
}

int64_t sweep_lead(const WrittenImage& out, const ReadImage& in) {
  int64_t most = std::numeric_limits<int64_t>::min();
  for (size_t tile = 0; tile < in.from.size(); ++tile)
    most = std::max(most, lead_at(out, in, tile));
  return most;
}

}  // namespace thimble
