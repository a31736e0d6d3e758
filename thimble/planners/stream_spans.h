// SPDX-License-Identifier: Apache-2.0
// Which operators of an order can execute together row by row (of images; of sequences: token by
// token), or images pixel by pixel, and what that needs.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "thimble/planners/span_bytes.h"
#include "thimble/search/order.h"
#include "thimble/target/kernels/kernel.h"

namespace thimble {

enum class Granularity { kRow, kPixel };

class StreamSpans {
 public:
  static constexpr int64_t kImpossible = std::numeric_limits<int64_t>::max();

  /// The first three must outlive it. in_place: outputs may lie over inputs; received: network
  /// inputs that never exist whole; delivered: outputs that do not either.
  StreamSpans(const Graph& graph, const OrderProblem& problem, const std::vector<int>& order,
              bool in_place, std::vector<TensorId> received,
              const std::vector<TensorId>& delivered = {});

  /// Operators [begin, end) of the order as a span, if they make one. axis: of the rows of the last
  /// one's output.
  [[nodiscard]] std::optional<StreamSpan> span(int begin, int end, int axis,
                                               Granularity granularity,
                                               int64_t useless_bytes = kImpossible) const;
  /// The same along every axis that there may be rows along.
  [[nodiscard]] std::vector<StreamSpan> spans(int begin, int end, Granularity granularity,
                                              int64_t useless_bytes = kImpossible) const;
  [[nodiscard]] const SpanBytes& bytes() const { return bytes_; }
  /// All spans of at most `most_ops` operators that need less than the most that one of their
  /// operators needs otherwise, per position of the order.
  [[nodiscard]] std::vector<StreamSpan> all(const std::vector<int64_t>& otherwise_bytes,
                                            int most_ops, Granularity granularity) const;
  /// Bytes live while each operator executes alone, per position of the order; with the output over
  /// consumed input where that is less. kImpossible where it cannot, as its input or output passes
  /// row by row.
  [[nodiscard]] const std::vector<int64_t>& single_bytes() const { return single_bytes_; }
  /// If no spans leave out what is impossible: which operator is in the way.
  [[nodiscard]] std::string obstacle() const;

 private:
  /// Per axis of the operator's output: whether its kernels go along it, and along what follows it.
  [[nodiscard]] std::vector<bool> axes_taken(OpId op) const;
  [[nodiscard]] bool goes_along(const KernelUse& use, OpId op, int axis) const;
  [[nodiscard]] bool takes(OpId op, int axis) const;
  /// Whether an operator sums over rows that operators from position `begin` on make.
  [[nodiscard]] bool sums_rows(int begin, OpId op) const;
  /// Axes along which the rows may lie of what this operator makes, the last of a span but for
  /// sums: outermost there or, if it moves axes, in its operand.
  [[nodiscard]] std::vector<int> row_axes(OpId last, Granularity granularity) const;
  [[nodiscard]] std::optional<Span> derive(int axis, const std::vector<OpId>& ops,
                                           const std::vector<TensorId>& received) const;
  /// False if it is no span of images that goes by pixels.
  bool add_columns(std::vector<OpId> ops, StreamSpan& span) const;
  /// Whether an operator reads what operators [begin, end) of the order sum over their rows.
  [[nodiscard]] bool reads_sum(int begin, int end, OpId op) const;
  [[nodiscard]] bool passes_rows(OpId op) const;  ///< receives or delivers

  const Graph& graph_;
  const std::vector<int>& order_;
  Spans spans_;
  SpanBytes bytes_;
  std::vector<std::vector<bool>> takes_;  ///< per operator and axis of its output
  std::vector<int64_t> single_bytes_;
};

}  // namespace thimble
