// SPDX-License-Identifier: Apache-2.0
// A fused span of operators executed a row at a time, with rings derived from the clock.
//
// Which axis of a tensor has its rows follows from the access maps, beginning with the last
// operator's output: height for images, for an attention layer the axis of the queries' tokens.
//
//   q [1,4,T,d], keys -> scores [1,4,T,T] -> softmax -> *, values -> [1,4,T,d] -> transpose ->
//   [1,T,4,d] -> reshape -> [1,T,C]                rows along axis 1 here, 2 where heads come first
//
// An operand without such an axis (the keys, the values) comes from outside of the span, whole.
//
// The clock ticks once for each row of the finest tensor that the span makes. A tensor with a rows
// for every b ticks is complete up to row
//
//   complete(i) = floor((a i + phase) / b)        after tick i,
//
// so its producer computes rows [complete(i - 1), complete(i)) at tick i: none or one. Phases are
// as late as the consumers allow: going backwards through the access maps, a row must be there at
// the tick at which the first row that reads it is computed. What lies outside of a tensor is cut
// off; so nobody needs a prologue, and borders are nothing special. The ring of a tensor holds the
// most that is produced and still needed.
//
//   conv 3x3 stride 2 -> t -> depthwise 3x3 -> u; t + u -> y      as many ticks as y has rows, and
//   1
//     conv       t row i          from input rows up to 2 i + 1
//     depthwise  u row i - 1      from t rows i - 2 .. i         ring of t: 3 rows
//     add        y row i - 1      from t and u row i - 1         ring of u: 1 row
//
// The finest tensor may stand anywhere: what is upsampled has a row a tick, and what it is made
// from one every few.
// A mean over the image adds rows as they come; what reads it has to wait for the span's end.
#pragma once

#include <optional>
#include <vector>

#include "thimble/analysis/beat.h"
#include "thimble/regions/access_map.h"
#include "thimble/schedule/schedule.h"

namespace thimble {

struct SpanMember {
  OpId op;  ///< invalid: the tensor is received from outside, row by row
  TensorId out;
  int axis = 1;  ///< of its rows; sums: of the operand's
  Beat beat;     ///< sums: of the operand's rows, added as they are made
  /// Rows that are produced and still needed, at the most; 0: the tensor is kept whole, as it is
  /// used outside of the span.
  int64_t ring = 0;
  bool sums = false;  ///< accumulates `out` (Method::kAccumulate)
  bool operator==(const SpanMember&) const = default;
};

struct Span {
  int64_t ticks = 0;
  std::vector<SpanMember> members;  ///< what is received, then the operators in the order given
  bool operator==(const Span&) const = default;
};

/// Rows of an operand that rows of the output read.
struct OperandRows {
  int axis = 1;  ///< of the operand
  Affine rows;
  bool operator==(const OperandRows&) const = default;
};

/// Derives spans of one graph.
class Spans {
 public:
  /// The graph must outlive it. delivered: outputs of the network that leave row by row, as soon as
  /// they are made.
  explicit Spans(const Graph& graph, const std::vector<TensorId>& delivered = {});

  /// What a row of the output, along `axis`, reads of the operand, if the access map has rows
  /// follow each other in the same direction.
  [[nodiscard]] const OperandRows* rows(OpId op, size_t operand, int axis) const;

  /// Whether the operator can add what its operand has along chunk_axis, one after the other.
  [[nodiscard]] bool sums_rows(OpId op) const { return sums_rows_[op.index()]; }

  /// ops: in executable order; axis: of the last one's output that is no sum. received: tensors
  /// that exist row by row only, made outside. Nothing if an operand made inside does not follow
  /// the rows, is a sum, or the operators' rows have nothing to do with each other.
  [[nodiscard]] std::optional<Span> derive(int axis, const std::vector<OpId>& ops,
                                           const std::vector<TensorId>& received = {}) const;

  [[nodiscard]] const Graph& graph() const { return graph_; }
  [[nodiscard]] const std::vector<OpId>& readers(TensorId t) const { return readers_[t.index()]; }
  /// Kept whole for the caller.
  [[nodiscard]] bool is_output(TensorId t) const { return is_output_[t.index()]; }
  [[nodiscard]] bool is_delivered(TensorId t) const { return is_delivered_[t.index()]; }

 private:
  [[nodiscard]] bool can_sum_rows(const Op& op) const;

  const Graph& graph_;
  using PerAxis = std::vector<std::optional<OperandRows>>;  ///< of the output
  std::vector<std::vector<PerAxis>> rows_;                  ///< per operator and operand
  std::vector<std::vector<OpId>> readers_;
  std::vector<bool> is_output_, is_delivered_;  ///< per tensor, of the network
  std::vector<bool> sums_rows_;                 ///< per operator
};

/// Region of `shape` with `interval` along `axis` and everything else whole.
[[nodiscard]] RegionExpr along(const Shape& shape, int axis, const IntervalExpr& interval);

}  // namespace thimble
