// SPDX-License-Identifier: Apache-2.0
#include "thimble/rewrites/sliding_window.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "thimble/model/error.h"
#include "thimble/rewrites/edit.h"

namespace thimble {
namespace {

constexpr const char* kHop = "--hop";
constexpr size_t kMostAxes = 4;  ///< of SHIFT_IN

struct TimeWindow {
  TensorId tensor;          ///< what the network reads of the window
  std::vector<OpId> ahead;  ///< between the input and it: QUANTIZE and RESHAPE
  size_t axis = 0;          ///< time
};

/// The first axis along which there is more than one index; of three and more, behind the batch.
size_t first_axis(const Shape& shape) {
  const auto first = shape.begin() + (shape.size() >= 3 ? 1 : 0);
  const auto found = std::find_if(first, shape.end(), [](int64_t extent) { return extent > 1; });
  return found == shape.end() ? 0 : static_cast<size_t>(found - shape.begin());
}

/// A flat list that becomes an image.
bool gives_rows(const Shape& from, const Shape& to) {
  return std::ranges::count_if(from, [](int64_t extent) { return extent > 1; }) == 1 &&
         elements(from) == from[first_axis(from)] && to[first_axis(to)] < elements(to);
}

TimeWindow window_of(const Graph& graph, const Hop& hop) {
  if (graph.inputs.size() != 1) {
    throw CompileError(kHop, fmt::format("is for networks with one input; '{}' has {}", graph.name,
                                         graph.inputs.size()));
  }
  if (is_output(graph, graph.inputs[0].tensor)) {
    throw CompileError(kHop, fmt::format("the input of '{}' is one of its outputs, which would be "
                                         "the window",
                                         graph.name));
  }
  const std::vector<std::vector<OpId>> readers = consumers(graph);
  TimeWindow window{.tensor = graph.inputs[0].tensor, .ahead = {}};
  while (readers[window.tensor.index()].size() == 1 && !is_output(graph, window.tensor)) {
    const OpId reader = readers[window.tensor.index()][0];
    const Op& op = graph.op(reader);
    const Tensor& after = graph.tensor(op.outputs[0]);
    const bool passes = std::holds_alternative<Quantize>(op.attributes) ||
                        (std::holds_alternative<Reshape>(op.attributes) && !hop.axis &&
                         gives_rows(graph.tensor(window.tensor).shape, after.shape));
    if (!passes || is_output(graph, op.outputs[0])) break;
    window.ahead.push_back(reader);
    window.tensor = op.outputs[0];
  }
  const Shape& shape = graph.tensor(window.tensor).shape;
  window.axis = hop.axis ? static_cast<size_t>(*hop.axis) : first_axis(shape);
  if (window.axis >= shape.size()) {
    throw CompileError(kHop, fmt::format("the input of '{}', {}, has no axis {}", graph.name,
                                         to_string(shape), window.axis));
  }
  if (shape.size() > kMostAxes) {
    throw CompileError(kHop, fmt::format("the input of '{}', {}, has {} axes; a window of at most "
                                         "{} is supported",
                                         graph.name, to_string(shape), shape.size(), kMostAxes));
  }
  const int64_t rows = shape[window.axis];
  if (rows == 1) {
    throw CompileError(kHop, fmt::format("the input of '{}', {}, has 1 row along axis {}: there is "
                                         "no window",
                                         graph.name, to_string(shape), window.axis));
  }
  if (hop.rows < 1 || hop.rows >= rows) {
    throw CompileError(
        kHop, fmt::format("{} of the {} rows of the input of '{}', {} along axis {}, cannot be "
                          "the new ones; 1 to {} can",
                          hop.rows, rows, graph.name, to_string(shape), window.axis, rows - 1));
  }
  return window;
}

/// What makes a window of `graph`, in front of the operators that read it.
class Slide {
 public:
  Slide(const Graph& graph, const Hop& hop)
      : graph_(graph), window_(window_of(graph, hop)), rows_(hop.rows) {}

  Graph made() {
    const TensorId newest = quantized(with_rows(graph_.inputs[0].tensor, rows_));
    Tensor whole = graph_.tensor(window_.tensor);
    const std::string name = std::exchange(whole.name, graph_.tensor(newest).name + "/window");
    const Bytes zero = zero_bytes(whole);
    const TensorId old = add(std::move(whole));
    ahead_.push_back(
        {ShiftIn{.axis = static_cast<int>(window_.axis)}, {old, newest}, {window_.tensor}});
    graph_.states.push_back({old, window_.tensor, std::make_shared<const Bytes>(zero)});
    std::vector<bool> erase(graph_.ops.size());
    for (const OpId op : window_.ahead) erase[op.index()] = true;
    erase_ops(graph_, erase);
    graph_.ops.insert(graph_.ops.begin(), ahead_.begin(), ahead_.end());
    return std::move(graph_);
  }

 private:
  TensorId add(Tensor tensor) {
    graph_.tensors.push_back(std::move(tensor));
    return TensorId{static_cast<int32_t>(graph_.tensors.size()) - 1};
  }

  /// A tensor like `t`, of some rows of the window.
  TensorId with_rows(TensorId t, int64_t rows) {
    Tensor part = graph_.tensor(t);
    part.shape = graph_.tensor(window_.tensor).shape;
    part.shape[window_.axis] = rows;
    return add(std::move(part));
  }

  /// The new rows as the window has them; they become the input.
  TensorId quantized(TensorId rows) {
    graph_.inputs[0] = {rows};
    for (const OpId k : window_.ahead) {
      const Op op = graph_.op(k);
      if (!std::holds_alternative<Quantize>(op.attributes)) continue;
      const TensorId after = with_rows(op.outputs[0], rows_);
      ahead_.push_back({op.attributes, {rows}, {after}});
      rows = after;
    }
    return rows;
  }

  Graph graph_;
  TimeWindow window_;
  int64_t rows_;
  std::vector<Op> ahead_ = {};
};

}  // namespace

Graph sliding_window(const Graph& graph, const Hop& hop) { return Slide(graph, hop).made(); }

int64_t window_rows(const Graph& graph, const Hop& hop) {
  const TimeWindow window = window_of(graph, hop);
  return graph.tensor(window.tensor).shape[window.axis];
}

}  // namespace thimble
