// SPDX-License-Identifier: Apache-2.0
#include "training/learn/network.h"

#include <fmt/format.h>

#include <utility>

#include "thimble/model/error.h"
#include "thimble/operators/operators.h"
#include "training/learn/layer_functions.h"
#include "training/learn/layout.h"

namespace thimble::training {
namespace {

constexpr double kMomentum = 0.05, kEpsilon = 1e-3;

const Window& window_of(const Op& op) {
  if (const auto* conv = std::get_if<Conv2D>(&op.attributes)) return conv->window;
  return std::get<DepthwiseConv2D>(op.attributes).window;
}

Activation activation_of(const Op& op) {
  if (const auto* conv = std::get_if<Conv2D>(&op.attributes)) return conv->activation;
  if (const auto* dw = std::get_if<DepthwiseConv2D>(&op.attributes)) return dw->activation;
  return std::get<FullyConnected>(op.attributes).activation;
}

bool is_convolution(const Op& op) {
  return std::holds_alternative<Conv2D>(op.attributes) ||
         std::holds_alternative<DepthwiseConv2D>(op.attributes);
}

bool has_weights(const Op& op) {
  return is_convolution(op) || std::holds_alternative<FullyConnected>(op.attributes);
}

/// OHWI or 1HWO to O x I x H x W; of a fully connected layer they stay as they are.
torch::Tensor as_torch(const Op& op, const torch::Tensor& weights) {
  if (std::holds_alternative<DepthwiseConv2D>(op.attributes)) return weights.permute({3, 0, 1, 2});
  return channels_second(weights);
}

std::string key(const Op& op, const Graph& graph, const char* what) {
  return graph.tensor(op.outputs[0]).name + '/' + what;
}

}  // namespace

Network::Network(Graph graph, bool normalise)
    : graph_(std::move(graph)), normalise_(normalise), names_(graph_.tensors.size()) {
  if (graph_.inputs.size() != 1 || graph_.outputs.size() != 1 || !graph_.states.empty()) {
    throw CompileError(graph_.name,
                       "networks of one input and one output, without states, can be trained");
  }
  scores_ = graph_.outputs[0].tensor;
  for (const Op& op : graph_.ops) {
    if (op.outputs[0] == scores_ && std::holds_alternative<Softmax>(op.attributes))
      scores_ = op.inputs[0];
  }
  if (graph_.tensor(scores_).shape.size() != 2) {
    throw CompileError(graph_.name,
                       fmt::format("its output is {}; networks that score classes (1x10) "
                                   "can be trained",
                                   to_string(graph_.tensor(scores_).shape)));
  }
  const torch::NoGradGuard guard;
  for (const Op& op : graph_.ops) {
    if (graph_.tensor(op.outputs[0]).type != DType::kFloat32)
      throw CompileError(graph_.name, label(op) + ": networks of float32 can be trained");
    if (op.outputs[0] != graph_.outputs[0].tensor || scores_ == graph_.outputs[0].tensor)
      check_trainable(op, graph_);
    for (size_t k = 1; k < op.inputs.size(); ++k) {
      const TensorId t = op.inputs[k];
      const Tensor& tensor = graph_.tensor(t);
      if (!tensor.is_constant() || tensor.type != DType::kFloat32) continue;
      names_[t.index()] = fmt::format("{}#{}", tensor.name, t.index());
      if (k == 2 && normalise_ && is_convolution(op)) continue;
      learnt_[names_[t.index()]] = tensor_of(tensor).requires_grad_(true);
    }
    if (!normalise_ || !is_convolution(op)) continue;
    const int64_t channels = graph_.tensor(op.outputs[0]).shape.back();
    learnt_[key(op, graph_, "factor")] = torch::ones({channels}).requires_grad_(true);
    learnt_[key(op, graph_, "offset")] = torch::zeros({channels}).requires_grad_(true);
    seen_[key(op, graph_, "mean")] = torch::zeros({channels});
    seen_[key(op, graph_, "variance")] = torch::ones({channels});
  }
}

torch::Tensor& Network::learnt(TensorId constant) { return learnt_.at(names_[constant.index()]); }

void Network::initialise(uint64_t seed) {
  const torch::NoGradGuard guard;
  torch::manual_seed(seed);
  for (const Op& op : graph_.ops) {
    if (!has_weights(op)) continue;
    torch::Tensor& weights = learnt(op.inputs[1]);
    const int64_t reads = as_torch(op, weights).numel() / as_torch(op, weights).size(0);
    weights.normal_(0, std::sqrt((is_convolution(op) ? 2.0 : 1.0) / static_cast<double>(reads)));
    if (op.inputs.size() > 2 && learnt_.contains(names_[op.inputs[2].index()]))
      learnt(op.inputs[2]).zero_();
  }
}

torch::Tensor Network::batch(const std::vector<float>& samples) const {
  Shape shape = graph_.tensor(graph_.inputs[0].tensor).shape;
  shape[0] = static_cast<int64_t>(samples.size()) / elements(shape);
  return channels_second(torch::tensor(c10::ArrayRef<float>(samples)).reshape(shape));
}

torch::Tensor Network::value(TensorId t, const std::vector<torch::Tensor>& values) const {
  const std::string& name = names_[t.index()];
  if (name.empty()) return values[t.index()];
  return channels_second(learnt_.at(name));
}

torch::Tensor Network::weighted(const Op& op, torch::Tensor x, bool training, const Taps& taps) {
  torch::Tensor weights = as_torch(op, learnt(op.inputs[1])), bias, sums;
  const bool normalised = normalise_ && is_convolution(op);
  if (op.inputs.size() > 2 && !normalised) bias = learnt(op.inputs[2]);
  if (taps.weights) weights = taps.weights(op, weights);
  if (taps.sums) sums = taps.sums(op, x, weights, bias);
  if (!sums.defined()) {
    sums = is_convolution(op) ? convolution(x, weights, bias, window_of(op))
                              : torch::linear(x.flatten(1), weights, bias);
  }
  if (normalised) {
    sums = torch::batch_norm(
        sums, learnt_.at(key(op, graph_, "factor")), learnt_.at(key(op, graph_, "offset")),
        seen_.at(key(op, graph_, "mean")), seen_.at(key(op, graph_, "variance")), training,
        kMomentum, kEpsilon, false);
  }
  return activated(std::move(sums), activation_of(op));
}

torch::Tensor Network::computed(const Op& op, const std::vector<torch::Tensor>& values) const {
  std::vector<torch::Tensor> x;
  for (const TensorId t : op.inputs) x.push_back(value(t, values));
  return layer(op, graph_, x);
}

torch::Tensor Network::scores(torch::Tensor x, bool training, const Taps& taps) {
  std::vector<torch::Tensor> values(graph_.tensors.size());
  const auto keep = [&](TensorId t, torch::Tensor y) {
    values[t.index()] = taps.activation ? taps.activation(t, std::move(y)) : std::move(y);
  };
  keep(graph_.inputs[0].tensor, std::move(x));
  for (const Op& op : graph_.ops) {
    if (values[scores_.index()].defined()) break;
    keep(op.outputs[0], has_weights(op) ? weighted(op, value(op.inputs[0], values), training, taps)
                                        : computed(op, values));
  }
  return values[scores_.index()];
}

std::optional<TensorId> Network::constant_of(const std::string& name) const {
  for (size_t t = 0; t < names_.size(); ++t) {
    if (names_[t] == name) return TensorId{static_cast<int32_t>(t)};
  }
  return std::nullopt;
}

TensorId Network::normalised_tensor(const std::string& name) const {
  const std::string of = name.substr(0, name.rfind('/'));
  for (const Op& op : graph_.ops) {
    if (graph_.tensor(op.outputs[0]).name == of) return op.outputs[0];
  }
  throw InternalError("a normalisation is of what an operator computes");
}

std::vector<float> Network::magnitudes(OpId o) const {
  const Op& op = graph_.op(o);
  torch::Tensor sizes;
  if (normalise_ && is_convolution(op)) {
    sizes = learnt_.at(key(op, graph_, "factor")).abs();
  } else {
    sizes = as_torch(op, learnt_.at(names_[op.inputs[1].index()])).flatten(1).norm(2, 1);
  }
  sizes = sizes.detach().contiguous();
  return {sizes.data_ptr<float>(), sizes.data_ptr<float>() + sizes.numel()};
}

Graph Network::learnt_graph() const {
  const torch::NoGradGuard guard;
  Graph result = graph_;
  for (size_t t = 0; t < names_.size(); ++t) {
    if (const auto found = learnt_.find(names_[t]); found != learnt_.end())
      result.tensors[t].data = bytes_of(found->second);
  }
  for (const Op& op : graph_.ops) {
    if (!normalise_ || !is_convolution(op)) continue;
    check(op.inputs.size() == 3, "a convolution that is normalised has a bias");
    const torch::Tensor deviation = (seen_.at(key(op, graph_, "variance")) + kEpsilon).sqrt();
    const torch::Tensor by = learnt_.at(key(op, graph_, "factor")) / deviation;
    const torch::Tensor weights = learnt_.at(names_[op.inputs[1].index()]);
    const bool depthwise = std::holds_alternative<DepthwiseConv2D>(op.attributes);
    result.tensor(op.inputs[1]).data =
        bytes_of(weights * (depthwise ? by : by.reshape({-1, 1, 1, 1})));
    result.tensor(op.inputs[2]).data =
        bytes_of(learnt_.at(key(op, graph_, "offset")) - seen_.at(key(op, graph_, "mean")) * by);
  }
  return result;
}

}  // namespace thimble::training
