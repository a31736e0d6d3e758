// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "thimble/model/error.h"
#include "thimble/operators/operators.h"
#include "thimble/reference/elements.h"
#include "thimble/rewrites/channel_sets.h"
#include "thimble/rewrites/edit.h"
#include "thimble/rewrites/rewrites.h"

namespace thimble {
namespace {

/// The tensor with those indices of an axis that are kept.
Tensor selected(const Tensor& tensor, size_t axis, const KeptChannels& kept) {
  if (kept.empty()) return tensor;
  Tensor result = tensor;
  result.shape[axis] = std::ranges::count(kept, true);
  const auto filter = [&](const auto& values) {
    std::decay_t<decltype(values)> some;
    for (size_t k = 0; k < values.size(); ++k) {
      if (kept[k]) some.push_back(values[k]);
    }
    return some;
  };
  Quantization& q = result.quantization;
  if (q.per_channel() && q.axis == static_cast<int>(axis)) {
    q.scales = filter(q.scales);
    q.zero_points = filter(q.zero_points);
  }
  if (!tensor.is_constant()) return result;
  int64_t inner = size_bytes(tensor.type);
  for (size_t k = axis + 1; k < tensor.shape.size(); ++k) inner *= tensor.shape[k];
  Bytes bytes;
  bytes.reserve(static_cast<size_t>(result.size_bytes()));
  auto at = tensor.data->begin();
  for (size_t k = 0; at != tensor.data->end(); ++k, at += inner) {
    if (kept[k % kept.size()]) bytes.insert(bytes.end(), at, at + inner);
  }
  result.data = std::make_shared<const Bytes>(std::move(bytes));
  return result;
}

/// Writes the network without the channels that are not kept. What has fewer is a tensor of its
/// own, so that TensorIds keep their meaning.
class Thinned {
 public:
  Thinned(const Graph& graph, const std::vector<ValueRanges>& bounds,
          const std::vector<KeptChannels>& kept)
      : graph_(graph), bounds_(bounds), kept_(kept), result_(graph), now_(graph.tensors.size()) {}

  RewrittenGraph run() {
    for (size_t t = 0; t < kept_.size(); ++t) {
      now_[t] = TensorId{static_cast<int32_t>(t)};
      if (kept_[t].empty()) continue;
      const Tensor& tensor = graph_.tensors[t];
      const TensorId thin = add(selected(tensor, tensor.shape.size() - 1, kept_[t]));
      certificate_.thinned.push_back({thin, now_[t], kept_[t], constants(t)});
      now_[t] = thin;
    }
    for (Op& op : result_.ops) {
      const Op before = op;
      for (TensorId& t : op.inputs) t = now_[t.index()];
      for (TensorId& t : op.outputs) t = now_[t.index()];
      std::visit([&](auto& attributes) { adapt(attributes, before, op); }, op.attributes);
    }
    return {std::move(result_), std::move(certificate_)};
  }

 private:
  /// Values of the channels that go, where every input gives them the same value.
  [[nodiscard]] std::vector<std::optional<int32_t>> constants(size_t t) const {
    std::vector<std::optional<int32_t>> result(kept_[t].size());
    for (size_t c = 0; c < bounds_[t].size(); ++c) {
      if (!kept_[t][c] && bounds_[t][c].is_constant()) result[c] = bounds_[t][c].low;
    }
    return result;
  }
  TensorId add(Tensor tensor) {
    result_.tensors.push_back(std::move(tensor));
    return {static_cast<int32_t>(result_.tensors.size() - 1)};
  }
  [[nodiscard]] const KeptChannels& kept(TensorId t) const { return kept_[t.index()]; }

  /// A constant operand with the channels of `kept` only.
  void select(TensorId& operand, size_t axis, const KeptChannels& kept) {
    if (!kept.empty()) operand = add(selected(result_.tensor(operand), axis, kept));
  }

  /// What the channels that go add to each sum, for [O, ..., I] weights.
  [[nodiscard]] std::vector<int64_t> folded(const Op& before) const {
    const Tensor &x = graph_.tensor(before.inputs[0]), &weights = graph_.tensor(before.inputs[1]);
    const auto channels = static_cast<size_t>(weights.shape[0]);
    std::vector<int64_t> sums(channels);
    const KeptChannels& kept_inputs = kept(before.inputs[0]);
    if (kept_inputs.empty()) return sums;
    const ValueRanges& values = bounds_[before.inputs[0].index()];
    const std::vector<int8_t> w = reference::elements_from<int8_t>(*weights.data);
    const int64_t zero_point = x.quantization.zero_points[0];
    const int64_t weight_zero_point =
        weights.quantization.per_channel() ? 0 : weights.quantization.zero_points[0];
    const size_t per_output = w.size() / channels;
    for (size_t k = 0; k < w.size(); ++k) {
      const size_t c = k % per_output % kept_inputs.size();
      if (!kept_inputs[c])
        sums[k / per_output] += (values[c].low - zero_point) * (w[k] - weight_zero_point);
    }
    return sums;
  }

  void add_to_bias(const Op& before, Op& op) {
    const std::vector<int64_t> sums = folded(before);
    if (std::ranges::all_of(sums, [](int64_t sum) { return sum == 0; })) return;
    if (op.inputs.size() < 3) op.inputs.push_back(add(no_bias(before)));
    Tensor bias = result_.tensor(op.inputs[2]);
    std::vector<int32_t> values = reference::elements_from<int32_t>(*bias.data);
    // Supported sums fit 32 bits whatever the inputs are: so do these.
    for (size_t o = 0; o < sums.size(); ++o) values[o] += static_cast<int32_t>(sums[o]);
    bias.data = std::make_shared<const Bytes>(reference::bytes_from(values));
    op.inputs[2] = add(std::move(bias));
  }
  [[nodiscard]] Tensor no_bias(const Op& before) const {
    const Tensor &x = graph_.tensor(before.inputs[0]), &weights = graph_.tensor(before.inputs[1]);
    Tensor bias{.name = graph_.tensor(before.outputs[0]).name + "_bias",
                .shape = {weights.shape[0]},
                .type = DType::kInt32,
                .quantization = {.scales = weights.quantization.scales, .zero_points = {}},
                .data = {}};
    for (float& scale : bias.quantization.scales) scale *= x.quantization.scales[0];
    bias.quantization.zero_points.resize(bias.quantization.scales.size());
    bias.data = std::make_shared<const Bytes>(static_cast<size_t>(bias.size_bytes()));
    return bias;
  }

  /// Weights [O, ..., I], where I may hold several pixels of channels, and the bias.
  void adapt_sum(const Op& before, Op& op) {
    add_to_bias(before, op);
    const size_t last = graph_.tensor(op.inputs[1]).shape.size() - 1;
    const KeptChannels &outputs = kept(before.outputs[0]), &channels = kept(before.inputs[0]);
    KeptChannels inputs;
    const auto depth = static_cast<size_t>(graph_.tensor(op.inputs[1]).shape[last]);
    for (size_t k = 0; k < depth && !channels.empty(); ++k)
      inputs.push_back(channels[k % channels.size()]);
    select(op.inputs[1], 0, outputs);
    select(op.inputs[1], last, inputs);
    if (op.inputs.size() > 2) select(op.inputs[2], 0, outputs);
  }
  void adapt(Conv2D&, const Op& before, Op& op) { adapt_sum(before, op); }
  void adapt(FullyConnected&, const Op& before, Op& op) { adapt_sum(before, op); }

  void adapt(DepthwiseConv2D& a, const Op& before, Op& op) {
    const KeptChannels& outputs = kept(before.outputs[0]);
    if (outputs.empty()) return;
    select(op.inputs[1], 3, outputs);
    if (op.inputs.size() > 2) select(op.inputs[2], 0, outputs);
    a.multiplier = result_.tensor(op.outputs[0]).shape[3] / result_.tensor(op.inputs[0]).shape[3];
  }

  void adapt(Slice& a, const Op& before, Op&) {
    const KeptChannels& inputs = kept(before.inputs[0]);
    if (inputs.empty() || a.stride.back() != 1) return;
    a.begin.back() = std::count(inputs.begin(), inputs.begin() + a.begin.back(), true);
  }

  /// Constants among the operands of what goes channel by channel.
  void adapt(Concat& a, const Op& before, Op& op) {
    const KeptChannels& outputs = kept(before.outputs[0]);
    if (outputs.empty()) return;
    const size_t last = graph_.tensor(before.outputs[0]).shape.size() - 1;
    auto first = outputs.begin();
    op.inputs.clear();
    for (const TensorId part : before.inputs) {
      const Tensor& tensor = graph_.tensor(part);
      const KeptChannels of_part(first, first + tensor.shape[last]);
      if (static_cast<size_t>(a.axis) == last) first += tensor.shape[last];
      if (!tensor.is_constant()) {
        op.inputs.push_back(now_[part.index()]);
      } else if (std::ranges::count(of_part, true) > 0) {
        op.inputs.push_back(part);
        select(op.inputs.back(), last, of_part);
      }
    }
  }
  void adapt_operands(const Op& before, Op& op) {
    const KeptChannels& outputs = kept(before.outputs[0]);
    for (TensorId& t : op.inputs) {
      const Tensor& operand = result_.tensor(t);
      if (!operand.is_constant() || operand.shape.empty()) continue;
      if (operand.shape.back() == static_cast<int64_t>(outputs.size()))
        select(t, operand.shape.size() - 1, outputs);
    }
  }
  template <class A>
  void adapt(A&, const Op& before, Op& op) {
    if (traits(op.attributes).by_channel) return adapt_operands(before, op);
    check(before == op, "an operator that needs all channels has lost some");
  }

  const Graph& graph_;
  const std::vector<ValueRanges>& bounds_;
  const std::vector<KeptChannels>& kept_;
  Graph result_;
  Certificate certificate_;
  std::vector<TensorId> now_;  ///< per tensor of graph_
};

/// Tensors of one value per channel become constants, unless somebody waits for them.
Graph constant_tensors_folded(const Graph& graph, const std::vector<ValueRanges>& bounds) {
  Graph result = graph;
  std::vector<bool> erase(graph.ops.size());
  for (size_t k = 0; k < graph.ops.size(); ++k) {
    const TensorId t = graph.ops[k].outputs[0];
    const ValueRanges& values = bounds[t.index()];
    const bool constant = !values.empty() && std::ranges::all_of(values, [](const ValueRange& i) {
      return i.is_constant();
    });
    if (!constant || is_output(graph, t) || find_accumulator(graph, t) != nullptr) continue;
    std::vector<int32_t> elements_of_t;
    for (int64_t i = 0; i < elements(graph.tensor(t).shape); ++i)
      elements_of_t.push_back(values[static_cast<size_t>(i) % values.size()].low);
    result.tensor(t).data = std::make_shared<const Bytes>(
        reference::bytes_from_integers(elements_of_t, graph.tensor(t).type));
    erase[k] = true;
  }
  erase_ops(result, erase);
  return remove_dead_ops(fold_constants(std::move(result)));
}

}  // namespace

RewrittenGraph remove_constant_channels(const Graph& graph,
                                        const std::vector<ValueRanges>& bounds) {
  const Graph folded = constant_tensors_folded(graph, bounds);
  return Thinned(folded, bounds, kept_channels(folded, bounds)).run();
}

}  // namespace thimble
