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
#include "zoo/shared_scales.h"

namespace thimble::zoo {
namespace {

/// More say more about the next; networks this large have pixels enough in fewer, and of one that
/// goes on from a state an inference may be a single row.
size_t number_of_inputs(const Graph& graph) {
  if (!graph.states.empty()) return 64;
  return macs(graph) < 1'000'000'000 ? 4 : 2;
}

using Batch = std::vector<RealValues>;  ///< one tensor, for each of the inputs

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

/// What queries go through between their layer and a product with the keys.
bool moves_or_rotates(const Attributes& attributes) {
  return std::holds_alternative<Add>(attributes) || std::holds_alternative<Mul>(attributes) ||
         std::holds_alternative<Concat>(attributes) || std::holds_alternative<Slice>(attributes) ||
         std::holds_alternative<Transpose>(attributes) ||
         std::holds_alternative<Reshape>(attributes);
}

/// Per operator: its output is what a softmax decides by. Of attention whose scores are scaled
/// down, that is the queries: such scores spread as these do.
std::vector<bool> gives_logits(const Graph& graph) {
  std::vector<bool> wanted(graph.tensors.size(), false);
  std::vector<bool> scaled(graph.tensors.size(), false), queries = scaled;
  std::vector<bool> result(graph.ops.size(), false);
  for (size_t o = graph.ops.size(); o-- > 0;) {
    const Op& op = graph.ops[o];
    const bool output_wanted = wanted[op.outputs[0].index()];
    const bool is_query = queries[op.outputs[0].index()];
    result[o] = (output_wanted || is_query) && has_weights(op);
    const bool scales = std::holds_alternative<Mul>(op.attributes) && has_constant(graph, op);
    if (output_wanted && scales) scaled[op.inputs[0].index()] = true;
    if (scaled[op.outputs[0].index()] && std::holds_alternative<BatchMatMul>(op.attributes)) {
      queries[op.inputs[0].index()] = true;
    }
    if (is_query && moves_or_rotates(op.attributes)) {
      for (const TensorId t : op.inputs) queries[t.index()] = true;
    }
    if (output_wanted && std::holds_alternative<Select>(op.attributes)) {
      wanted[op.inputs[1].index()] = true;
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

/// The fewest that a GATHER by these indices has; 1 if there is none.
int64_t rows_to_choose_from(const Graph& graph, TensorId indices) {
  int64_t rows = 0;
  for (const Op& op : graph.ops) {
    const auto* gather = std::get_if<Gather>(&op.attributes);
    if (gather == nullptr || op.inputs[1] != indices) continue;
    const int64_t extent = graph.tensor(op.inputs[0]).shape[static_cast<size_t>(gather->axis)];
    rows = rows == 0 ? extent : std::min(rows, extent);
  }
  return std::max<int64_t>(rows, 1);
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
    for (const State& state : graph_.states) draw_state(state.in);
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

  template <class Draw>
  void draw(TensorId t, const Draw& value_of) {
    Batch& batch = values_[t.index()];
    batch.assign(inputs_, RealValues(static_cast<size_t>(elements(graph_.tensor(t).shape))));
    for (RealValues& values : batch) {
      for (float& value : values) value = static_cast<float>(value_of());
    }
  }

  double signed_unit() { return 2 * random_.unit() - 1; }

  void draw_input(TensorId t) {
    if (graph_.tensor(t).type == DType::kInt32) return draw_indices(t);
    draw(t, [&] { return signed_unit(); });
    ranges_[t.index()] = {-1, 1};
  }

  /// About normal, of unit deviation, as what layers with weights put there.
  void draw_state(TensorId t) {
    if (graph_.tensor(t).type == DType::kInt32) return draw_indices(t);
    draw(t, [&] { return signed_unit() + signed_unit() + signed_unit(); });
    note_range(t, values_[t.index()]);
  }

  void draw_indices(TensorId t) {
    const int64_t rows = rows_to_choose_from(graph_, t);
    draw(t, [&] { return random_.between(0, rows - 1); });
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

/// From a constant's least value, or zero, to its largest.
Range range_of(const Tensor& constant) {
  Range range;
  for (const float value : dequantised(constant, *constant.data)) {
    range = {std::min(range.min, value), std::max(range.max, value)};
  }
  return range;
}

/// int8, as activations are.
void quantise_constant(Tensor& constant, const Range& range) {
  const RealValues real = dequantised(constant, *constant.data);
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
  Graph& graph = real;
  for (size_t t = 0; t < graph.tensors.size(); ++t) {
    const Tensor& tensor = graph.tensors[t];
    if (tensor.is_constant() && tensor.type == DType::kFloat32) ranges[t] = range_of(tensor);
  }
  share_scales(graph, ranges);
  const std::vector<bool> real_ports = stays_real(graph);
  for (size_t t = 0; t < graph.tensors.size(); ++t) {
    Tensor& tensor = graph.tensors[t];
    if (tensor.is_constant() || real_ports[t] || tensor.type != DType::kFloat32) continue;
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
      if (tensor.is_constant() && tensor.type == DType::kFloat32)
        quantise_constant(tensor, ranges[t.index()]);
    }
  }
  for (State& state : graph.states)
    state.initial = std::make_shared<const Bytes>(zero_bytes(graph.tensor(state.in)));
  return real;
}

}  // namespace thimble::zoo
