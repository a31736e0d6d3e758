// SPDX-License-Identifier: Apache-2.0
// One pass over the operators with a few inputs at a time, then scales.
#include "zoo/calibrate.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <variant>
#include <vector>

#include "thimble/operators/operators.h"
#include "thimble/reference/real.h"
#include "zoo/random.h"

namespace thimble::zoo {
namespace {

/// More say more about the next; networks this large have pixels enough in fewer.
size_t number_of_inputs(const Graph& graph) { return macs(graph) < 1'000'000'000 ? 4 : 2; }

using Batch = std::vector<RealValues>;  ///< one tensor, for each of the inputs

struct Range {
  float min = 0, max = 0;  ///< zero is always representable
};

template <class T>
std::shared_ptr<const Bytes> shared_bytes(const std::vector<T>& values) {
  Bytes bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return std::make_shared<const Bytes>(std::move(bytes));
}

bool has_weights(const Op& op) {
  return std::holds_alternative<Conv2D>(op.attributes) ||
         std::holds_alternative<DepthwiseConv2D>(op.attributes) ||
         std::holds_alternative<TransposeConv>(op.attributes) ||
         std::holds_alternative<FullyConnected>(op.attributes);
}

/// The fused activation of an operator with weights.
Activation& activation_of(Attributes& attributes) {
  if (auto* conv = std::get_if<Conv2D>(&attributes)) return conv->activation;
  if (auto* depthwise = std::get_if<DepthwiseConv2D>(&attributes)) return depthwise->activation;
  if (auto* transposed = std::get_if<TransposeConv>(&attributes)) return transposed->activation;
  return std::get<FullyConnected>(attributes).activation;
}

/// The format demands that output and inputs of these have one scale and zero point.
bool keeps_the_scale(const Attributes& attributes) {
  return std::holds_alternative<AveragePool2D>(attributes) ||
         std::holds_alternative<MaxPool2D>(attributes) ||
         std::holds_alternative<Reshape>(attributes) || std::holds_alternative<Pad>(attributes) ||
         std::holds_alternative<Transpose>(attributes) ||
         std::holds_alternative<Concat>(attributes) || std::holds_alternative<Slice>(attributes) ||
         std::holds_alternative<ResizeNearestNeighbor>(attributes) ||
         std::holds_alternative<ResizeBilinear>(attributes);
}

/// The format demands that the output's scale is 1/256 and its zero point -128.
bool gives_probabilities(const Attributes& attributes) {
  return std::holds_alternative<Softmax>(attributes) ||
         std::holds_alternative<Logistic>(attributes);
}

/// Per tensor: the caller has it in float32, in front of QUANTIZE or behind DEQUANTIZE.
std::vector<bool> stays_real(const Graph& graph) {
  std::vector<bool> real(graph.tensors.size(), false);
  for (const Op& op : graph.ops) {
    if (std::holds_alternative<Quantize>(op.attributes)) real[op.inputs[0].index()] = true;
    if (std::holds_alternative<Dequantize>(op.attributes)) real[op.outputs[0].index()] = true;
  }
  return real;
}

bool has_constant(const Graph& graph, const Op& op) {
  return std::ranges::any_of(op.inputs, [&](TensorId t) { return graph.tensor(t).is_constant(); });
}

/// Per operator: its output is what a softmax decides by. Of attention whose scores are scaled
/// down, that is the queries: such scores spread as these do.
std::vector<bool> gives_logits(const Graph& graph) {
  std::vector<bool> wanted(graph.tensors.size(), false);
  std::vector<bool> scaled(graph.tensors.size(), false);
  std::vector<bool> result(graph.ops.size(), false);
  for (size_t o = graph.ops.size(); o-- > 0;) {
    const Op& op = graph.ops[o];
    const bool output_wanted = wanted[op.outputs[0].index()];
    result[o] = output_wanted && has_weights(op);
    const bool scales = std::holds_alternative<Mul>(op.attributes) && has_constant(graph, op);
    if (output_wanted && scales) scaled[op.inputs[0].index()] = true;
    if (scaled[op.outputs[0].index()] && std::holds_alternative<BatchMatMul>(op.attributes)) {
      wanted[op.inputs[0].index()] = true;
    }
    const bool passes = std::holds_alternative<Mean>(op.attributes) ||
                        std::holds_alternative<Transpose>(op.attributes) ||
                        std::holds_alternative<Reshape>(op.attributes);
    if (std::holds_alternative<Softmax>(op.attributes) || (output_wanted && passes)) {
      wanted[op.inputs[0].index()] = true;
    }
  }
  return result;
}

class Calibration {
 public:
  Calibration(Graph& graph, uint64_t seed)
      : graph_(graph),
        inputs_(number_of_inputs(graph)),
        random_(seed ^ 0x5ca1e5),
        values_(graph.tensors.size()),
        ranges_(graph.tensors.size()) {}

  std::vector<Range> run() {
    for (const Port& port : graph_.inputs) draw_input(port.tensor);
    std::vector<int> readers(graph_.tensors.size(), 0);
    for (const Op& op : graph_.ops) {
      for (const TensorId t : op.inputs) ++readers[t.index()];
    }
    const std::vector<bool> logits = gives_logits(graph_);
    for (size_t o = 0; o < graph_.ops.size(); ++o) {
      const Op& op = graph_.ops[o];
      Batch output = has_weights(op) ? normalised(op, logits[o] ? kLogits : 1) : evaluate(op);
      for (const TensorId t : op.inputs) {
        if (--readers[t.index()] == 0) values_[t.index()].clear();
      }
      note_range(op.outputs[0], output);
      values_[op.outputs[0].index()] = std::move(output);
    }
    return ranges_;
  }

 private:
  static constexpr double kLogits = 6;  ///< a trained classifier is sure of something

  void draw_input(TensorId t) {
    Batch& batch = values_[t.index()];
    batch.assign(inputs_, RealValues(static_cast<size_t>(elements(graph_.tensor(t).shape))));
    for (RealValues& values : batch) {
      for (float& value : values) value = static_cast<float>(2 * random_.unit() - 1);
    }
    ranges_[t.index()] = {-1, 1};
  }

  void note_range(TensorId t, const Batch& batch) {
    Range& range = ranges_[t.index()];
    for (const RealValues& values : batch) {
      const auto [lowest, highest] = std::ranges::minmax(values);
      range = {std::min(range.min, lowest), std::max(range.max, highest)};
    }
  }

  Batch evaluate(const Op& op) {
    std::vector<RealValues> constants(op.inputs.size());
    for (size_t k = 0; k < constants.size(); ++k) {
      const Tensor& tensor = graph_.tensor(op.inputs[k]);
      if (tensor.is_constant()) constants[k] = dequantised(tensor, *tensor.data);
    }
    Batch result;
    for (size_t n = 0; n < inputs_; ++n) {
      std::vector<const RealValues*> inputs;
      for (size_t k = 0; k < constants.size(); ++k) {
        const Batch& batch = values_[op.inputs[k].index()];
        inputs.push_back(batch.empty() ? &constants[k] : &batch[n]);
      }
      result.push_back(evaluate_real(graph_, op, inputs));
    }
    return result;
  }

  /// Evaluates a layer with weights, and scales these and shifts the bias on the way.
  Batch normalised(const Op& op, double deviation) {
    Op bare = op;
    bare.inputs.resize(2);
    activation_of(bare.attributes) = Activation::kNone;
    Batch sums = evaluate(bare);

    Tensor& weights = graph_.tensor(op.inputs[1]);
    Tensor& bias_tensor = graph_.tensor(op.inputs[2]);
    RealValues bias = dequantised(bias_tensor, *bias_tensor.data);
    const size_t channels = bias.size();
    const std::vector<Moments> moments = channel_moments(sums, channels);
    for (size_t o = 0; o < channels; ++o) {
      const double gain = deviation * (0.8 + 0.4 * random_.unit()) / moments[o].deviation;
      weights.quantization.scales[o] *= static_cast<float>(gain);
      bias[o] -= static_cast<float>(moments[o].mean * gain);
      for (RealValues& values : sums) {
        for (size_t i = o; i < values.size(); i += channels) {
          values[i] = values[i] * static_cast<float>(gain) + bias[o];
        }
      }
    }
    bias_tensor.data = shared_bytes(bias);
    Op clamp = op;
    for (RealValues& values : sums) apply(activation_of(clamp.attributes), values);
    return sums;
  }

  struct Moments {
    double mean = 0, deviation = 1;
  };

  static std::vector<Moments> channel_moments(const Batch& batch, size_t channels) {
    std::vector<double> sum(channels, 0);
    std::vector<double> squares(channels, 0);
    double count = 0;
    for (const RealValues& values : batch) {
      const size_t pixels = values.size() / channels;
      count += static_cast<double>(pixels);
      for (size_t i = 0; i < values.size(); ++i) {
        sum[i % channels] += values[i];
        squares[i % channels] += double{values[i]} * values[i];
      }
    }
    const double all = std::accumulate(squares.begin(), squares.end(), 0.0);
    const double layer = std::sqrt(all / (count * static_cast<double>(channels))) + 1e-6;
    std::vector<Moments> result(channels, {.mean = 0, .deviation = layer});
    constexpr double kEnough = 16;  // of fewer values neither moment says much
    if (count < kEnough) return result;
    for (size_t o = 0; o < channels; ++o) {
      const double mean = sum[o] / count;
      const double variance = squares[o] / count - mean * mean;
      result[o] = {mean, std::max(std::sqrt(std::max(variance, 0.0)), 0.2 * layer)};
    }
    return result;
  }

  Graph& graph_;
  size_t inputs_;
  Random random_;
  std::vector<Batch> values_;  ///< per tensor; empty when it is not needed
  std::vector<Range> ranges_;
};

/// Joins the ranges of tensors that must have one scale.
void join(const Graph& graph, std::vector<Range>& ranges) {
  std::vector<size_t> leader(ranges.size());
  std::iota(leader.begin(), leader.end(), size_t{0});
  const auto find = [&](size_t t) {
    while (leader[t] != t) t = leader[t] = leader[leader[t]];
    return t;
  };
  for (const Op& op : graph.ops) {
    // An input has the same range in float32 and in int8.
    const bool port = std::holds_alternative<Quantize>(op.attributes);
    if (!port && !keeps_the_scale(op.attributes)) continue;
    for (const TensorId t : op.inputs) leader[find(t.index())] = find(op.outputs[0].index());
  }
  for (size_t t = 0; t < ranges.size(); ++t) {
    Range& whole = ranges[find(t)];
    whole = {std::min(whole.min, ranges[t].min), std::max(whole.max, ranges[t].max)};
  }
  for (size_t t = 0; t < ranges.size(); ++t) ranges[t] = ranges[find(t)];
}

Quantization int8_quantization(const Range& range) {
  const float width = range.max > range.min ? range.max - range.min : 1.0F;
  const float scale = width / 255;
  return {{scale}, {static_cast<int32_t>(std::lround(-128 - range.min / scale))}, 0};
}

/// int32, at input scale x weight scale.
void quantise_bias(Graph& graph, const Op& op) {
  const Quantization& weights = graph.tensor(op.inputs[1]).quantization;
  const float input_scale = graph.tensor(op.inputs[0]).quantization.scales[0];
  Tensor& bias = graph.tensor(op.inputs[2]);
  const RealValues real = dequantised(bias, *bias.data);
  bias.type = DType::kInt32;
  bias.quantization = {{}, std::vector<int32_t>(real.size(), 0), 0};
  std::vector<int32_t> values;
  for (size_t o = 0; o < real.size(); ++o) {
    bias.quantization.scales.push_back(input_scale * weights.scales[o]);
    values.push_back(static_cast<int32_t>(std::lround(real[o] / bias.quantization.scales[o])));
  }
  bias.data = shared_bytes(values);
}

/// int8, as activations are: of the range of its values and zero.
void quantise_constant(Tensor& constant) {
  const RealValues real = dequantised(constant, *constant.data);
  Range range;
  for (const float value : real) {
    range = {std::min(range.min, value), std::max(range.max, value)};
  }
  constant.type = DType::kInt8;
  constant.quantization = int8_quantization(range);
  std::vector<int8_t> values;
  for (const float value : real) {
    const auto steps = std::lround(value / constant.quantization.scales[0]);
    values.push_back(static_cast<int8_t>(
        std::clamp<long>(steps + constant.quantization.zero_points[0], -128, 127)));
  }
  constant.data = shared_bytes(values);
}

}  // namespace

Graph calibrated(Graph real, uint64_t seed) {
  std::vector<Range> ranges = Calibration(real, seed).run();
  join(real, ranges);
  Graph& graph = real;
  const std::vector<bool> real_ports = stays_real(graph);
  for (size_t t = 0; t < graph.tensors.size(); ++t) {
    Tensor& tensor = graph.tensors[t];
    if (tensor.is_constant() || real_ports[t]) continue;
    tensor.type = DType::kInt8;
    tensor.quantization = int8_quantization(ranges[t]);
  }
  for (Op& op : graph.ops) {
    Tensor& output = graph.tensor(op.outputs[0]);
    if (gives_probabilities(op.attributes)) output.quantization = {{1.0F / 256}, {-128}, 0};
    if (auto* pad = std::get_if<Pad>(&op.attributes)) {
      pad->value = output.quantization.zero_points[0];
    }
  }
  for (const Op& op : graph.ops) {
    if (has_weights(op)) quantise_bias(graph, op);
    for (const TensorId t : op.inputs) {
      Tensor& tensor = graph.tensor(t);
      if (tensor.is_constant() && tensor.type == DType::kFloat32) quantise_constant(tensor);
    }
  }
  return real;
}

}  // namespace thimble::zoo
