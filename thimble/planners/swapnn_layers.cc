// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/swapnn_layers.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "thimble/model/division.h"
#include "thimble/model/error.h"
#include "thimble/operators/operators.h"

namespace thimble::swapnn {
namespace {

/// Bytes from a region's first element to its last.
Interval hull_bytes(const Tensor& tensor, const Region& region) {
  if (empty(region)) return {};
  int64_t first = 0, last = 0;
  for (size_t axis = 0; axis < region.size(); ++axis) {
    first = first * tensor.shape[axis] + region[axis].begin;
    last = last * tensor.shape[axis] + region[axis].end - 1;
  }
  const int64_t size = size_bytes(tensor.type);
  return {first * size, (last + 1) * size};
}

/// Layers that are none: their output is what they read.
bool is_passed_over(const Op& op) {
  return std::holds_alternative<Reshape>(op.attributes) ||
         std::holds_alternative<Softmax>(op.attributes);
}

class Cutter {
 public:
  /// sources: of each tensor, what lies on the card for it.
  Cutter(const Graph& graph, const std::vector<TensorId>& sources, const Op& op,
         int64_t buffer_bytes)
      : graph_(graph),
        sources_(sources),
        op_(op),
        map_(access_map(graph, op)),
        buffer_bytes_(buffer_bytes) {}

  [[nodiscard]] std::vector<Tile> tiles() const {
    const Shape& shape = out().shape;
    std::vector<int> axes;  // rows, columns
    for (int axis = 0; axis + 1 < static_cast<int>(shape.size()) && axes.size() < 2; ++axis) {
      if (shape[static_cast<size_t>(axis)] > 1) axes.push_back(axis);
    }
    if (axes.empty()) return {tile(whole(shape))};
    if (const auto rows = most_that_fit(axes[0], whole(shape)))
      return cut(axes[0], *rows, whole(shape));
    std::vector<Tile> result;
    for (int64_t row = 0; row < shape[static_cast<size_t>(axes[0])]; ++row) {
      Region one = whole(shape);
      one[static_cast<size_t>(axes[0])] = {row, row + 1};
      if (axes.size() < 2) {
        result.push_back(tile(one));
        continue;
      }
      const std::vector<Tile> parts = cut(axes[1], columns(axes[0], axes[1]), one);
      result.insert(result.end(), parts.begin(), parts.end());
    }
    return result;
  }

 private:
  [[nodiscard]] const Tensor& out() const { return graph_.tensor(op_.outputs[0]); }

  [[nodiscard]] Tile tile(const Region& region) const {
    Tile tile{.makes = {op_.outputs[0], hull_bytes(out(), region)},
              .written_bytes = elements(region) * size_bytes(out().type),
              .macs = macs(graph_, op_, region)};
    for (size_t k = 0; k < op_.inputs.size(); ++k) {
      const TensorId input = op_.inputs[k];
      if (!input.valid() || graph_.tensor(input).is_constant()) continue;
      const Tensor& tensor = graph_.tensor(input);
      const Region needed = input_region(map_[k], tensor.shape, out().shape, region);
      tile.reads.push_back({sources_[input.index()], hull_bytes(tensor, needed)});
      tile.read_bytes += elements(needed) * size_bytes(tensor.type);
    }
    return tile;
  }

  [[nodiscard]] std::vector<Tile> cut(int axis, int64_t step, Region region) const {
    const auto at = static_cast<size_t>(axis);
    const int64_t extent = out().shape[at];
    std::vector<Tile> result;
    for (int64_t begin = 0; begin < extent; begin += step) {
      region[at] = {begin, std::min(extent, begin + step)};
      result.push_back(tile(region));
    }
    return result;
  }

  [[nodiscard]] bool fits(int axis, int64_t step, const Region& region) const {
    return std::ranges::all_of(cut(axis, step, region), [&](const Tile& tile) {
      return std::max(tile.read_bytes, tile.written_bytes) <= buffer_bytes_;
    });
  }

  /// Nothing: not even one fits.
  [[nodiscard]] std::optional<int64_t> most_that_fit(int axis, const Region& region) const {
    int64_t step = out().shape[static_cast<size_t>(axis)];
    while (step > 0 && !fits(axis, step, region)) --step;
    return step > 0 ? std::optional(step) : std::nullopt;
  }

  /// How many fit of any row; 1 if nothing does.
  [[nodiscard]] int64_t columns(int row_axis, int axis) const {
    int64_t least = out().shape[static_cast<size_t>(axis)];
    for (int64_t row = 0; row < out().shape[static_cast<size_t>(row_axis)]; ++row) {
      Region one = whole(out().shape);
      one[static_cast<size_t>(row_axis)] = {row, row + 1};
      while (least > 1 && !fits(axis, least, one)) --least;
    }
    return least;
  }

  const Graph& graph_;
  const std::vector<TensorId>& sources_;
  const Op& op_;
  const AccessMap map_;
  const int64_t buffer_bytes_;
};

/// Reads and writes a tensor, a buffer at a time.
Layer elementwise_layer(const Graph& graph, TensorId tensor, int64_t buffer_bytes) {
  Layer layer;
  const int64_t bytes = graph.tensor(tensor).size_bytes();
  for (int64_t begin = 0; begin < bytes; begin += buffer_bytes) {
    const Interval part{begin, std::min(bytes, begin + buffer_bytes)};
    layer.tiles.push_back({.reads = {{tensor, part}},
                           .read_bytes = part.size(),
                           .makes = {tensor, part},
                           .written_bytes = part.size()});
  }
  return layer;
}

Speed speed_of(const Graph& graph, const Op& op) {
  if (std::holds_alternative<FullyConnected>(op.attributes)) return Speed::kFullyConnected;
  const bool depthwise = std::holds_alternative<DepthwiseConv2D>(op.attributes);
  const Shape& weights = graph.tensor(op.inputs.at(1)).shape;
  const bool one_by_one = weights.size() == 4 && weights[1] == 1 && weights[2] == 1;
  return depthwise || one_by_one ? Speed::kPointwise : Speed::kConvolution;
}

}  // namespace

Buffers buffers_of(int64_t sram_bytes, int64_t buffer_bytes) {
  const int64_t quarter = buffer_bytes > 0 ? sram_bytes / buffer_bytes / 4 : 0;
  if (quarter < 1) {
    throw CompileError("swapnn", fmt::format("needs four buffers, and of {} B {} have no room",
                                             buffer_bytes, sram_bytes));
  }
  return {.bytes = buffer_bytes, .inputs = quarter, .weights = 2 * quarter, .outputs = quarter};
}

std::vector<Layer> layers_of(const Graph& graph, const Buffers& buffers, int elementwise) {
  std::vector<TensorId> sources(graph.tensors.size());
  for (size_t t = 0; t < sources.size(); ++t) sources[t] = {static_cast<int32_t>(t)};
  std::vector<Layer> layers;
  for (const Op& op : graph.ops) {
    if (is_passed_over(op)) {
      sources[op.outputs[0].index()] = sources[op.inputs[0].index()];
      continue;
    }
    Layer layer{.tiles = Cutter(graph, sources, op, buffers.bytes).tiles()};
    const bool weighted =
        traits(op.attributes).weighted && graph.tensor(op.inputs.at(1)).is_constant();
    if (weighted) {
      layer.weight_bytes = graph.tensor(op.inputs[1]).size_bytes();
      layer.speed = speed_of(graph, op);
    }
    layers.push_back(std::move(layer));
    if (!weighted) continue;
    for (int k = 0; k < elementwise; ++k)
      layers.push_back(elementwise_layer(graph, op.outputs[0], buffers.bytes));
  }
  return layers;
}

}  // namespace thimble::swapnn
