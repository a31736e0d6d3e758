// SPDX-License-Identifier: Apache-2.0
#include "thimble/interpreter/split_op.h"

#include <algorithm>
#include <concepts>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "thimble/model/division.h"
#include "thimble/model/same_padding.h"
#include "thimble/operators/operators.h"

namespace thimble {
namespace {

constexpr int kRows = 1, kChannels = 3;

template <class A>
constexpr bool kIsPairwise =
    std::is_same_v<A, Add> || std::is_same_v<A, Sub> || std::is_same_v<A, Mul> ||
    std::is_same_v<A, Maximum> || std::is_same_v<A, Minimum> || std::is_same_v<A, Prelu> ||
    std::is_same_v<A, SquaredDifference>;

struct CanBeSplit {
  const Graph& graph;
  const Op& op;
  int axis;

  const Shape& x() const { return graph.tensor(op.inputs[0]).shape; }
  const Shape& y() const { return graph.tensor(op.outputs[0]).shape; }
  const Shape& weights() const { return graph.tensor(op.inputs[1]).shape; }
  bool has_constant_weights() const {
    return std::all_of(op.inputs.begin() + 1, op.inputs.end(),
                       [&](TensorId t) { return graph.tensor(t).is_constant(); });
  }

  bool operator()(const Conv2D&) const {
    return has_constant_weights() && (axis != kChannels || weights()[3] == x()[3]);
  }
  bool operator()(const DepthwiseConv2D& a) const {
    return has_constant_weights() && (axis != kChannels || a.multiplier == 1);
  }
  bool operator()(const TransposeConv& a) const {
    const Window& w = a.window;
    if (axis == kChannels) return has_constant_weights();
    return has_constant_weights() && axis == kRows && w.padding.top == 0 &&
           w.kernel_h == w.stride_h && y()[1] == x()[1] * w.stride_h;
  }
  bool operator()(const MaxPool2D& a) const { return !a.least; }
  bool operator()(const AveragePool2D&) const { return true; }
  bool operator()(const Concat& a) const { return a.axis != axis; }
  bool operator()(const Pad&) const { return true; }
  template <class A>
  bool operator()(const A& a) const {
    return kIsPairwise<A> || traits(a).of_each_value;
  }
};

template <class A>
concept HasWindow = requires(A a) {
  { a.window } -> std::same_as<Window&>;
};

bool may_be_padded(const Attributes& attributes) {
  return std::holds_alternative<Conv2D>(attributes) ||
         std::holds_alternative<DepthwiseConv2D>(attributes);
}

const Window* window_in(const Attributes& attributes) {
  return std::visit(
      []<class A>(const A& a) -> const Window* {
        if constexpr (HasWindow<A>) {
          return &a.window;
        } else {
          return nullptr;
        }
      },
      attributes);
}

/// Padding in front and behind that outputs [a, b) meet along an axis.
std::pair<int64_t, int64_t> met(Interval out, int64_t extent, int64_t pad, int64_t kernel,
                                int64_t stride, int64_t dilation) {
  const int64_t begin = out.begin * stride - pad;
  const int64_t end = (out.end - 1) * stride - pad + (kernel - 1) * dilation + 1;
  return {std::max<int64_t>(0, -begin), std::max<int64_t>(0, end - extent)};
}

}  // namespace

bool can_be_split(const Graph& graph, const Op& op, int axis) {
  if (op.attributes.arithmetic != Arithmetic::kTflite) return false;
  for (const auto* operands : {&op.inputs, &op.outputs}) {
    for (const TensorId t : *operands) {
      const Tensor& tensor = graph.tensor(t);
      if (!tensor.is_constant() && tensor.shape.size() != 4) return false;
      if (find_accumulator(graph, t) != nullptr) return false;
    }
  }
  return std::visit(CanBeSplit{graph, op, axis}, op.attributes);
}

Region made_in_one(const Op& op, const Region& region, int axis) {
  const auto* transposed = std::get_if<TransposeConv>(&op.attributes);
  if (transposed == nullptr || axis != kRows) return region;
  const int64_t step = transposed->window.stride_h;
  Region result = region;
  result[kRows] = {region[kRows].begin / step * step, ceil_div(region[kRows].end, step) * step};
  return result;
}

std::optional<WindowOfPart> window_of_part(const Graph& graph, const Op& op, const Region& in,
                                           const Region& out) {
  const Window* whole = window_in(op.attributes);
  if (whole == nullptr) return WindowOfPart{};
  if (std::holds_alternative<TransposeConv>(op.attributes)) {
    const Shape& y = graph.tensor(op.outputs[0]).shape;
    const bool steps =
        out[1].begin % whole->stride_h == 0 && out[1].size() == in[1].size() * whole->stride_h;
    if (out[2].size() != y[2] || (!steps && out[1].size() != y[1])) return std::nullopt;
    return WindowOfPart{*whole, {}};
  }
  const Shape& x = graph.tensor(op.inputs[0]).shape;
  Window window = *whole;
  std::tie(window.padding.top, window.padding.bottom) =
      met(out[1], x[1], whole->padding.top, whole->kernel_h, whole->stride_h, whole->dilation_h);
  std::tie(window.padding.left, window.padding.right) =
      met(out[2], x[2], whole->padding.left, whole->kernel_w, whole->stride_w, whole->dilation_w);
  const bool plain = window.padding == Padding{} ||
                     window.padding == same_padding(window, in[1].size(), in[2].size());
  if (plain) return WindowOfPart{window, {}};
  if (!may_be_padded(op.attributes)) return std::nullopt;
  const Padding written = std::exchange(window.padding, {});
  return WindowOfPart{window, written};
}

void set_part(const Graph& graph, const Op& op, const Window& window, const Region& out,
              Attributes& attributes) {
  if (auto* pad = std::get_if<Pad>(&attributes)) {
    const Shape& x = graph.tensor(op.inputs[0]).shape;
    for (size_t axis = 0; axis < out.size(); ++axis) {
      const int64_t before = pad->before[axis];
      pad->before[axis] = std::max<int64_t>(0, before - out[axis].begin);
      pad->after[axis] = std::max<int64_t>(0, out[axis].end - before - x[axis]);
    }
  }
  std::visit(
      [&]<class A>(A& a) {
        if constexpr (HasWindow<A>) a.window = window;
      },
      attributes);
}

Tensor constant_part(const Tensor& constant, const Region& region) {
  Tensor result = constant;
  const size_t rank = region.size();
  for (size_t axis = 0; axis < rank; ++axis) result.shape[axis] = region[axis].size();
  const auto element = static_cast<size_t>(size_bytes(constant.type));
  auto data = std::make_shared<Bytes>();
  data->reserve(static_cast<size_t>(result.size_bytes()));
  // Runs along the last axis, index by index along the others.
  std::vector<int64_t> at(rank);
  for (size_t axis = 0; axis < rank; ++axis) at[axis] = region[axis].begin;
  for (int64_t left = elements(region); left > 0; left -= region.back().size()) {
    size_t index = 0;
    for (size_t axis = 0; axis < rank; ++axis)
      index = index * static_cast<size_t>(constant.shape[axis]) + static_cast<size_t>(at[axis]);
    const auto begin = constant.data->begin() + static_cast<int64_t>(index * element);
    data->insert(data->end(), begin, begin + region.back().size() * static_cast<int64_t>(element));
    for (size_t axis = rank - 1; axis-- > 0;) {
      if (++at[axis] < region[axis].end) break;
      at[axis] = region[axis].begin;
    }
  }
  result.data = std::move(data);
  Quantization& q = result.quantization;
  const Interval kept = q.per_channel() ? region[static_cast<size_t>(q.axis)] : Interval{};
  const auto keep = [&](auto& values) {
    if (values.size() <= 1) return;
    values = {values.begin() + kept.begin, values.begin() + kept.end};
  };
  if (q.per_channel()) {
    keep(q.scales);
    keep(q.zero_points);
  }
  return result;
}

}  // namespace thimble
