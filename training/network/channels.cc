// SPDX-License-Identifier: Apache-2.0
#include "training/network/channels.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>

#include "thimble/model/error.h"
#include "thimble/operators/operators.h"

namespace thimble::training {
namespace {

/// Each index along the last axis of an activation is an atom; atoms that can only be removed
/// together are united.
class Atoms {
 public:
  explicit Atoms(const Graph& graph) : graph_(graph), first_(graph.tensors.size(), 0) {
    size_t count = 1;  // 0: what cannot be removed
    for (size_t t = 0; t < graph.tensors.size(); ++t) {
      first_[t] = count;
      count += width(TensorId{static_cast<int32_t>(t)});
    }
    parent_.resize(count);
    std::iota(parent_.begin(), parent_.end(), size_t{0});
  }

  [[nodiscard]] size_t width(TensorId t) const {
    const Shape& shape = graph_.tensor(t).shape;
    return shape.empty() ? 0 : static_cast<size_t>(shape.back());
  }
  [[nodiscard]] size_t of(TensorId t, size_t index) const { return first_[t.index()] + index; }
  [[nodiscard]] size_t root(size_t atom) {
    while (parent_[atom] != atom) atom = parent_[atom] = parent_[parent_[atom]];
    return atom;
  }
  void unite(size_t a, size_t b) {
    const size_t one = root(a), other = root(b);
    parent_[std::max(one, other)] = std::min(one, other);
  }
  void fix(TensorId t) {
    for (size_t k = 0; k < width(t); ++k) unite(of(t, k), 0);
  }
  /// Index k of `to` with index k % width of `from`.
  void tie(TensorId from, TensorId to) {
    if (width(from) == 0 || width(to) % width(from) != 0) {
      fix(from);
      fix(to);
      return;
    }
    for (size_t k = 0; k < width(to); ++k) unite(of(to, k), of(from, k % width(from)));
  }

 private:
  const Graph& graph_;
  std::vector<size_t> first_, parent_;
};

bool is_grouped(const Graph& graph, const Op& op) {
  return graph.tensor(op.inputs[1]).shape.back() != graph.tensor(op.inputs[0]).shape.back();
}

template <class Kind>
constexpr bool kKeepsChannels =
    kIsOneOf<Kind, Add, Sub, Mul, Maximum, Minimum, AveragePool2D, MaxPool2D, Relu, Relu6,
             LeakyRelu, Prelu, Logistic, Tanh, HardSwish, Elu, Abs, ResizeNearestNeighbor,
             ResizeBilinear>;

void tie_all(const Graph& graph, const Op& op, Atoms& atoms) {
  for (const TensorId t : op.inputs) {
    // One number for all channels.
    if (graph.tensor(t).is_constant() && atoms.width(t) <= 1) continue;
    if (atoms.width(t) == atoms.width(op.outputs[0])) {
      atoms.tie(t, op.outputs[0]);
    } else {
      atoms.fix(t);
      atoms.fix(op.outputs[0]);
    }
  }
}

void fix_all(const Op& op, Atoms& atoms) {
  for (const TensorId t : op.inputs) atoms.fix(t);
  for (const TensorId t : op.outputs) atoms.fix(t);
}

void tie_concatenated(const Graph& graph, const Op& op, const Concat& concat, Atoms& atoms) {
  const auto last = static_cast<int>(graph.tensor(op.outputs[0]).shape.size()) - 1;
  if (concat.axis != last) return tie_all(graph, op, atoms);
  size_t begin = 0;
  for (const TensorId t : op.inputs) {
    for (size_t k = 0; k < atoms.width(t); ++k)
      atoms.unite(atoms.of(op.outputs[0], begin + k), atoms.of(t, k));
    begin += atoms.width(t);
  }
}

/// What an operator ties; the outputs of convolutions and fully connected layers are new.
void tie_op(const Graph& graph, const Op& op, Atoms& atoms) {
  const Attributes& kind = op.attributes;
  if (std::holds_alternative<Conv2D>(kind)) {
    if (is_grouped(graph, op)) fix_all(op, atoms);
  } else if (std::holds_alternative<FullyConnected>(kind)) {
    // Of rows that are not the last axis the weights' axes would be others.
    if (graph.tensor(op.inputs[0]).shape.back() != graph.tensor(op.inputs[1]).shape.back())
      fix_all(op, atoms);
  } else if (const auto* depthwise = std::get_if<DepthwiseConv2D>(&kind)) {
    const auto each = static_cast<size_t>(depthwise->multiplier);
    for (size_t k = 0; k < atoms.width(op.outputs[0]); ++k)
      atoms.unite(atoms.of(op.outputs[0], k), atoms.of(op.inputs[0], k / each));
  } else if (const auto* concat = std::get_if<Concat>(&kind)) {
    tie_concatenated(graph, op, *concat, atoms);
  } else if (const auto* mean = std::get_if<Mean>(&kind)) {
    const auto last = static_cast<int>(graph.tensor(op.inputs[0]).shape.size()) - 1;
    if (std::ranges::find(mean->axes, last) != mean->axes.end()) return fix_all(op, atoms);
    tie_all(graph, op, atoms);
  } else if (const auto* pad = std::get_if<Pad>(&kind)) {
    if (pad->before.back() != 0 || pad->after.back() != 0) return fix_all(op, atoms);
    atoms.tie(op.inputs[0], op.outputs[0]);
  } else if (std::holds_alternative<Reshape>(kind)) {
    atoms.tie(op.inputs[0], op.outputs[0]);  // axes before the last become a part of it, or stay
  } else if (std::visit([](const auto& k) { return kKeepsChannels<std::decay_t<decltype(k)>>; },
                        kind)) {
    tie_all(graph, op, atoms);
  } else {
    fix_all(op, atoms);
  }
}

bool has_channels(const Op& op) {
  return std::holds_alternative<Conv2D>(op.attributes) ||
         std::holds_alternative<DepthwiseConv2D>(op.attributes) ||
         std::holds_alternative<FullyConnected>(op.attributes);
}

}  // namespace

Channels::Channels(const Graph& graph) : graph_(graph), of_(graph.tensors.size()) {
  Atoms atoms(graph);
  for (const Port& port : graph.inputs) atoms.fix(port.tensor);
  for (const Port& port : graph.outputs) atoms.fix(port.tensor);
  for (const State& state : graph.states) {
    atoms.fix(state.in);
    atoms.fix(state.out);
  }
  for (const Op& op : graph.ops) tie_op(graph, op, atoms);

  // Channels, by the roots of their atoms, in the order in which they are made; those of one layer
  // are of one group, and layers with a channel in common are.
  std::map<size_t, size_t> layer_of;  // by root
  std::vector<size_t> group_of(graph.ops.size());
  std::iota(group_of.begin(), group_of.end(), size_t{0});
  const auto first_of = [&](size_t o) {
    while (group_of[o] != o) o = group_of[o];
    return o;
  };
  for (size_t o = 0; o < graph.ops.size(); ++o) {
    const Op& op = graph.ops[o];
    if (!has_channels(op)) continue;
    for (size_t k = 0; k < atoms.width(op.outputs[0]); ++k) {
      const size_t root = atoms.root(atoms.of(op.outputs[0], k));
      if (root == atoms.root(0)) continue;
      const size_t one = first_of(layer_of.try_emplace(root, o).first->second), other = first_of(o);
      group_of[std::max(one, other)] = std::min(one, other);
    }
  }
  std::map<size_t, ChannelOf> channel_of;  // by root
  std::map<size_t, int32_t> number_of;     // of groups, by their first operator
  for (size_t o = 0; o < graph.ops.size(); ++o) {
    const OpId id{static_cast<int32_t>(o)};
    const Op& op = graph.op(id);
    if (!has_channels(op)) continue;
    for (size_t k = 0; k < atoms.width(op.outputs[0]); ++k) {
      const size_t root = atoms.root(atoms.of(op.outputs[0], k));
      if (root == atoms.root(0)) continue;
      const auto [number, is_new] =
          number_of.try_emplace(first_of(o), static_cast<int32_t>(counts_.size()));
      if (is_new) {
        counts_.push_back(0);
        makers_.emplace_back();
      }
      const auto group = static_cast<size_t>(number->second);
      const auto [channel, is_first] = channel_of.try_emplace(
          root, ChannelOf{number->second, static_cast<int32_t>(counts_[group])});
      if (is_first) ++counts_[group];
      if (makers_[group].empty() || makers_[group].back() != id) makers_[group].push_back(id);
    }
  }
  for (size_t t = 0; t < graph.tensors.size(); ++t) {
    const TensorId id{static_cast<int32_t>(t)};
    for (size_t k = 0; k < atoms.width(id); ++k) {
      const auto found = channel_of.find(atoms.root(atoms.of(id, k)));
      of_[t].push_back(found == channel_of.end() ? ChannelOf{} : found->second);
    }
  }
}

std::vector<std::vector<ChannelOf>> Channels::axes_of(TensorId constant) const {
  const size_t rank = graph_.tensor(constant).shape.size();
  std::vector<std::vector<ChannelOf>> axes(rank);
  for (const Op& op : graph_.ops) {
    const auto at = std::ranges::find(op.inputs, constant);
    if (at == op.inputs.end() || rank == 0) continue;
    const bool dense = std::holds_alternative<Conv2D>(op.attributes) ||
                       std::holds_alternative<FullyConnected>(op.attributes);
    if (at - op.inputs.begin() == 1 && dense) {
      axes.front() = of(op.outputs[0]);
      axes.back() = of(op.inputs[0]);
    } else if (has_channels(op)) {
      axes.back() = of(op.outputs[0]);  // of a bias, or of a depthwise convolution's weights
    } else {
      axes.back() = of(constant);
    }
  }
  return axes;
}

namespace {

std::vector<size_t> kept_indices(const std::vector<ChannelOf>& channels, const Kept& kept) {
  std::vector<size_t> indices;
  for (size_t k = 0; k < channels.size(); ++k) {
    const ChannelOf& c = channels[k];
    if (c.group < 0 || kept[static_cast<size_t>(c.group)][static_cast<size_t>(c.channel)])
      indices.push_back(k);
  }
  return indices;
}

/// The elements at some indices along an axis.
void take(Tensor& tensor, size_t axis, const std::vector<size_t>& indices) {
  const auto extent = static_cast<size_t>(tensor.shape[axis]);
  if (indices.size() == extent) return;
  size_t inner = static_cast<size_t>(size_bytes(tensor.type)), outer = 1;
  for (size_t a = 0; a < axis; ++a) outer *= static_cast<size_t>(tensor.shape[a]);
  for (size_t a = axis + 1; a < tensor.shape.size(); ++a)
    inner *= static_cast<size_t>(tensor.shape[a]);
  Bytes bytes(outer * indices.size() * inner);
  uint8_t* to = bytes.data();
  for (size_t o = 0; o < outer; ++o) {
    for (const size_t k : indices) {
      std::memcpy(to, tensor.data->data() + (o * extent + k) * inner, inner);
      to += inner;
    }
  }
  tensor.data = std::make_shared<const Bytes>(std::move(bytes));
  tensor.shape[axis] = static_cast<int64_t>(indices.size());
}

}  // namespace

Graph without_channels(const Graph& graph, const Channels& channels, const Kept& kept) {
  Graph result = graph;
  std::vector<bool> is_read(graph.tensors.size(), false);
  for (const Op& op : graph.ops)
    for (const TensorId t : op.inputs) is_read[t.index()] = true;
  for (size_t t = 0; t < graph.tensors.size(); ++t) {
    const TensorId id{static_cast<int32_t>(t)};
    Tensor& tensor = result.tensor(id);
    if (tensor.shape.empty()) continue;
    if (!tensor.is_constant()) {
      tensor.shape.back() = static_cast<int64_t>(kept_indices(channels.of(id), kept).size());
    } else if (is_read[t]) {
      const std::vector<std::vector<ChannelOf>> axes = channels.axes_of(id);
      for (size_t a = 0; a < axes.size(); ++a)
        if (!axes[a].empty()) take(tensor, a, kept_indices(axes[a], kept));
    }
  }
  check_graph(result);
  return result;
}

}  // namespace thimble::training
