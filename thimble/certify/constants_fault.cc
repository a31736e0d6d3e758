// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>

#include "thimble/certify/draws.h"
#include "thimble/certify/operator_fault.h"
#include "thimble/certify/piece.h"
#include "thimble/reference/elements.h"
#include "thimble/reference/factors.h"
#include "thimble/reference/interpreter.h"

namespace thimble {
namespace {

bool same_constant(const Tensor& a, const Tensor& b) {
  return a.type == b.type && a.shape == b.shape && a.quantization == b.quantization &&
         (a.data == b.data || *a.data == *b.data);
}

/// Sums of a convolution or a fully connected layer with constant weights and bias.
class Sums {
 public:
  Sums(const Networks& networks, const Op& now, const Op& was)
      : n_(networks),
        now_(now),
        was_(was),
        weights_(n_.file().graph.tensor(was.inputs[1])),
        depthwise_(std::holds_alternative<DepthwiseConv2D>(was.attributes)),
        out_axis_(depthwise_ ? weights_.shape.size() - 1 : 0) {
    outputs_.assign(static_cast<size_t>(weights_.shape[out_axis_]), true);
    if (const ThinnedTensor* out = n_.thinned(now.outputs[0])) outputs_ = out->kept;
    in_ = n_.thinned(now.inputs[0]);
  }

  [[nodiscard]] std::string fault() const {
    const Tensor& weights = n_.now().tensor(now_.inputs[1]);
    if (!weights.is_constant() || weights.type != weights_.type)
      return "has other weights than the file's";
    if (outputs_.size() != static_cast<size_t>(weights_.shape[out_axis_]))
      return "has another number of filters than the file's";
    if (in_ != nullptr && !depthwise_ && depth() % in_->kept.size() != 0)
      return "has weights of other channels than the file's";
    if (kept_weights() != *weights.data) return "has other weights than the file's";
    if (kept_quantization() != weights.quantization)
      return "has other scales of weights than the file's";
    if (const std::string wrong = border_fault(); !wrong.empty()) return wrong;
    if (in_ != nullptr && !depthwise_ && !has_bias_of_32_bits())
      return "sums channels that are gone";
    const bool same = has_bias_of_32_bits()
                          ? kept_bias() == bias_of(n_.now(), now_, kept_count())
                          : kept_wide_bias() == *n_.now().tensor(now_.inputs[2]).data;
    return same ? "" : "has another bias than the file's with what removed channels add";
  }

 private:
  [[nodiscard]] size_t depth() const { return static_cast<size_t>(weights_.shape.back()); }
  [[nodiscard]] size_t kept_count() const {
    return static_cast<size_t>(std::ranges::count(outputs_, true));
  }
  /// Whether the channel that a weight multiplies is read no more.
  [[nodiscard]] bool is_removed(size_t weight) const {
    return in_ != nullptr && !depthwise_ && !in_->kept[weight % depth() % in_->kept.size()];
  }
  [[nodiscard]] size_t output_of(size_t weight) const {
    const size_t count = static_cast<size_t>(elements(weights_.shape));
    return depthwise_ ? weight % outputs_.size() : weight / (count / outputs_.size());
  }

  [[nodiscard]] Bytes kept_weights() const {
    const auto size = static_cast<size_t>(size_bytes(weights_.type));
    const Bytes& all = *weights_.data;
    Bytes result;
    result.reserve(all.size());
    for (size_t k = 0; k * size < all.size(); ++k) {
      if (is_removed(k) || !outputs_[output_of(k)]) continue;
      const auto at = all.begin() + static_cast<std::ptrdiff_t>(k * size);
      result.insert(result.end(), at, at + static_cast<std::ptrdiff_t>(size));
    }
    return result;
  }
  [[nodiscard]] Quantization kept_quantization() const {
    Quantization q = weights_.quantization;
    if (!q.per_channel()) return q;
    Quantization result{{}, {}, q.axis};
    for (size_t o = 0; o < outputs_.size(); ++o) {
      if (!outputs_[o]) continue;
      result.scales.push_back(q.scales.at(o));
      if (o < q.zero_points.size()) result.zero_points.push_back(q.zero_points[o]);
    }
    return result;
  }

  /// Or none. Other types are compared as they are.
  [[nodiscard]] bool has_bias_of_32_bits() const {
    return was_.inputs.size() < 3 || now_.inputs.size() < 3 ||
           n_.file().graph.tensor(was_.inputs[2]).type == DType::kInt32;
  }
  [[nodiscard]] Bytes kept_wide_bias() const {
    const Tensor& bias = n_.file().graph.tensor(was_.inputs[2]);
    return with_channels(*bias.data, bias, outputs_);
  }
  static std::vector<int64_t> bias_of(const Graph& graph, const Op& op, size_t channels) {
    if (op.inputs.size() < 3) return std::vector<int64_t>(channels);
    const Tensor& bias = graph.tensor(op.inputs[2]);
    if (bias.type != DType::kInt32 || !bias.is_constant()) return {};
    const std::vector<int32_t> values = reference::elements_from<int32_t>(*bias.data);
    return {values.begin(), values.end()};
  }
  [[nodiscard]] std::vector<int64_t> kept_bias() const {
    std::vector<int64_t> all = bias_of(n_.file().graph, was_, outputs_.size());
    if (all.size() != outputs_.size()) return {-1};
    if (in_ != nullptr && !depthwise_) {
      const std::vector<int8_t> w = reference::elements_from<int8_t>(*weights_.data);
      const int32_t zero_point = reference::weight_zero_point_of(weights_);
      for (size_t k = 0; k < w.size(); ++k) {
        if (is_removed(k)) all[output_of(k)] += removed_value(k) * (w[k] - zero_point);
      }
    }
    std::vector<int64_t> kept;
    for (size_t o = 0; o < all.size(); ++o) {
      if (outputs_[o]) kept.push_back(all[o]);
    }
    return kept;
  }
  /// Less the zero point.
  [[nodiscard]] int64_t removed_value(size_t weight) const {
    const std::optional<int32_t>& value = in_->constant[weight % depth() % in_->kept.size()];
    return int64_t{value.value_or(0)} - zero_point_of_input();
  }
  [[nodiscard]] int32_t zero_point_of_input() const {
    return n_.file().graph.tensor(in_->of).quantization.zero_points.at(0);
  }

  /// Beyond the image there is the zero point, and not what a removed channel was.
  [[nodiscard]] std::string border_fault() const {
    if (in_ == nullptr || depthwise_) return "";
    if (weights_.type != DType::kInt8) return "sums channels that are gone";
    const bool reaches = reaches_border();
    for (size_t c = 0; c < in_->kept.size(); ++c) {
      if (in_->kept[c]) continue;
      if (!in_->constant[c]) return "sums a channel that is gone, and not constant";
      if (reaches && *in_->constant[c] != zero_point_of_input())
        return "sums a removed channel beyond the border, where it is something else";
    }
    return "";
  }
  [[nodiscard]] bool reaches_border() const {
    const auto* conv = std::get_if<Conv2D>(&now_.attributes);
    if (conv == nullptr) return false;
    const Window& w = conv->window;
    const Shape &in = n_.now().tensor(now_.inputs[0]).shape,
                &out = n_.now().tensor(now_.outputs[0]).shape;
    const auto beyond = [](int64_t extent, int64_t count, int64_t kernel, int64_t stride,
                           int64_t dilation, int64_t before) {
      return before > 0 || (count - 1) * stride - before + (kernel - 1) * dilation >= extent;
    };
    return beyond(in[1], out[1], w.kernel_h, w.stride_h, w.dilation_h, w.padding.top) ||
           beyond(in[2], out[2], w.kernel_w, w.stride_w, w.dilation_w, w.padding.left);
  }

  const Networks& n_;
  const Op &now_, &was_;
  const Tensor& weights_;  ///< the file's
  bool depthwise_;
  size_t out_axis_;
  std::vector<bool> outputs_;          ///< that are kept
  const ThinnedTensor* in_ = nullptr;  ///< where the input has lost channels
};

bool is_sum(const Op& op) {
  return std::holds_alternative<Conv2D>(op.attributes) ||
         std::holds_alternative<DepthwiseConv2D>(op.attributes) ||
         std::holds_alternative<FullyConnected>(op.attributes);
}

/// The constant, or with the channels of the output that are left.
bool is_kept(const Tensor& now, const Tensor& was, const ThinnedTensor* out) {
  if (same_constant(now, was)) return true;
  if (out == nullptr || was.shape.empty() || now.type != was.type ||
      static_cast<size_t>(was.shape.back()) != out->kept.size())
    return false;
  Shape shape = was.shape;
  shape.back() = std::ranges::count(out->kept, true);
  return now.shape == shape && *now.data == with_channels(*was.data, was, out->kept);
}

/// What operators make of constants alone; null where it depends on more.
std::shared_ptr<const Bytes> value_of_constants(const Networks& networks, TensorId t) {
  const std::optional<Excerpt> piece = piece_between(networks.file(), {}, t);
  if (!piece) return nullptr;
  TensorValues values = interpret(piece->graph, {});
  return std::make_shared<const Bytes>(std::move(values[piece->graph.outputs[0].tensor.index()]));
}

}  // namespace

std::string constants_fault(const Networks& networks, const Op& op, const Op& counterpart) {
  const Graph &now = networks.now(), &file = networks.file().graph;
  if (is_sum(op) && file.tensor(counterpart.inputs[1]).is_constant() &&
      (counterpart.inputs.size() < 3 || file.tensor(counterpart.inputs[2]).is_constant()))
    return Sums(networks, op, counterpart).fault();
  if (std::holds_alternative<Concat>(op.attributes)) return "";  // all elements are seen
  if (op.inputs.size() != counterpart.inputs.size())
    return "has another number of operands than the file's";
  for (size_t k = 0; k < op.inputs.size(); ++k) {
    const Tensor& is = now.tensor(op.inputs[k]);
    Tensor was = file.tensor(counterpart.inputs[k]);
    if (is.is_constant() && !was.is_constant())
      was.data = value_of_constants(networks, counterpart.inputs[k]);
    if (is.is_constant() != was.is_constant()) return "has a constant for an operand";
    if (is.is_constant() && !is_kept(is, was, networks.thinned(op.outputs[0])))
      return "has another constant than the file's";
  }
  return "";
}

}  // namespace thimble
