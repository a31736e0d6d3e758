// SPDX-License-Identifier: Apache-2.0
#include "thimble/analysis/raster.h"

#include <algorithm>

namespace thimble {
namespace {

using Most = std::optional<int64_t>;

void raise(Most& most, const Most& value) {
  if (value) most = most ? std::max(*most, *value) : *value;
}
Most plus(const Most& a, int64_t b) { return a ? Most(*a + b) : a; }

/// The first position that is still to be computed, perhaps again, from a tick on.
int64_t next_read(const Beat& beat, int64_t tick, int64_t ticks) {
  return std::max<int64_t>(tick < ticks ? beat.begin(tick) : beat.end(tick - 1), 0);
}

/// What the reader does not need any more of the first row that it reads, to read from column
/// `next` of its own on.
int64_t not_needed(const RasterReader& reader, int64_t next, int64_t read_unit) {
  if (!reader.columns) return 0;
  return std::clamp<int64_t>(first_read(*reader.columns, next), 0, reader.width) * read_unit;
}

/// Within a row of ticks, the most of what is written in the row at hand, less what is not needed
/// any more of the first row that the reader reads: with neither, either or both of them at work.
struct WithinRow {
  Most writes_and_reads, writes_and_has_read, writes;
  Most reads, has_read;    ///< the writer rests
  Most writes_and_begins;  ///< reads, and needs the row once more for its next one
};

WithinRow within_row(const Raster& written, int64_t written_unit, const RasterReader& reader,
                     int64_t read_unit, int64_t ticks) {
  WithinRow result;
  for (int64_t tick = 0; tick < ticks; ++tick) {
    const int64_t columns = std::clamp<int64_t>(written.columns.end(tick), 0, written.width);
    const int64_t next = next_read(reader.out.columns, tick + (reader.later ? 0 : 1), ticks);
    const bool writes = columns > 0;  // before that, all is as at the end of the last row
    if (writes) raise(result.writes, columns * written_unit);
    if (next >= reader.out.width) {
      if (writes) raise(result.writes_and_has_read, columns * written_unit);
      raise(result.has_read, 0);
      continue;
    }
    const int64_t passed = not_needed(reader, next, read_unit);
    if (writes) {
      raise(result.writes_and_reads, columns * written_unit - passed);
      raise(result.writes_and_begins, columns * written_unit);
    }
    raise(result.reads, -passed);
  }
  return result;
}

}  // namespace

Beat all_columns(int64_t width) { return {.rows = width, .tiles = 1, .phase = width}; }

Most most_ahead(const Raster& written, int64_t written_unit, const RasterReader& reader,
                int64_t read_unit, const RasterTicks& ticks) {
  const WithinRow within = within_row(written, written_unit, reader, read_unit, ticks.columns);
  const auto complete = [](const Raster& r, int64_t tick) {
    return std::clamp<int64_t>(r.rows.end(tick), 0, r.height);
  };
  const auto needed_from = [&](int64_t row) {
    return std::max<int64_t>(first_read(reader.rows, row), 0) * reader.width * read_unit;
  };
  const int64_t passed = not_needed(reader, 0, read_unit);  // of every row that it has not begun
  Most most;
  for (int64_t tick = 0; tick < ticks.rows; ++tick) {
    const int64_t rows = complete(written, tick);
    if (rows == 0) continue;
    const bool writes = rows > complete(written, tick - 1);
    const int64_t written_before = (writes ? rows - 1 : rows) * written.width * written_unit;
    const int64_t begin = std::max<int64_t>(reader.out.rows.begin(tick), 0);
    const bool reads = complete(reader.out, tick) > begin;
    const int64_t later = next_read(reader.out.rows, tick + 1, ticks.rows);
    if (reads) {
      const int64_t needed = needed_from(begin);
      const bool next_needs_same_row = later < reader.out.height && needed_from(later) == needed;
      if (writes && next_needs_same_row) {
        raise(most, plus(within.writes_and_begins, written_before - needed - passed));
      } else if (writes) {
        raise(most, plus(within.writes_and_reads, written_before - needed));
      } else {
        raise(most,
              plus(next_needs_same_row ? Most(-passed) : within.reads, written_before - needed));
      }
    }
    if (later >= reader.out.height) continue;
    const int64_t next = needed_from(later) + passed;
    if (!reads) {
      raise(most, plus(writes ? within.writes : Most(0), written_before - next));
    } else {
      raise(most,
            plus(writes ? within.writes_and_has_read : within.has_read, written_before - next));
    }
  }
  return most;
}

}  // namespace thimble
