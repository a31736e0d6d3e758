// SPDX-License-Identifier: Apache-2.0
// How far what a rolled group writes may run over an input that it consumes, in closed form.
#pragma once

#include "thimble/analysis/raster.h"
#include "thimble/plan/derived.h"

namespace thimble {

/// The most that bytes written to all of `out`, which a call of the group makes, run ahead of bytes
/// of `in`, which lies outside of the group, that its calls have still to read. Of groups that roll
/// along an axis that lies outermost in both values, or along rows and columns within (columns and
/// rows within, likewise). Nothing where there is no closed form: then one must not lie over the
/// other. At the grain of calls: where the
/// call that writes `out` reads `in` itself, the walk (analysis/overlaps.h), which knows the
/// progress of kernels, may find less.
[[nodiscard]] std::optional<int64_t> group_lead(const Dataflow& dataflow, const Derived& derived,
                                                ValueId out, ValueId in);

/// Bytes that two buffers have in common when the one lies over the other by such a lead.
[[nodiscard]] int64_t overlap_bytes(int64_t out_bytes, int64_t in_bytes, int64_t lead_bytes);

/// Calls of a group, which keeps no rows apart, as rasters of one of its loops and one within.
struct Rasters {
  const Dataflow& flow;
  const Derived& derived;
  int rows = 0, columns = -1;  ///< loops; no columns: rows are units

  /// The raster of what a call makes or, if it reduces, adds up.
  [[nodiscard]] Raster raster_of(size_t call) const;
  /// The call reads operand k, whose rows it follows unless it reduces, after it is written.
  [[nodiscard]] RasterReader reader(size_t call, size_t k) const;
  [[nodiscard]] RasterTicks ticks() const;
  /// Pixels of what `made` makes that are made and still needed by operand k of `call`, at the
  /// most, where `pitch` of them are held of a row; if columns are tiled twice, in any strip.
  [[nodiscard]] std::optional<int64_t> held(size_t made, size_t call, size_t k,
                                            int64_t pitch) const;
};

}  // namespace thimble
