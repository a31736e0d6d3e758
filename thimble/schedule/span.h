// SPDX-License-Identifier: Apache-2.0
// A fused span of operators executed a few rows at a time, with rings derived from the clock.
//
// The clock is an axis of the span's last output: after tick i, index i of it is complete. Going
// backwards through the access maps, every member must by then have computed all below
//
//   need_m(i) = max over its consumers c of  floor(((need_c(i) - 1) * num + hi) / den) + 1
//
// so at tick i member m computes [need_m(i - 1), need_m(i)): 0, 1 or more rows (stride, upsampling,
// branches of unequal depth). Ticks start early enough for every member to start at 0; what lies
// outside a tensor is cut off. The ring of a tensor holds the most that is produced and still
// needed.
//
//   conv 3x3 stride 2 -> t -> depthwise 3x3 -> u; t + u -> y      ticks -2..H-1 of y
//     conv       t rows [i + 1, i + 2)   from input rows up to 2 i + 5
//     depthwise  u rows [i, i + 1)       from t rows i - 1 .. i + 1      ring of t: 3 rows
//     add        y rows [i, i + 1)       from t row i and u row i        ring of u: 1 row
#pragma once

#include <optional>
#include <vector>

#include "thimble/schedule/schedule.h"

namespace thimble {

struct SpanMember {
  OpId op;
  IntervalExpr interval;  ///< what it computes at a tick, along the axis of its output
  bool operator==(const SpanMember&) const = default;
};

struct SpanRing {
  TensorId tensor;
  int64_t extent = 0;  ///< indices along the axis that are alive at once, at the most
  bool operator==(const SpanRing&) const = default;
};

struct Span {
  int64_t ticks = 0;
  std::vector<SpanMember> members;  ///< in the order given
  std::vector<SpanRing> rings;      ///< of the tensors made and used up inside
  bool operator==(const Span&) const = default;
};

/// ops: in executable order; the last one's output is the clock, and the only tensor used outside.
/// Loop `loop` will run for Span::ticks iterations. Nothing if an access map ends the split along
/// `axis`, or a member's share has no closed form.
[[nodiscard]] std::optional<Span> derive_span(const Graph& graph, const std::vector<OpId>& ops,
                                              int axis, LoopId loop);

/// Region of `shape` with `interval` along `axis` and everything else whole.
[[nodiscard]] RegionExpr along(const Shape& shape, int axis, const IntervalExpr& interval);

}  // namespace thimble
