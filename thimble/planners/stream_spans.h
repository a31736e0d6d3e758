// SPDX-License-Identifier: Apache-2.0
// Which operators of an order can execute together row by row (of images; of sequences: token by
// token), or images pixel by pixel, and what that needs.
//
// While a span runs there are: tensors that others need later; its rings; its outputs, whole; the
// sums of means over its images; the inputs that it is the last to read. An output may lie over an
// input whose rows are consumed: then both together need max(output, lead + input) bytes, lead
// being the most that bytes written run ahead of bytes still to be read.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "thimble/kernels/kernel.h"
#include "thimble/planners/order.h"
#include "thimble/schedule/raster.h"

namespace thimble {

/// Of an image [1, rows, columns, channels].
constexpr int kRowAxis = 1, kColumnAxis = 2;

enum class Granularity { kRow, kPixel };

struct StreamSpan {
  int begin = 0, end = 0;  ///< positions in the order
  Span rows;
  std::optional<Span> columns;  ///< by pixels: within each tick of the rows
  std::vector<int64_t> rings;   ///< per member, rows; if it is computed by pixels, these; 0: whole
  int64_t bytes = 0;            ///< live while it runs
  /// The output that lies over an input, and that input; invalid if none does.
  TensorId out, under;
};

class StreamSpans {
 public:
  /// The first three must outlive it. in_place: outputs may lie over inputs; received: network
  /// inputs that never exist whole; delivered: outputs that do not either.
  StreamSpans(const Graph& graph, const OrderProblem& problem, const std::vector<int>& order,
              bool in_place, std::vector<TensorId> received,
              const std::vector<TensorId>& delivered = {});

  /// Operators [begin, end) of the order as a span, if they make one. axis: of the rows of the last
  /// one's output.
  [[nodiscard]] std::optional<StreamSpan> span(int begin, int end, int axis,
                                               Granularity granularity) const;
  /// The same along every axis that there may be rows along.
  [[nodiscard]] std::vector<StreamSpan> spans(int begin, int end, Granularity granularity) const;
  /// Of what a member has while the span runs: its ring, its sums, or the whole tensor.
  [[nodiscard]] int64_t member_bytes(const StreamSpan& span, size_t member) const;
  /// All spans of at most `most_ops` operators that need less than the most that one of their
  /// operators needs otherwise, per position of the order.
  [[nodiscard]] std::vector<StreamSpan> all(const std::vector<int64_t>& otherwise_bytes,
                                            int most_ops, Granularity granularity) const;
  /// Bytes live while each operator executes alone, per position of the order; with the output over
  /// consumed input where that is less. kImpossible where it cannot, as its input or output passes
  /// row by row.
  [[nodiscard]] const std::vector<int64_t>& single_bytes() const { return single_bytes_; }
  static constexpr int64_t kImpossible = std::numeric_limits<int64_t>::max();
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
  [[nodiscard]] Raster raster(const StreamSpan& span, size_t member) const;
  /// Nothing if the operand does not follow the rows.
  [[nodiscard]] std::optional<RasterReader> reader(const StreamSpan& span, size_t member,
                                                   size_t operand) const;
  /// Of what the span computes at a time: a row along the axis, or a pixel.
  [[nodiscard]] int64_t unit_bytes(const StreamSpan& span, TensorId t, int axis) const;
  /// Of tensors that live while operators [begin, end) of the order execute, whichever way.
  [[nodiscard]] int64_t held_bytes(int begin, int end) const;
  void measure(StreamSpan& span) const;  ///< sets rings, bytes, out and under
  [[nodiscard]] int64_t ring_pixels(const StreamSpan& span, size_t member) const;
  /// Whether an operator reads what operators [begin, end) of the order sum over their rows.
  [[nodiscard]] bool reads_sum(int begin, int end, OpId op) const;
  [[nodiscard]] bool passes_rows(OpId op) const;    ///< receives or delivers
  [[nodiscard]] int64_t size(size_t tensor) const;  ///< 0 if it is received
  /// Nothing where the output must not lie over the input.
  [[nodiscard]] std::optional<int64_t> lead_bytes(const StreamSpan& span, size_t out,
                                                  TensorId in) const;

  const Graph& graph_;
  const OrderProblem& problem_;
  const std::vector<int>& order_;
  const bool in_place_;
  const std::vector<TensorId> received_;
  Spans spans_;
  std::vector<int> made_, last_read_;     ///< position per tensor; -1: before the first
  std::vector<bool> row_major_;           ///< per tensor: as it lies at the edge of the network
  std::vector<std::vector<bool>> takes_;  ///< per operator and axis of its output
  std::vector<bool> element_;             ///< per operator: reads an element, then writes it
  std::vector<int64_t> single_bytes_;
};

}  // namespace thimble
