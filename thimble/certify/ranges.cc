// SPDX-License-Identifier: Apache-2.0
#include "thimble/certify/ranges.h"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <utility>

#include "thimble/reference/activation_range.h"
#include "thimble/reference/elements.h"
#include "thimble/reference/factors.h"

namespace thimble {
namespace {

using reference::ActivationRange;
using reference::FixedFactor;

/// Twice the middle and twice the radius of sums.
struct CentredInterval {
  int64_t middle = 0, radius = 0;
  CentredInterval& operator+=(const CentredInterval& other) {
    middle += other.middle;
    radius += other.radius;
    return *this;
  }
};

/// Values less their zero point: a channel's a + b and b - a.
struct Centred {
  std::vector<int32_t> sum, difference;

  Centred(const ValueRanges& values, int32_t zero_point) {
    for (const ValueRange& v : values) {
      sum.push_back(v.low + v.high - 2 * zero_point);
      difference.push_back(v.high - v.low);
    }
  }
  /// The sum of weights times the channels [first, first + count), which may begin anew.
  [[nodiscard]] CentredInterval times(const int8_t* weights, int32_t zero_point, size_t first,
                                      size_t count) const {
    constexpr size_t kAtOnce = 4096;  // products are below 2^18
    CentredInterval result;
    for (size_t done = 0; done < count;) {
      const size_t begin = (first + done) % sum.size();
      const size_t end = std::min({sum.size(), begin + count - done, begin + kAtOnce});
      int32_t middle = 0, radius = 0;
      for (size_t c = begin; c < end; ++c) {
        const int32_t weight = weights[done + c - begin] - zero_point;
        middle += weight * sum[c];
        radius += std::abs(weight) * difference[c];
      }
      result += {middle, radius};
      done += end - begin;
    }
    return result;
  }
};

/// Taps of one axis that lie on the image.
using Taps = std::pair<int64_t, int64_t>;

std::set<Taps> taps_on_axis(int64_t in, int64_t out, int64_t kernel, int64_t stride,
                            int64_t dilation, int64_t padding) {
  std::set<Taps> result;
  for (int64_t k = 0; k < out; ++k) {
    const int64_t origin = k * stride - padding;
    const int64_t begin = origin < 0 ? (-origin + dilation - 1) / dilation : 0;
    const int64_t end = origin >= in ? 0 : (in - 1 - origin) / dilation + 1;
    result.insert({std::min(begin, kernel), std::min(std::max(begin, end), kernel)});
  }
  return result;
}

class Walk {
 public:
  Walk(const Graph& graph, const Op& op, const std::vector<OpId>& producers,
       const std::vector<ValueRanges>& known)
      : graph_(graph), op_(op), producers_(producers), known_(known) {}

  /// output_bounds has a case for each operator, and no other.
  template <class Other>
  ValueRanges operator()(const Other&) const {
    return output_bounds(graph_, op_, known_);
  }

  /// Elements keep their row-major number: from the first of several reshapes.
  ValueRanges operator()(const Reshape&) const {
    Op from_first = op_;
    from_first.inputs[0] = reshaped(op_.inputs[0]);
    return output_bounds(graph_, from_first, known_);
  }

  ValueRanges operator()(const Conv2D& a) const {
    if (!is_plain()) return output_bounds(graph_, op_, known_);
    const Tensor& weights = input(1);
    const auto per_group = static_cast<size_t>(weights.shape[3]);
    const auto channels = static_cast<size_t>(weights.shape[0]);
    const Centred x = centred();
    const size_t groups = x.sum.size() / per_group;
    return over_image(
        a, [&](const int8_t* w, int32_t zero_point, size_t o, size_t tap, size_t taps) {
          const size_t first = o / (channels / groups) * per_group;
          return x.times(w + (o * taps + tap) * per_group, zero_point, first, per_group);
        });
  }
  ValueRanges operator()(const DepthwiseConv2D& a) const {
    if (!is_plain()) return output_bounds(graph_, op_, known_);
    const auto channels = static_cast<size_t>(input(1).shape[3]);
    const Centred x = centred();
    return over_image(a, [&](const int8_t* w, int32_t zero_point, size_t o, size_t tap, size_t) {
      return x.times(w + tap * channels + o, zero_point, o / static_cast<size_t>(a.multiplier), 1);
    });
  }
  ValueRanges operator()(const FullyConnected& a) const {
    const Tensor& weights = input(1);
    const auto channels = static_cast<size_t>(weights.shape[0]);
    const auto depth = static_cast<size_t>(weights.shape[1]);
    const ValueRanges& values = known_[reshaped(op_.inputs[0]).index()];
    if (!is_plain() || values.empty() || depth % values.size() != 0 ||
        output().shape.back() != weights.shape[0])
      return output_bounds(graph_, op_, known_);
    const Centred x(values, input(0).quantization.zero_points[0]);
    const std::vector<int8_t> w = reference::elements_from<int8_t>(*weights.data);
    const int32_t zero_point = reference::weight_zero_point_of(weights);
    std::vector<std::vector<CentredInterval>> sums;
    for (size_t o = 0; o < channels; ++o)
      sums.push_back({x.times(&w[o * depth], zero_point, 0, depth)});
    return ended(sums, a.activation,
                 reference::fully_connected_factors(op_.attributes.arithmetic, input(0), weights,
                                                    output_scale(), weights.shape[0]));
  }

 private:
  [[nodiscard]] const Tensor& input(size_t i) const { return graph_.tensor(op_.inputs[i]); }
  [[nodiscard]] const Tensor& output() const { return graph_.tensor(op_.outputs[0]); }
  [[nodiscard]] OpId producer(TensorId t) const { return producers_[t.index()]; }
  /// The tensor that reshapes, one or several, made into this one.
  [[nodiscard]] TensorId reshaped(TensorId t) const {
    for (OpId before = producer(t); before.valid(); before = producer(t)) {
      const Op& op = graph_.op(before);
      if (!std::holds_alternative<Reshape>(op.attributes) && !changes_nothing(graph_, op)) break;
      t = op.inputs[0];
    }
    return t;
  }
  [[nodiscard]] float output_scale() const { return output().quantization.scales[0]; }

  /// The operator is of int8, with constant weights and bias and sums of 32 bits.
  [[nodiscard]] bool is_plain() const {
    return input(0).type == DType::kInt8 && input(1).is_constant() &&
           (op_.inputs.size() < 3 || input(2).is_constant()) &&
           find_accumulator(graph_, op_.outputs[0]) == nullptr;
  }

  /// Zeros that a PAD puts around the image are as good as the window's own padding.
  [[nodiscard]] const Op* padding_before() const {
    OpId before = producer(op_.inputs[0]);
    while (before.valid() && changes_nothing(graph_, graph_.op(before)))
      before = producer(graph_.op(before).inputs[0]);
    if (!before.valid()) return nullptr;
    const auto* pad = std::get_if<Pad>(&graph_.op(before).attributes);
    const bool of_image = pad != nullptr && pad->before.size() == 4 && pad->before[0] == 0 &&
                          pad->after[0] == 0 && pad->before[3] == 0 && pad->after[3] == 0;
    return of_image && pad->value == input(0).quantization.zero_points[0] ? &graph_.op(before)
                                                                          : nullptr;
  }
  [[nodiscard]] TensorId image() const {
    const Op* pad = padding_before();
    return pad == nullptr ? op_.inputs[0] : pad->inputs[0];
  }
  [[nodiscard]] Centred centred() const {
    return {known_[image().index()], input(0).quantization.zero_points[0]};
  }

  template <class Windowed, class SumOfTap>
  ValueRanges over_image(const Windowed& a, const SumOfTap& sum_of_tap) const {
    Window window = a.window;
    if (const Op* pad = padding_before()) {
      window.padding.top += std::get<Pad>(pad->attributes).before[1];
      window.padding.left += std::get<Pad>(pad->attributes).before[2];
    }
    const Shape &in = graph_.tensor(image()).shape, &out = output().shape;
    const auto rows = taps_on_axis(in[1], out[1], window.kernel_h, window.stride_h,
                                   window.dilation_h, window.padding.top);
    const auto columns = taps_on_axis(in[2], out[2], window.kernel_w, window.stride_w,
                                      window.dilation_w, window.padding.left);
    const std::vector<int8_t> w = reference::elements_from<int8_t>(*input(1).data);
    const int32_t zero_point = reference::weight_zero_point_of(input(1));
    const auto high = static_cast<size_t>(window.kernel_h),
               wide = static_cast<size_t>(window.kernel_w);
    std::vector<std::vector<CentredInterval>> sums(static_cast<size_t>(out[3]));
    std::vector<CentredInterval> before((high + 1) *
                                        (wide + 1));  // of the taps above and to the left
    for (size_t o = 0; o < sums.size(); ++o) {
      for (size_t y = 0; y < high; ++y) {
        CentredInterval row;
        for (size_t x = 0; x < wide; ++x) {
          row += sum_of_tap(w.data(), zero_point, o, y * wide + x, high * wide);
          CentredInterval& here = before[(y + 1) * (wide + 1) + x + 1];
          here = before[y * (wide + 1) + x + 1];
          here += row;
        }
      }
      const auto corner = [&](int64_t y, int64_t x) {
        return before[static_cast<size_t>(y) * (wide + 1) + static_cast<size_t>(x)];
      };
      for (const auto& [top, bottom] : rows) {
        for (const auto& [left, right] : columns) {
          const CentredInterval a1 = corner(bottom, right), b1 = corner(top, right);
          const CentredInterval c1 = corner(bottom, left), d1 = corner(top, left);
          sums[o].push_back({a1.middle - b1.middle - c1.middle + d1.middle,
                             a1.radius - b1.radius - c1.radius + d1.radius});
        }
      }
    }
    return ended(sums, a.activation,
                 reference::convolution_factors(op_.attributes.arithmetic, input(0), input(1),
                                                output_scale(), out[3]));
  }

  /// Per output channel, its sums: with the bias, brought to 8 bits.
  [[nodiscard]] ValueRanges ended(const std::vector<std::vector<CentredInterval>>& sums,
                                  Activation activation,
                                  const std::vector<FixedFactor>& factors) const {
    std::vector<int32_t> bias(sums.size());
    if (op_.inputs.size() > 2) bias = reference::elements_from<int32_t>(*input(2).data);
    const ActivationRange clamp = reference::activation_range(activation, output());
    ValueRanges result;
    for (size_t o = 0; o < sums.size(); ++o) {
      int64_t low = INT64_MAX, high = INT64_MIN;
      for (const CentredInterval& s : sums[o]) {
        low = std::min(low, (s.middle - s.radius) / 2 + bias[o]);
        high = std::max(high, (s.middle + s.radius) / 2 + bias[o]);
      }
      result.push_back(requantised(low, high, factors[o], clamp));
    }
    return result;
  }
  [[nodiscard]] ValueRange requantised(int64_t low, int64_t high, FixedFactor factor,
                                       ActivationRange clamp) const {
    const auto is_in_32_bits = [](int64_t v) { return INT32_MIN <= v && v <= INT32_MAX; };
    const int32_t zero_point = output().quantization.zero_points[0];
    ValueRange result{INT32_MAX, INT32_MIN};
    for (const int64_t end : {low, high}) {
      const int left = std::max(factor.shift, 0);
      if (!is_in_32_bits(end) || left > 31 || !is_in_32_bits(end * (int64_t{1} << left)) ||
          !is_in_32_bits(int64_t{reference::multiply(static_cast<int32_t>(end), factor)} +
                         zero_point))
        return {clamp.min, clamp.max};
      const int32_t value =
          reference::requantised(static_cast<int32_t>(end), factor, zero_point, clamp);
      result = {std::min(result.low, value), std::max(result.high, value)};
    }
    return result;
  }

  const Graph& graph_;
  const Op& op_;
  const std::vector<OpId>& producers_;
  const std::vector<ValueRanges>& known_;
};

bool has_weights(const Op& op) {
  return std::holds_alternative<Conv2D>(op.attributes) ||
         std::holds_alternative<DepthwiseConv2D>(op.attributes) ||
         std::holds_alternative<FullyConnected>(op.attributes);
}

/// All values of the tensor's type; empty if it is no type that has ranges.
ValueRanges every_value(const Tensor& tensor) {
  if (tensor.type != DType::kInt8 && tensor.type != DType::kUInt8 && tensor.type != DType::kInt16 &&
      tensor.type != DType::kInt32)
    return {};
  const reference::IntegerRange all = reference::range_of(tensor.type);
  return ValueRanges(tensor.shape.empty() ? 1 : static_cast<size_t>(tensor.shape.back()),
                     {static_cast<int32_t>(all.min), static_cast<int32_t>(all.max)});
}

}  // namespace

bool changes_nothing(const Graph& graph, const Op& op) {
  if (op.inputs.size() != 1) return false;
  const Tensor &in = graph.tensor(op.inputs[0]), &out = graph.tensor(op.outputs[0]);
  if (in.shape != out.shape || in.type != out.type || in.quantization != out.quantization)
    return false;
  if (const auto* transpose = std::get_if<Transpose>(&op.attributes))
    return std::ranges::is_sorted(transpose->permutation);
  if (const auto* concat = std::get_if<Concat>(&op.attributes))
    return concat->activation == Activation::kNone;
  if (const auto* slice = std::get_if<Slice>(&op.attributes))
    return std::ranges::all_of(slice->stride, [](int64_t s) { return s == 1; });
  if (const auto* nearest = std::get_if<ResizeNearestNeighbor>(&op.attributes))
    return !(nearest->align_corners && nearest->half_pixel_centers);  // which rounds half up
  return std::holds_alternative<Reshape>(op.attributes) ||
         std::holds_alternative<Pad>(op.attributes) ||
         std::holds_alternative<ResizeBilinear>(op.attributes) ||
         std::holds_alternative<Quantize>(op.attributes);
}

ValueRanges walked_range(const Graph& graph, const Op& op, const std::vector<OpId>& producers,
                         const std::vector<ValueRanges>& of_tensors) {
  if (is_float32(graph, op)) return {};
  return std::visit(Walk(graph, op, producers, of_tensors), op.attributes);
}

std::vector<ValueRanges> walked_ranges(const Graph& graph, const std::vector<OpId>& producers) {
  std::vector<ValueRanges> result(graph.tensors.size());
  std::vector<bool> reads_values(graph.tensors.size());  // constants, but not of weights
  for (const Op& op : graph.ops) {
    for (size_t i = 0; i < (has_weights(op) ? 1 : op.inputs.size()); ++i)
      reads_values[op.inputs[i].index()] = true;
  }
  for (size_t t = 0; t < result.size(); ++t) {
    const Tensor& tensor = graph.tensors[t];
    if (tensor.is_constant()) {
      if (reads_values[t]) result[t] = constant_bounds(tensor);
    } else if (!producers[t].valid()) {
      result[t] = every_value(tensor);
    }
  }
  for (const Op& op : graph.ops) {
    const TensorId out = op.outputs[0];
    if (!graph.tensor(out).is_constant())
      result[out.index()] = walked_range(graph, op, producers, result);
  }
  return result;
}

}  // namespace thimble
