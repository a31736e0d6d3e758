// SPDX-License-Identifier: Apache-2.0
#include "thimble/certify/piece.h"

#include <algorithm>
#include <map>
#include <set>

#include "thimble/operators/operators.h"

namespace thimble {
namespace {

class Builder {
 public:
  explicit Builder(const Graph& from) : from_(from) { graph_.name = from.name; }

  void give(TensorId t) { graph_.inputs.push_back({number(t)}); }
  /// Is read as one that is known.
  void read_as(TensorId t, TensorId known) { numbers_[t.index()] = number(known); }
  void add(const Op& op) {
    Op copy{op.attributes, {}, {}, op.file_index};
    for (const TensorId t : op.inputs) copy.inputs.push_back(number(t));
    for (const TensorId t : op.outputs) copy.outputs.push_back(number(t));
    graph_.ops.push_back(std::move(copy));
  }
  Graph finish(TensorId wanted) {
    graph_.outputs.push_back({number(wanted)});
    return std::move(graph_);
  }

 private:
  TensorId number(TensorId t) {
    const auto [it, is_new] =
        numbers_.try_emplace(t.index(), TensorId{static_cast<int32_t>(graph_.tensors.size())});
    if (is_new) {
      graph_.tensors.push_back(from_.tensor(t));
      if (const Accumulator* sums = find_accumulator(from_, t)) {
        graph_.accumulators.push_back(*sums);
        graph_.accumulators.back().tensor = it->second;
      }
    }
    return it->second;
  }

  const Graph& from_;
  Graph graph_;
  std::map<size_t, TensorId> numbers_;
};

/// The window of what goes pixel by pixel; nothing: the output is not such an image.
std::optional<Window> window_of(const Graph& graph, const Op& op) {
  const bool of_images =
      graph.tensor(op.inputs[0]).shape.size() == 4 && graph.tensor(op.outputs[0]).shape.size() == 4;
  if (!of_images) return std::nullopt;
  return traits(op.attributes).window;
}

/// One axis of a chain of windows, of which one at most has a kernel.
struct Axis {
  int64_t in = 0, out = 0, extent = 1, stride = 1, before = 0, after = 0;

  void pass(int64_t kernel, int64_t steps, int64_t dilation, int64_t front, int64_t back) {
    extent = std::max(extent, (kernel - 1) * dilation + 1);
    stride *= steps;
    before += front;
    after += back;
  }
  /// Positions of the input that can go.
  [[nodiscard]] int64_t surplus() const {
    const auto reach = [&](int64_t padding) { return (padding + stride - 1) / stride; };
    int64_t left = std::min(out, std::max<int64_t>(3, reach(before) + reach(after) + 2));
    while (left < out && in - (out - left) * stride < std::min(in, extent)) ++left;
    return (out - left) * stride;
  }
};

/// Rows and columns that can go; nothing if the graph is not of one image and windows.
std::optional<std::pair<int64_t, int64_t>> surplus(const Graph& graph) {
  if (graph.inputs.size() != 1 || graph.ops.empty()) return std::nullopt;
  const Shape &in = graph.tensor(graph.inputs[0].tensor).shape,
              &out = graph.tensor(graph.outputs[0].tensor).shape;
  if (in.size() != 4 || out.size() != 4) return std::nullopt;
  Axis rows{in[1], out[1]}, columns{in[2], out[2]};
  int kernels = 0;
  for (const Op& op : graph.ops) {
    const std::optional<Window> w = window_of(graph, op);
    const bool constants_behind =
        std::all_of(op.inputs.begin() + 1, op.inputs.end(),
                    [&](TensorId t) { return graph.tensor(t).is_constant(); });
    if (!w || !constants_behind) return std::nullopt;
    const bool slides = w->kernel_h * w->kernel_w * w->stride_h * w->stride_w > 1;
    kernels += slides ? 1 : 0;
    const Padding& p = w->padding;
    rows.pass(w->kernel_h, w->stride_h, w->dilation_h, p.top, p.bottom);
    columns.pass(w->kernel_w, w->stride_w, w->dilation_w, p.left, p.right);
  }
  if (kernels > 1) return std::nullopt;
  return std::pair{rows.surplus(), columns.surplus()};
}

void cut(Graph& graph, int64_t rows, int64_t columns) {
  Shape& image = graph.tensor(graph.inputs[0].tensor).shape;
  image[1] -= rows;
  image[2] -= columns;
  for (const Op& op : graph.ops) graph.tensor(op.outputs[0]).shape = output_shape(graph, op);
}

}  // namespace

std::optional<Excerpt> piece_between(const FileNetwork& file, const std::vector<TensorId>& given,
                                     TensorId wanted) {
  Builder builder(file.graph);
  std::set<size_t> ops, seen, is_given;
  std::map<size_t, TensorId> by_value;
  for (const TensorId t : given) {
    builder.give(t);
    is_given.insert(t.index());
    by_value.emplace(file.value(t).index(), t);
  }
  std::vector<TensorId> open{wanted};
  while (!open.empty()) {
    const TensorId t = open.back();
    open.pop_back();
    if (!seen.insert(t.index()).second || file.graph.tensor(t).is_constant()) continue;
    if (is_given.contains(t.index())) continue;
    const auto twin = by_value.find(file.value(t).index());
    if (t != wanted && twin != by_value.end()) {
      builder.read_as(t, twin->second);
      continue;
    }
    const OpId producer = file.producers[t.index()];
    if (!producer.valid()) return std::nullopt;
    if (ops.insert(producer.index()).second) {
      for (const TensorId input : file.graph.op(producer).inputs) open.push_back(input);
    }
  }
  Excerpt piece;
  for (const size_t k : ops) {
    builder.add(file.graph.ops[k]);
    piece.ops.push_back({static_cast<int32_t>(k)});
  }
  piece.graph = builder.finish(wanted);
  return piece;
}

Excerpt piece_of(const Graph& graph, const Op& op, const std::vector<TensorId>& given) {
  Builder builder(graph);
  for (const TensorId t : given) builder.give(t);
  builder.add(op);
  return {builder.finish(op.outputs[0]), {}};
}

void shrink(Graph& a, Graph& b) {
  const auto of_a = surplus(a), of_b = surplus(b);
  if (!of_a || of_a != of_b) return;
  cut(a, of_a->first, of_a->second);
  cut(b, of_b->first, of_b->second);
}

}  // namespace thimble
