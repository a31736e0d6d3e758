// SPDX-License-Identifier: Apache-2.0
// What an operator has, in words: types, shapes, quantisation and attributes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "thimble/operators/operators.h"

namespace thimble {
namespace {

std::string quantization_text(const Tensor& tensor) {
  const Quantization& q = tensor.quantization;
  const bool counts =
      tensor.type == DType::kInt8 || tensor.type == DType::kUInt8 || tensor.type == DType::kInt16;
  if (q.scales.empty()) return counts ? " without a scale" : "";
  const auto [least, most] = std::ranges::minmax(q.scales);
  if (q.per_channel())
    return fmt::format(" with {} scales from {} to {}", q.scales.size(), least, most);
  const int32_t zero_point = q.zero_points.empty() ? 0 : q.zero_points[0];
  return fmt::format(" with scale {} and zero point {}", least, zero_point);
}

std::string window_text(const Window& w) {
  const Padding& p = w.padding;
  return fmt::format("kernel {}x{}, stride {}x{}, dilation {}x{}, padding {}, {}, {} and {}",
                     w.kernel_h, w.kernel_w, w.stride_h, w.stride_w, w.dilation_h, w.dilation_w,
                     p.top, p.bottom, p.left, p.right);
}

/// In the order of Activation.
constexpr std::array kActivations = {"NONE", "RELU", "RELU_N1_TO_1", "RELU6", "RELU_0_TO_1"};

struct AttributesText {
  template <class Operator>
  std::string operator()(const Operator& a) const {
    std::vector<std::string> parts;
    if constexpr (requires { a.window; }) parts.push_back(window_text(a.window));
    if constexpr (requires { a.multiplier; })
      parts.push_back(fmt::format("multiplier {}", a.multiplier));
    if constexpr (requires { a.alpha; }) parts.push_back(fmt::format("alpha {}", a.alpha));
    if constexpr (requires { a.beta; }) parts.push_back(fmt::format("beta {}", a.beta));
    if constexpr (requires { a.axis; }) parts.push_back(fmt::format("axis {}", a.axis));
    if constexpr (requires { a.axes; })
      parts.push_back(fmt::format("axes [{}]", fmt::join(a.axes, ", ")));
    if constexpr (requires { a.permutation; })
      parts.push_back(fmt::format("permutation [{}]", fmt::join(a.permutation, ", ")));
    if constexpr (requires { a.before.size(); }) {
      parts.push_back(fmt::format("paddings [{}] before and [{}] behind", fmt::join(a.before, ", "),
                                  fmt::join(a.after, ", ")));
    }
    if constexpr (requires { a.activation; }) {
      if (a.activation != Activation::kNone)
        parts.push_back(
            fmt::format("fused {}", kActivations.at(static_cast<size_t>(a.activation))));
    }
    return fmt::format("{}", fmt::join(parts, ", "));
  }
};

}  // namespace

std::string found(const Graph& graph, const Op& op) {
  const auto described = [&](TensorId id) {
    const Tensor& t = graph.tensor(id);
    return fmt::format("{} {}{}", name(t.type), to_string(t.shape), quantization_text(t));
  };
  std::vector<std::string> inputs;
  for (const TensorId id : op.inputs) inputs.push_back(described(id));
  std::string text = fmt::format("{} -> {}", fmt::join(inputs, ", "), described(op.outputs[0]));
  const std::string attributes = std::visit(AttributesText{}, op.attributes);
  if (!attributes.empty()) text += "; " + attributes;
  return text;
}

}  // namespace thimble
