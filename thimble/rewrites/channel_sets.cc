// SPDX-License-Identifier: Apache-2.0
#include "thimble/rewrites/channel_sets.h"

#include <algorithm>
#include <numeric>

#include "thimble/operators/operators.h"

namespace thimble {
namespace {

/// Kernels take channels by fours, and words hold as many: behind one that goes alone, every pixel
/// has a rest, which costs more than the channel (person_detect: 3 % of all instructions).
constexpr size_t kBlock = 4;

size_t channel_count(const Tensor& tensor) {
  return tensor.shape.empty() ? 1 : static_cast<size_t>(tensor.shape.back());
}

/// All channels of all activations, in sets that go or stay as one.
class ChannelSets {
 public:
  explicit ChannelSets(const Graph& graph) : graph_(graph) {
    size_t count = 0;
    for (const Tensor& tensor : graph.tensors) {
      first_.push_back(count);
      if (!tensor.is_constant()) count += channel_count(tensor);
    }
    parent_.resize(count);
    std::iota(parent_.begin(), parent_.end(), size_t{0});
    stays_.resize(count);
  }

  [[nodiscard]] const Graph& graph() const { return graph_; }
  [[nodiscard]] bool has(TensorId t) const { return !graph_.tensor(t).is_constant(); }
  [[nodiscard]] size_t channels(TensorId t) const { return channel_count(graph_.tensor(t)); }

  /// Constants follow the operator that reads them.
  void tie(TensorId a, size_t channel_of_a, TensorId b, size_t channel_of_b) {
    if (!has(a) || !has(b)) return;
    const size_t to = root(first_[a.index()] + channel_of_a);
    const size_t from = root(first_[b.index()] + channel_of_b);
    parent_[from] = to;
    stays_[to] = stays_[to] || stays_[from];
  }
  void keep(TensorId t, size_t channel) {
    if (has(t)) stays_[root(first_[t.index()] + channel)] = true;
  }
  void keep(TensorId t) {
    for (size_t c = 0; c < channels(t); ++c) keep(t, c);
  }
  [[nodiscard]] bool stays(TensorId t, size_t channel) {
    return stays_[root(first_[t.index()] + channel)];
  }

 private:
  size_t root(size_t k) {
    while (parent_[k] != k) {
      parent_[k] = parent_[parent_[k]];
      k = parent_[k];
    }
    return k;
  }

  const Graph& graph_;
  std::vector<size_t> first_;   ///< per tensor: number of its channel 0
  std::vector<size_t> parent_;  ///< union-find
  std::vector<bool> stays_;     ///< of roots
};

/// What each operator allows.
struct TieChannels {
  ChannelSets& sets;
  const Op& op;
  const std::vector<ValueRanges>& bounds;

  [[nodiscard]] TensorId in(size_t i = 0) const { return op.inputs[i]; }
  [[nodiscard]] TensorId out() const { return op.outputs[0]; }
  [[nodiscard]] const Tensor& tensor(TensorId t) const { return sets.graph().tensor(t); }

  void keep_all() const {
    for (const TensorId t : op.inputs) sets.keep(t);
    sets.keep(out());
  }
  void tie_all(TensorId t) const {
    for (size_t c = 0; c < sets.channels(t); ++c) sets.tie(t, c, out(), c);
  }
  /// The operator is of int8, with constant weights and bias and sums of 32 bits.
  [[nodiscard]] bool is_plain() const {
    return tensor(in()).type == DType::kInt8 && tensor(in(1)).is_constant() &&
           (op.inputs.size() < 3 || tensor(in(2)).is_constant()) &&
           find_accumulator(sets.graph(), out()) == nullptr;
  }
  /// A sum over channels: a constant one can stand in the bias. Beyond the border of an image it is
  /// the zero point, so that another constant is none where windows reach there.
  void fold(bool reaches_border) const {
    if (!sets.has(in())) return;
    const int32_t zero_point = tensor(in()).quantization.zero_points.at(0);
    const ValueRanges& x = bounds[in().index()];
    for (size_t c = 0; c < x.size(); ++c) {
      if (!x[c].is_constant() || (reaches_border && x[c].low != zero_point)) sets.keep(in(), c);
    }
  }

  void operator()(const Conv2D& a) const {
    const Shape &x = tensor(in()).shape, &weights = tensor(in(1)).shape;
    if (!is_plain() || weights.at(3) != x.at(3)) return keep_all();  // groups
    fold(reaches_padding(a.window, x, tensor(out()).shape));
  }
  void operator()(const DepthwiseConv2D& a) const {
    if (!is_plain()) return keep_all();
    if (sets.channels(in()) == 1) return sets.keep(in());  // as many outputs of it as are wanted
    for (size_t o = 0; o < sets.channels(out()); ++o)
      sets.tie(out(), o, in(), o / static_cast<size_t>(a.multiplier));
  }
  void operator()(const FullyConnected&) const {
    const Tensor& weights = tensor(in(1));
    const bool by_channel = weights.shape.at(1) % tensor(in()).shape.back() == 0 &&
                            tensor(out()).shape.back() == weights.shape.at(0);
    if (!is_plain() || !by_channel) return keep_all();
    fold(false);
    // With one scale the reference rounds the multiplier otherwise.
    if (weights.quantization.per_channel()) {
      sets.keep(out(), 0);
      sets.keep(out(), 1);
    }
  }
  void operator()(const Slice& a) const {
    const size_t last = a.begin.size() - 1;
    if (a.stride[last] != 1 || std::ranges::count(a.dropped, static_cast<int>(last)) > 0)
      return keep_all();
    for (size_t c = 0; c < sets.channels(out()); ++c)
      sets.tie(out(), c, in(), static_cast<size_t>(a.begin[last]) + c);
  }
  void operator()(const Concat& a) const {
    const bool of_channels = a.axis == static_cast<int>(tensor(out()).shape.size()) - 1;
    size_t first = 0;
    for (const TensorId part : op.inputs) {
      for (size_t c = 0; c < sets.channels(part); ++c) sets.tie(out(), first + c, part, c);
      if (of_channels) first += sets.channels(part);
    }
  }

  /// Channel by channel, or all.
  template <class A>
  void operator()(const A&) const {
    if (!traits(op.attributes).by_channel) return keep_all();
    const AccessMap maps = access_map(sets.graph(), op);
    bool tied = false;
    for (size_t i = 0; i < maps.size(); ++i) {
      if (keeps_channels_apart(maps[i], tensor(in(i)).shape, tensor(out()).shape)) {
        tie_all(in(i));
        tied = true;
      } else {
        sets.keep(in(i));
      }
    }
    if (!tied) sets.keep(out());
  }
};

}  // namespace

std::vector<KeptChannels> kept_channels(const Graph& graph,
                                        const std::vector<ValueRanges>& bounds) {
  ChannelSets sets(graph);
  for (const Port& port : graph.inputs) sets.keep(port.tensor);
  for (const Port& port : graph.outputs) sets.keep(port.tensor);
  for (const State& state : graph.states) {
    sets.keep(state.in);
    sets.keep(state.out);
  }
  for (const Op& op : graph.ops) {
    std::visit(TieChannels{sets, op, bounds}, op.attributes);
    // Operators on constants alone, which nobody folded, have all channels.
    if (std::ranges::none_of(op.inputs, [&](TensorId t) { return sets.has(t); }))
      sets.keep(op.outputs[0]);
  }
  std::vector<KeptChannels> result(graph.tensors.size());
  const auto stay = [&](TensorId t) {
    KeptChannels kept(sets.channels(t));
    for (size_t c = 0; c < kept.size(); ++c) kept[c] = sets.stays(t, c);
    return kept;
  };
  for (const Op& op : graph.ops) {  // keeping one for this tensor takes none from another
    const TensorId t = op.outputs[0];
    const int64_t block = sets.channels(t) % kBlock == 0 ? kBlock : 1;
    int64_t count = std::ranges::count(stay(t), true);
    for (size_t c = 0; count == 0 || count % block != 0; ++c) {
      sets.keep(t, c);
      count = std::ranges::count(stay(t), true);
    }
  }
  for (const Op& op : graph.ops) {
    const TensorId t = op.outputs[0];
    KeptChannels kept = stay(t);
    if (std::ranges::count(kept, false) > 0) result[t.index()] = std::move(kept);
  }
  return result;
}

}  // namespace thimble
