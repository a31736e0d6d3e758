// SPDX-License-Identifier: Apache-2.0
#include "training/learn/layer_functions.h"

#include <limits>
#include <utility>

#include "thimble/model/error.h"
#include "thimble/operators/operators.h"
#include "training/learn/layout.h"

namespace thimble::training {
namespace {

torch::Tensor padded(const torch::Tensor& x, const Padding& p, double with) {
  if (p.top == 0 && p.bottom == 0 && p.left == 0 && p.right == 0) return x;
  return torch::constant_pad_nd(x, {p.left, p.right, p.top, p.bottom}, with);
}

/// Pads that are the same on both sides need no copy.
bool is_even(const Padding& p) { return p.top == p.bottom && p.left == p.right; }

torch::Tensor pooled(const torch::Tensor& x, const AveragePool2D& op) {
  const Window& w = op.window;
  const auto sums = [&](const torch::Tensor& of) {
    return torch::avg_pool2d(padded(of, w.padding, 0), {w.kernel_h, w.kernel_w},
                             {w.stride_h, w.stride_w});
  };
  // What is padded does not count.
  const torch::Tensor share = sums(torch::ones({1, 1, x.size(2), x.size(3)}));
  return activated(sums(x) / share, op.activation);
}

torch::Tensor pooled(const torch::Tensor& x, const MaxPool2D& op) {
  const Window& w = op.window;
  const double sign = op.least ? -1 : 1;
  const torch::Tensor most = torch::max_pool2d(
      padded(x * sign, w.padding, -std::numeric_limits<float>::infinity()),
      {w.kernel_h, w.kernel_w}, {w.stride_h, w.stride_w}, 0, {w.dilation_h, w.dilation_w});
  return activated(most * sign, op.activation);
}

torch::Tensor mean(const torch::Tensor& x, const Mean& op, const Tensor& output) {
  std::vector<int64_t> axes;
  for (const int axis : op.axes) axes.push_back(torch_axis(axis, static_cast<size_t>(x.dim())));
  return x.mean(axes, static_cast<int64_t>(output.shape.size()) == x.dim());
}

torch::Tensor reshaped(const torch::Tensor& x, const Tensor& output) {
  Shape shape = output.shape;
  if (!shape.empty()) shape[0] = x.size(0);
  return channels_second(channels_last(x).reshape(shape));
}

torch::Tensor surrounded(const torch::Tensor& x, const Pad& op) {
  std::vector<int64_t> pads;  // of the last axis first
  const auto rank = op.before.size();
  std::vector<size_t> axes(rank);
  for (size_t a = 0; a < rank; ++a)
    axes[static_cast<size_t>(torch_axis(static_cast<int>(a), rank))] = a;
  for (size_t k = rank; k-- > 0;) {
    pads.push_back(op.before[axes[k]]);
    pads.push_back(op.after[axes[k]]);
  }
  return torch::constant_pad_nd(x, pads, op.value);
}

torch::Tensor joined(const std::vector<torch::Tensor>& x, const Concat& op) {
  return activated(torch::cat(x, torch_axis(op.axis, static_cast<size_t>(x[0].dim()))),
                   op.activation);
}

/// Undefined for what is not known.
torch::Tensor computed_layer(const Op& op, const Graph& graph,
                             const std::vector<torch::Tensor>& x) {
  const Attributes& kind = op.attributes;
  const Tensor& output = graph.tensor(op.outputs[0]);
  if (const auto* add = std::get_if<Add>(&kind)) return activated(x[0] + x[1], add->activation);
  if (const auto* mul = std::get_if<Mul>(&kind)) return activated(x[0] * x[1], mul->activation);
  if (const auto* sub = std::get_if<Sub>(&kind)) return activated(x[0] - x[1], sub->activation);
  if (const auto* pool = std::get_if<AveragePool2D>(&kind)) return pooled(x[0], *pool);
  if (const auto* pool = std::get_if<MaxPool2D>(&kind)) return pooled(x[0], *pool);
  if (const auto* means = std::get_if<Mean>(&kind)) return mean(x[0], *means, output);
  if (const auto* pad = std::get_if<Pad>(&kind)) return surrounded(x[0], *pad);
  if (const auto* concat = std::get_if<Concat>(&kind)) return joined(x, *concat);
  if (const auto* relu = std::get_if<Relu>(&kind)) return activated(x[0], relu->range);
  if (const auto* leaky = std::get_if<LeakyRelu>(&kind))
    return torch::leaky_relu(x[0], leaky->alpha);
  if (std::holds_alternative<Reshape>(kind)) return reshaped(x[0], output);
  if (std::holds_alternative<Relu6>(kind)) return activated(x[0], Activation::kRelu6);
  if (std::holds_alternative<Logistic>(kind)) return torch::sigmoid(x[0]);
  if (std::holds_alternative<Tanh>(kind)) return torch::tanh(x[0]);
  if (std::holds_alternative<HardSwish>(kind)) return torch::hardswish(x[0]);
  return {};
}

template <class Kind>
constexpr bool kIsKnown =
    kIsOneOf<Kind, Conv2D, DepthwiseConv2D, FullyConnected, Add, Mul, Sub, AveragePool2D, MaxPool2D,
             Mean, Pad, Concat, Relu, LeakyRelu, Reshape, Relu6, Logistic, Tanh, HardSwish>;

bool is_known(const Attributes& kind) {
  return std::visit([](const auto& of) { return kIsKnown<std::decay_t<decltype(of)>>; }, kind);
}

}  // namespace

void check_trainable(const Op& op, const Graph& graph) {
  if (is_known(op.attributes)) return;
  throw CompileError(graph.name,
                     label(op) +
                         ": cannot be trained; there are convolutions, fully connected "
                         "layers, ADD, SUB, MUL, pools, MEAN, PAD, CONCATENATION, RESHAPE, "
                         "SOFTMAX at the end, and activations");
}

torch::Tensor layer(const Op& op, const Graph& graph, const std::vector<torch::Tensor>& x) {
  torch::Tensor result = computed_layer(op, graph, x);
  check(result.defined(), "an operator that check_trainable() let through has no function");
  return result;
}

torch::Tensor convolution(const torch::Tensor& x, const torch::Tensor& weights,
                          const torch::Tensor& bias, const Window& w) {
  const bool even = is_even(w.padding);
  const std::vector<int64_t> pads = {even ? w.padding.top : 0, even ? w.padding.left : 0};
  return torch::conv2d(even ? x : padded(x, w.padding, 0), weights, bias, {w.stride_h, w.stride_w},
                       pads, {w.dilation_h, w.dilation_w}, x.size(1) / weights.size(1));
}

torch::Tensor activated(torch::Tensor x, Activation activation) {
  switch (activation) {
    case Activation::kNone:
      return x;
    case Activation::kRelu:
      return torch::relu(x);
    case Activation::kRelu6:
      return x.clamp(0, 6);
    case Activation::kReluN1To1:
      return x.clamp(-1, 1);
    default:
      return x.clamp(0, 1);
  }
}

}  // namespace thimble::training
