// SPDX-License-Identifier: Apache-2.0
#include "thimble/quantise/equalise.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include "thimble/reference/elements.h"
#include "thimble/reference/interpreter.h"
#include "thimble/reference/real_values.h"

namespace thimble {
namespace {

/// Larger ones would lose what is small in float32.
constexpr int kMostExponent = 12;

bool is_layer(const Graph& graph, const Op& op) {
  const Attributes& a = op.attributes;
  if (!std::holds_alternative<Conv2D>(a) && !std::holds_alternative<DepthwiseConv2D>(a) &&
      !std::holds_alternative<FullyConnected>(a))
    return false;
  for (size_t k = 1; k < op.inputs.size(); ++k) {
    const Tensor& constant = graph.tensor(op.inputs[k]);
    if (!constant.is_constant() || constant.type != DType::kFloat32) return false;
  }
  return op.inputs.size() > 1;
}

/// Whether f(s x) = s f(x) for s > 0.
bool keeps_scales(Activation activation) {
  return activation == Activation::kNone || activation == Activation::kRelu;
}

bool layer_keeps_scales(const Attributes& attributes) {
  if (const auto* conv = std::get_if<Conv2D>(&attributes)) return keeps_scales(conv->activation);
  if (const auto* depthwise = std::get_if<DepthwiseConv2D>(&attributes))
    return keeps_scales(depthwise->activation);
  return keeps_scales(std::get<FullyConnected>(attributes).activation);
}

/// Channel by channel, with scales as they are, and channels in the last axis before and after.
bool carries(const Graph& graph, const Op& op) {
  const Attributes& a = op.attributes;
  if (const auto* relu = std::get_if<Relu>(&a)) return keeps_scales(relu->range);
  if (std::holds_alternative<LeakyRelu>(a)) return true;
  if (const auto* pool = std::get_if<MaxPool2D>(&a)) return keeps_scales(pool->activation);
  if (const auto* pool = std::get_if<AveragePool2D>(&a)) return keeps_scales(pool->activation);
  if (const auto* pad = std::get_if<Pad>(&a))
    return pad->value == 0 && pad->after.back() == 0 && pad->before.back() == 0;
  const Shape &x = graph.tensor(op.inputs[0]).shape, &y = graph.tensor(op.outputs[0]).shape;
  if (const auto* mean = std::get_if<Mean>(&a))
    return !y.empty() &&
           std::ranges::find(mean->axes, static_cast<int>(x.size()) - 1) == mean->axes.end();
  if (std::holds_alternative<Reshape>(a)) return !y.empty() && x.back() == y.back();
  return false;
}

int64_t output_channels(const Graph& graph, const Op& op) {
  return graph.tensor(op.outputs[0]).shape.back();
}

/// Which channel of the input an element of the weights is for: element -> i. Nothing: it goes
/// through those of several groups.
struct InputChannels {
  bool depthwise = false;
  int64_t count = 1, inner = 1;  ///< of Conv2D and FullyConnected: the last axis
  int64_t multiplier = 1;

  [[nodiscard]] size_t of(size_t element) const {
    const auto e = static_cast<int64_t>(element);
    return static_cast<size_t>(depthwise ? e % inner / multiplier : e % count);
  }
};

std::optional<InputChannels> input_channels(const Graph& graph, const Op& op, int64_t channels) {
  const Shape& weights = graph.tensor(op.inputs[1]).shape;
  if (const auto* depthwise = std::get_if<DepthwiseConv2D>(&op.attributes))
    return InputChannels{true, channels, weights.back(), depthwise->multiplier};
  if (weights.back() != channels) return std::nullopt;  // groups; rows of several pixels
  return InputChannels{.count = channels};
}

std::vector<float> constant(const Graph& graph, TensorId t) {
  return dequantised(graph.tensor(t), *graph.tensor(t).data);
}

/// In place of the operand, which others may read, too.
void replace_operand(Graph& graph, Op& op, size_t k, const std::vector<float>& values) {
  Tensor changed = graph.tensor(op.inputs[k]);
  Bytes bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  changed.data = std::make_shared<const Bytes>(std::move(bytes));
  graph.tensors.push_back(std::move(changed));
  op.inputs[k] = TensorId{static_cast<int32_t>(std::ssize(graph.tensors) - 1)};
}

/// What each channel is multiplied by. Outputs of the first layer have a scale for each channel's
/// weights, so that only what lies between the layers, and the second one's weights if a scale of
/// theirs serves several channels, are to be balanced.
std::vector<float> factors_of(const std::vector<float>& peaks, const std::vector<float>& weights,
                              bool depthwise) {
  float most_x = 0, most_w = 0;
  for (size_t i = 0; i < peaks.size(); ++i) {
    most_x = std::max(most_x, peaks[i]);
    most_w = std::max(most_w, weights[i]);
  }
  std::vector<float> factors(peaks.size(), 1.0F);
  for (size_t i = 0; i < peaks.size(); ++i) {
    if (peaks[i] == 0 || weights[i] == 0) continue;
    const double x = std::log2(most_x / peaks[i]), w = std::log2(most_w / weights[i]);
    const double exponent = depthwise ? x : (x - w) / 2;
    const int whole =
        static_cast<int>(std::clamp<double>(std::round(exponent), -kMostExponent, kMostExponent));
    factors[i] = std::ldexp(1.0F, whole);
  }
  return factors;
}

}  // namespace

std::vector<LayerPair> layer_pairs(const Graph& graph) {
  const auto readers = consumers(graph);
  std::vector<bool> seen_outside(graph.tensors.size());
  for (const Port& port : graph.outputs) seen_outside[port.tensor.index()] = true;
  for (const State& state : graph.states) seen_outside[state.out.index()] = true;
  std::vector<LayerPair> pairs;
  for (size_t o = 0; o < graph.ops.size(); ++o) {
    const Op& first = graph.ops[o];
    if (!is_layer(graph, first) || !layer_keeps_scales(first.attributes)) continue;
    const int64_t channels = output_channels(graph, first);
    TensorId t = first.outputs[0];
    while (!seen_outside[t.index()] && readers[t.index()].size() == 1) {
      const OpId next = readers[t.index()][0];
      const Op& op = graph.op(next);
      if (op.inputs[0] != t || std::ranges::count(op.inputs, t) != 1) break;
      if (is_layer(graph, op) && input_channels(graph, op, channels)) {
        pairs.push_back({OpId{static_cast<int32_t>(o)}, next});
        break;
      }
      if (!carries(graph, op)) break;
      t = op.outputs[0];
    }
  }
  return pairs;
}

ChannelPeaks observed_peaks(const Graph& graph, const std::vector<LayerPair>& pairs,
                            const std::vector<Bytes>& inputs) {
  const TensorValues values = interpret(graph, inputs);
  ChannelPeaks peaks(graph.tensors.size());
  for (const LayerPair& pair : pairs) {
    const size_t t = graph.op(pair.first).outputs[0].index();
    const std::vector<float> reals = reference::elements_from<float>(values[t]);
    const auto channels = static_cast<size_t>(graph.tensors[t].shape.back());
    peaks[t].resize(channels);
    for (size_t i = 0; i < reals.size(); ++i)
      peaks[t][i % channels] = std::max(peaks[t][i % channels], std::abs(reals[i]));
  }
  return peaks;
}

void include(ChannelPeaks& all, const ChannelPeaks& some) {
  all.resize(some.size());
  for (size_t t = 0; t < some.size(); ++t) {
    all[t].resize(some[t].size());
    for (size_t i = 0; i < some[t].size(); ++i) all[t][i] = std::max(all[t][i], some[t][i]);
  }
}

Graph equalised(Graph graph, const std::vector<LayerPair>& pairs, const ChannelPeaks& peaks) {
  for (const LayerPair& pair : pairs) {
    Op first = graph.op(pair.first), second = graph.op(pair.second);
    const std::vector<float>& peak = peaks[first.outputs[0].index()];
    const auto channels = static_cast<int64_t>(peak.size());
    const InputChannels read = input_channels(graph, second, channels).value();
    std::vector<float> after = constant(graph, second.inputs[1]);
    std::vector<float> largest(peak.size());
    for (size_t i = 0; i < after.size(); ++i)
      largest[read.of(i)] = std::max(largest[read.of(i)], std::abs(after[i]));
    const std::vector<float> factors = factors_of(peak, largest, read.depthwise);

    for (size_t i = 0; i < after.size(); ++i) after[i] /= factors[read.of(i)];
    replace_operand(graph, second, 1, after);
    // Channels of depthwise weights are in the last axis, of all others in the first.
    std::vector<float> before = constant(graph, first.inputs[1]);
    const bool last = std::holds_alternative<DepthwiseConv2D>(first.attributes);
    const size_t each = before.size() / peak.size();
    for (size_t i = 0; i < before.size(); ++i)
      before[i] *= factors[last ? i % peak.size() : i / each];
    replace_operand(graph, first, 1, before);
    if (first.inputs.size() > 2) {
      std::vector<float> bias = constant(graph, first.inputs[2]);
      for (size_t i = 0; i < bias.size(); ++i) bias[i] *= factors[i];
      replace_operand(graph, first, 2, bias);
    }
    graph.ops[pair.first.index()] = std::move(first);
    graph.ops[pair.second.index()] = std::move(second);
  }
  return graph;
}

}  // namespace thimble
