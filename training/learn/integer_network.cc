// SPDX-License-Identifier: Apache-2.0
#include "training/learn/integer_network.h"

#include <torch/torch.h>

#include <algorithm>
#include <utility>

#include "thimble/model/error.h"
#include "thimble/operators/operators.h"
#include "thimble/reference/activation_range.h"
#include "thimble/reference/elements.h"
#include "thimble/reference/evaluate.h"
#include "thimble/reference/factors.h"
#include "thimble/reference/interpreter.h"
#include "training/learn/layer_functions.h"
#include "training/learn/layout.h"

namespace thimble::training {
namespace {

using Batch = std::vector<TensorValues>;  ///< by sample

/// Steps above the zero point, in float64.
torch::Tensor real_steps(const Bytes& bytes, const Shape& shape, int32_t zero_point) {
  return torch::from_blob(const_cast<uint8_t*>(bytes.data()), c10::IntArrayRef(shape), torch::kInt8)
             .to(torch::kFloat64) -
         zero_point;
}

/// A layer with weights: its sums, and what makes steps of the output of them.
struct WeightedLayer {
  const Graph& graph;
  const Op& op;
  Window window;  ///< of a fully connected layer: 1 x 1
  Activation activation = Activation::kNone;

  [[nodiscard]] const Tensor& in() const { return graph.tensor(op.inputs[0]); }
  [[nodiscard]] const Tensor& weights() const { return graph.tensor(op.inputs[1]); }
  [[nodiscard]] const Tensor& out() const { return graph.tensor(op.outputs[0]); }

  /// O x I x H x W.
  [[nodiscard]] torch::Tensor kernel() const {
    const int32_t zero = reference::weight_zero_point_of(weights());
    const torch::Tensor steps = real_steps(*weights().data, weights().shape, zero);
    if (steps.dim() == 2) return steps.reshape({steps.size(0), steps.size(1), 1, 1});
    return std::holds_alternative<DepthwiseConv2D>(op.attributes) ? steps.permute({3, 0, 1, 2})
                                                                  : channels_second(steps);
  }
  [[nodiscard]] torch::Tensor bias() const {
    if (op.inputs.size() < 3) return {};
    const Tensor& tensor = graph.tensor(op.inputs[2]);
    const std::vector<int32_t> values = reference::integers_from(*tensor.data, tensor.type);
    return torch::tensor(c10::ArrayRef<int32_t>(values), torch::kFloat64);
  }
  [[nodiscard]] std::vector<reference::FixedFactor> factors(float result_scale) const {
    const int64_t channels = out().shape.back();
    const Arithmetic arithmetic = op.attributes.arithmetic;
    return std::holds_alternative<FullyConnected>(op.attributes)
               ? reference::fully_connected_factors(arithmetic, in(), weights(), result_scale,
                                                    channels)
               : reference::convolution_factors(arithmetic, in(), weights(), result_scale,
                                                channels);
  }
};

std::optional<WeightedLayer> weighted_layer(const Graph& graph, const Op& op) {
  if (const auto* conv = std::get_if<Conv2D>(&op.attributes))
    return WeightedLayer{graph, op, conv->window, conv->activation};
  if (const auto* depthwise = std::get_if<DepthwiseConv2D>(&op.attributes))
    return WeightedLayer{graph, op, depthwise->window, depthwise->activation};
  if (const auto* dense = std::get_if<FullyConnected>(&op.attributes))
    return WeightedLayer{graph, op, Window{}, dense->activation};
  return std::nullopt;
}

/// Sums as whole numbers, channels last: sample by sample, as the output's bytes.
std::vector<int64_t> whole_sums(const torch::Tensor& x, const torch::Tensor& kernel,
                                const torch::Tensor& bias, const Window& window) {
  const torch::Tensor sums =
      channels_last(convolution(x, kernel, bias, window)).to(torch::kInt64).contiguous();
  return {sums.data_ptr<int64_t>(), sums.data_ptr<int64_t>() + sums.numel()};
}

std::vector<int8_t> outputs_of(const WeightedLayer& layer, const torch::Tensor& x) {
  const Tensor& out = layer.out();
  const float out_scale = out.quantization.scales[0];
  const int32_t zero_point = out.quantization.zero_points[0];
  const reference::ActivationRange range = reference::activation_range(layer.activation, out);
  const auto channels = static_cast<size_t>(out.shape.back());
  std::vector<int8_t> result;
  const Accumulator* narrow = find_accumulator(layer.graph, layer.op.outputs[0]);
  if (narrow == nullptr) {
    const std::vector<int64_t> sums = whole_sums(x, layer.kernel(), layer.bias(), layer.window);
    const auto factors = layer.factors(out_scale);
    for (size_t k = 0; k < sums.size(); ++k)
      result.push_back(reference::requantise(static_cast<int32_t>(sums[k]), factors[k % channels],
                                             zero_point, range));
    return result;
  }
  const auto factors = layer.factors(narrow->scale);
  const reference::IntegerRange values = reference::range_of(narrow->type);
  const torch::Tensor kernel = layer.kernel();
  std::vector<int64_t> elements_so_far;
  for (int64_t begin = 0; begin < kernel.size(1); begin += narrow->chunk) {
    const int64_t end = std::min(begin + narrow->chunk, kernel.size(1));
    const std::vector<int64_t> sums =
        whole_sums(x.slice(1, begin, end), kernel.slice(1, begin, end),
                   begin == 0 ? layer.bias() : torch::Tensor(), layer.window);
    if (begin == 0) elements_so_far.assign(sums.size(), narrow->zero_point);
    for (size_t k = 0; k < sums.size(); ++k) {
      const int32_t more =
          reference::multiply(static_cast<int32_t>(sums[k]), factors[k % channels]);
      elements_so_far[k] = std::clamp(elements_so_far[k] + more, values.min, values.max);
    }
  }
  const reference::FixedFactor last =
      reference::to_fixed_factor(double{narrow->scale} / double{out_scale});
  for (const int64_t element : elements_so_far)
    result.push_back(reference::requantise(static_cast<int32_t>(element - narrow->zero_point), last,
                                           zero_point, range));
  return result;
}

void compute(const WeightedLayer& layer, Batch& batch) {
  const TensorId from = layer.op.inputs[0], to = layer.op.outputs[0];
  std::vector<torch::Tensor> inputs;
  for (const TensorValues& values : batch) {
    torch::Tensor x =
        real_steps(values[from.index()], layer.in().shape, layer.in().quantization.zero_points[0]);
    if (std::holds_alternative<FullyConnected>(layer.op.attributes))
      x = x.reshape({-1, 1, 1, layer.weights().shape[1]});
    inputs.push_back(channels_second(x));
  }
  const std::vector<int8_t> all = outputs_of(layer, torch::cat(inputs));
  const size_t each = all.size() / batch.size();
  for (size_t k = 0; k < batch.size(); ++k) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(k * each);
    batch[k][to.index()].assign(begin, begin + static_cast<std::ptrdiff_t>(each));
  }
}

}  // namespace

std::vector<Bytes> integer_outputs(const Graph& graph, const std::vector<Bytes>& samples) {
  check(graph.inputs.size() == 1 && graph.outputs.size() == 1, "one input and one output");
  const torch::NoGradGuard guard;
  Batch batch(samples.size(), TensorValues(graph.tensors.size()));
  for (size_t k = 0; k < samples.size(); ++k)
    batch[k][graph.inputs[0].tensor.index()] = from_port(graph, graph.inputs[0], samples[k]);
  for (const Op& op : graph.ops) {
    const std::optional<WeightedLayer> layer = weighted_layer(graph, op);
    if (layer && layer->in().type == DType::kInt8) {
      compute(*layer, batch);
      continue;
    }
    for (TensorValues& values : batch) {
      std::vector<Bytes> outputs = interpret_op(graph, op, values);
      for (size_t k = 0; k < outputs.size(); ++k)
        values[op.outputs[k].index()] = std::move(outputs[k]);
    }
  }
  std::vector<Bytes> result;
  for (const TensorValues& values : batch)
    result.push_back(to_port(graph, graph.outputs[0], values[graph.outputs[0].tensor.index()]));
  return result;
}

}  // namespace thimble::training
