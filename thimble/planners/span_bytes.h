// SPDX-License-Identifier: Apache-2.0
// What a span of rows or pixels needs.
//
// While a span runs there are: tensors that others need later; its rings; its outputs, whole; the
// sums of means over its images; the inputs that it is the last to read. An output may lie over an
// input whose rows are consumed: then both together need max(output, lead + input) bytes, lead
// being the most that bytes written run ahead of bytes still to be read.
#pragma once

#include <optional>
#include <vector>

#include "thimble/analysis/raster.h"
#include "thimble/analysis/span.h"
#include "thimble/search/order.h"

namespace thimble {

/// Of an image [1, rows, columns, channels].
constexpr int kRowAxis = 1, kColumnAxis = 2;

struct StreamSpan {
  int begin = 0, end = 0;  ///< positions in the order
  Span rows;
  std::optional<Span> columns;  ///< by pixels: within each tick of the rows
  std::vector<int64_t> rings;   ///< per member, rows; if it is computed by pixels, these; 0: whole
  int64_t bytes = 0;            ///< live while it runs
  /// The output that lies over an input, and that input; invalid if none does.
  TensorId out, under;
};

[[nodiscard]] bool is_image(const Graph& graph, TensorId t);
/// Whether the rows along the axis follow one another in row-major order.
[[nodiscard]] bool rows_are_outermost(const Shape& shape, int axis);

/// Of the spans of one order.
class SpanBytes {
 public:
  /// The graph, the problem and the spans must outlive it. in_place: outputs may lie over inputs;
  /// received: network inputs that never exist whole.
  SpanBytes(const Graph& graph, const OrderProblem& problem, const std::vector<int>& order,
            bool in_place, std::vector<TensorId> received, const Spans& spans);

  /// Sets rings, bytes, out and under of a span that has the rest. Where it comes to
  /// `useless_bytes` in any case, no output is laid over an input.
  void measure(StreamSpan& span, int64_t useless_bytes) const;
  /// Of what a member has while the span runs: its ring, its sums, or the whole tensor.
  [[nodiscard]] int64_t member(const StreamSpan& span, size_t member) const;
  /// Live while each operator executes alone, per position of the order; with the output over
  /// consumed input where that is less.
  [[nodiscard]] std::vector<int64_t> single(const std::vector<int>& order) const;
  [[nodiscard]] bool is_received(TensorId t) const;
  [[nodiscard]] int64_t size(TensorId t) const;  ///< 0 if it is received
  [[nodiscard]] const Lives& lives() const { return lives_; }
  /// Made before the position of the order, for it or later ones.
  [[nodiscard]] int64_t held(int at) const { return held_bytes_[static_cast<size_t>(at)]; }

 private:
  /// What operators [begin, end) are the last to read of what was made before them, ascending.
  [[nodiscard]] std::vector<TensorId> consumed(int begin, int end) const;
  [[nodiscard]] Raster raster(const StreamSpan& span, size_t member) const;
  /// Nothing if the operand does not follow the rows.
  [[nodiscard]] std::optional<RasterReader> reader(const StreamSpan& span, size_t member,
                                                   size_t operand) const;
  /// Of what the span computes at a time: a row along the axis, or a pixel.
  [[nodiscard]] int64_t unit_bytes(const StreamSpan& span, TensorId t, int axis) const;
  [[nodiscard]] int64_t ring_pixels(const StreamSpan& span, size_t member) const;
  /// Nothing where the output must not lie over the input.
  [[nodiscard]] std::optional<int64_t> lead_bytes(const StreamSpan& span, size_t out,
                                                  TensorId in) const;

  const Graph& graph_;
  const OrderProblem& problem_;
  const bool in_place_;
  const std::vector<TensorId> received_;
  const Spans& spans_;
  const std::vector<int> order_;
  Lives lives_;
  std::vector<int64_t> held_bytes_;  ///< per position of the order
  std::vector<bool> row_major_;      ///< per tensor: as it lies at the edge of the network
  std::vector<bool> element_;        ///< per operator: reads an element, then writes it
};

}  // namespace thimble
