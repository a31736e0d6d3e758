// SPDX-License-Identifier: Apache-2.0
// Operators in float32. Those that only move elements are the reference interpreter's own.
#include "thimble/reference/real.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <type_traits>

#include "thimble/model/error.h"
#include "thimble/model/resize.h"
#include "thimble/reference/along_axis.h"
#include "thimble/reference/detections.h"
#include "thimble/reference/evaluate.h"
#include "thimble/reference/gather.h"
#include "thimble/reference/real_products.h"
#include "thimble/reference/window.h"
#include "thimble_runtime/real_functions.h"

namespace thimble::reference {
namespace {

namespace functions = runtime::real;

struct RealContext {
  const Graph& graph;
  const Op& op;
  const std::vector<const RealValues*>& inputs;

  [[nodiscard]] const Shape& shape(size_t i) const { return graph.tensor(op.inputs[i]).shape; }
  [[nodiscard]] const Shape& output_shape() const { return graph.tensor(op.outputs[0]).shape; }
  [[nodiscard]] RealProduct product() const {
    return {
        shape(0),      *inputs[0], shape(1), *inputs[1], inputs.size() > 2 ? inputs[2] : nullptr,
        output_shape()};
  }
};

RealValues clamped(Activation activation, RealValues values) {
  apply(activation, values);
  return values;
}

RealValues real(const Conv2D& op, const RealContext& c) {
  return clamped(op.activation, real_conv(op.window, c.product()));
}

RealValues real(const DepthwiseConv2D& op, const RealContext& c) {
  return clamped(op.activation, real_depthwise(op.window, op.multiplier, c.product()));
}

RealValues real(const FullyConnected& op, const RealContext& c) {
  return clamped(op.activation, real_fully_connected(c.product()));
}

RealValues real(const TransposeConv& op, const RealContext& c) {
  return clamped(op.activation, real_transpose_conv(op.window, c.product()));
}

RealValues real(const BatchMatMul& op, const RealContext& c) {
  return real_batch_matmul(op, c.product());
}

/// Combines the elements of each window, starting from `first`; then finish(value, elements).
template <class Combine, class Finish>
RealValues pooled(const Window& window, const RealContext& c, float first, Combine combine,
                  Finish finish) {
  const Image in(c.shape(0));
  const Image out(c.output_shape());
  RealValues result(static_cast<size_t>(elements(c.output_shape())), first);
  for (int64_t pixel = 0; pixel < out.n * out.h * out.w; ++pixel) {
    const Taps rows = taps_of_row(window, pixel / out.w % out.h, in.h);
    const Taps columns = taps_of_column(window, pixel % out.w, in.w);
    float* to = &result[static_cast<size_t>(pixel * out.c)];
    for (int64_t ky = rows.begin; ky < rows.end; ++ky) {
      for (int64_t kx = columns.begin; kx < columns.end; ++kx) {
        const float* x = &(*c.inputs[0])[static_cast<size_t>(
            in.pixel(pixel / (out.w * out.h), rows.position(ky), columns.position(kx)))];
        for (int64_t k = 0; k < out.c; ++k) to[k] = combine(to[k], x[k]);
      }
    }
    const auto count = static_cast<float>(rows.count() * columns.count());
    for (int64_t k = 0; k < out.c; ++k) to[k] = finish(to[k], count);
  }
  return result;
}

RealValues real(const AveragePool2D& op, const RealContext& c) {
  return clamped(op.activation, pooled(
                                    op.window, c, 0, [](float a, float b) { return a + b; },
                                    [](float sum, float count) { return sum / count; }));
}

RealValues real(const MaxPool2D& op, const RealContext& c) {
  if (op.least) {
    return clamped(op.activation, pooled(
                                      op.window, c, std::numeric_limits<float>::max(),
                                      [](float a, float b) { return std::min(a, b); },
                                      [](float smallest, float) { return smallest; }));
  }
  return clamped(op.activation, pooled(
                                    op.window, c, std::numeric_limits<float>::lowest(),
                                    [](float a, float b) { return b > a ? b : a; },
                                    [](float largest, float) { return largest; }));
}

RealValues real(const L2Pool2D& op, const RealContext& c) {
  return clamped(op.activation, pooled(
                                    op.window, c, 0, [](float a, float b) { return a + b * b; },
                                    [](float sum, float count) { return std::sqrt(sum / count); }));
}

RealValues sums_over_axes(const std::vector<int>& axes, const RealContext& c) {
  Shape kept = c.shape(0);
  for (const int axis : axes) kept.at(static_cast<size_t>(axis)) = 1;
  const std::vector<int64_t> target = offsets(c.shape(0), broadcast_strides(kept, c.shape(0)));
  RealValues result(static_cast<size_t>(elements(kept)), 0);
  for (size_t i = 0; i < target.size(); ++i) {
    result[static_cast<size_t>(target[i])] += (*c.inputs[0])[i];
  }
  return result;
}

RealValues real(const Mean& op, const RealContext& c) {
  RealValues result = sums_over_axes(op.axes, c);
  const size_t summed = c.inputs[0]->size() / result.size();
  const auto count = static_cast<float>(summed);
  for (float& value : result) value /= count;
  return result;
}

RealValues real(const Sum& op, const RealContext& c) { return sums_over_axes(op.axes, c); }

/// combine(a, b) of two operands that are broadcast to the output.
template <class Combine>
RealValues combined(const RealContext& c, Combine combine) {
  const Shape& to = c.output_shape();
  const std::vector<int64_t> a = offsets(to, broadcast_strides(c.shape(0), to));
  const std::vector<int64_t> b = offsets(to, broadcast_strides(c.shape(1), to));
  RealValues result(a.size());
  for (size_t i = 0; i < result.size(); ++i) {
    result[i] = combine((*c.inputs[0])[static_cast<size_t>(a[i])],
                        (*c.inputs[1])[static_cast<size_t>(b[i])]);
  }
  return result;
}

RealValues real(const Add& op, const RealContext& c) {
  return clamped(op.activation, combined(c, [](float a, float b) { return a + b; }));
}

RealValues real(const Sub& op, const RealContext& c) {
  return clamped(op.activation, combined(c, [](float a, float b) { return a - b; }));
}

RealValues real(const SquaredDifference&, const RealContext& c) {
  return combined(c, [](float a, float b) { return (a - b) * (a - b); });
}

RealValues real(const Mul& op, const RealContext& c) {
  return clamped(op.activation, combined(c, [](float a, float b) { return a * b; }));
}

RealValues real(const Div& op, const RealContext& c) {
  return clamped(op.activation, combined(c, [](float a, float b) { return a / b; }));
}

RealValues real(const FloorDiv& op, const RealContext& c) {
  return combined(c, [&](float a, float b) {
    if (!op.remainder) {
      const double quotient = static_cast<double>(a) / static_cast<double>(b);
      return static_cast<float>(std::floor(quotient));
    }
    const float rest = std::fmod(a, b);
    return rest != 0 && (b < 0) != (rest < 0) ? rest + b : rest;
  });
}

RealValues real(const Comparison& op, const RealContext& c) {
  const int32_t wanted = accepted(op.relation);
  return combined(c, [&](float a, float b) {
    const int32_t order = a < b ? 1 : a == b ? 2 : a > b ? 4 : 8;
    return (wanted & order) != 0 ? 1.0F : 0.0F;
  });
}

RealValues real(const Select&, const RealContext& c) {
  const Shape& to = c.output_shape();
  std::array<std::vector<int64_t>, 3> at;
  for (size_t i = 0; i < at.size(); ++i) at[i] = offsets(to, broadcast_strides(c.shape(i), to));
  RealValues result;
  for (size_t k = 0; k < at[0].size(); ++k) {
    const size_t chosen = (*c.inputs[0])[static_cast<size_t>(at[0][k])] != 0 ? 1 : 2;
    result.push_back((*c.inputs[chosen])[static_cast<size_t>(at[chosen][k])]);
  }
  return result;
}

RealValues real(const Cast&, const RealContext& c) {
  RealValues result = *c.inputs[0];
  const bool whole = c.graph.tensor(c.op.outputs[0]).type != DType::kFloat32;
  for (float& value : result) value = whole ? std::trunc(value) : value;
  return result;
}

/// Indices are whole numbers.
std::vector<int32_t> whole(const RealValues& values) { return {values.begin(), values.end()}; }

RealValues real(const Gather& op, const RealContext& c) {
  RealValues result;
  for (const size_t element : gathered(op, c.shape(0), c.shape(1), whole(*c.inputs[1])))
    result.push_back((*c.inputs[0])[element]);
  return result;
}

RealValues real(const UpdateSlice&, const RealContext& c) {
  RealValues result = *c.inputs[0];
  const std::vector<int64_t> numbers = updated(c.shape(0), c.shape(1), whole(*c.inputs[2]));
  for (size_t k = 0; k < result.size(); ++k) {
    if (numbers[k] >= 0) result[k] = (*c.inputs[1])[static_cast<size_t>(numbers[k])];
  }
  return result;
}

RealValues real(const DetectionPostProcess& op, const RealContext& c) {
  return detections(op,
                    decoded(op, *c.inputs[0], static_cast<size_t>(c.shape(0).back()), *c.inputs[2]),
                    *c.inputs[1], static_cast<size_t>(c.shape(1).back()));
}

RealValues real(const ArgMax& op, const RealContext& c) {
  const RealValues& x = *c.inputs[0];
  RealValues result;
  for (const AxisLine& line : lines_along(c.shape(0), op.axis)) {
    size_t best = 0;
    for (size_t k = 1; k < line.count; ++k) {
      const float value = x[line.first + k * line.step], most = x[line.first + best * line.step];
      if (op.least ? value < most : value > most) best = k;
    }
    result.push_back(static_cast<float>(best));
  }
  return result;
}

RealValues real(const CumSum& op, const RealContext& c) {
  RealValues result = *c.inputs[0];
  for (const AxisLine& line : lines_along(c.shape(0), op.axis)) {
    float sum = 0;
    for (size_t k = 0; k < line.count; ++k) {
      float& value = result[line.first + (op.reverse ? line.count - 1 - k : k) * line.step];
      const float next = sum + value;
      value = op.exclusive ? sum : next;
      sum = next;
    }
  }
  return result;
}

RealValues real(const L2Normalization&, const RealContext& c) {
  RealValues result = *c.inputs[0];
  const auto depth = static_cast<size_t>(c.output_shape().back());
  for (size_t begin = 0; begin < result.size(); begin += depth) {
    const std::span<float> row(&result[begin], depth);
    float sum = 0;
    for (const float value : row) sum += value * value;
    for (float& value : row) value /= std::max(std::sqrt(sum), 1e-6F);
  }
  return result;
}

RealValues real(const Maximum&, const RealContext& c) {
  return combined(c, [](float a, float b) { return a > b ? a : b; });
}

RealValues real(const Minimum&, const RealContext& c) {
  return combined(c, [](float a, float b) { return a < b ? a : b; });
}

RealValues real(const Relu& op, const RealContext& c) { return clamped(op.range, *c.inputs[0]); }

RealValues real(const Relu6&, const RealContext& c) {
  return clamped(Activation::kRelu6, *c.inputs[0]);
}

RealValues real(const LeakyRelu& op, const RealContext& c) {
  RealValues result = *c.inputs[0];
  for (float& value : result) value = value >= 0 ? value : value * op.alpha;
  return result;
}

RealValues real(const Prelu&, const RealContext& c) {
  return combined(c, [](float x, float alpha) { return x >= 0 ? x : x * alpha; });
}

float largest_of(std::span<const float> row) {
  float largest = std::numeric_limits<float>::lowest();
  for (const float value : row) largest = value > largest ? value : largest;
  return largest;
}

RealValues real(const LogSoftmax&, const RealContext& c) {
  RealValues result = *c.inputs[0];
  const auto depth = static_cast<size_t>(c.output_shape().back());
  for (size_t begin = 0; begin < result.size(); begin += depth) {
    const std::span<float> row(&result[begin], depth);
    const float largest = largest_of(row);
    float sum = 0;
    for (const float value : row) sum += functions::exp(value - largest);
    const float log_of_sum = functions::log(sum);
    for (float& value : row) value = value - largest - log_of_sum;
  }
  return result;
}

RealValues of_each(const RealContext& c, float (*function)(float) noexcept) {
  RealValues result = *c.inputs[0];
  for (float& value : result) value = function(value);
  return result;
}

RealValues real(const Logistic&, const RealContext& c) { return of_each(c, functions::logistic); }
RealValues real(const Tanh&, const RealContext& c) { return of_each(c, functions::tanh); }
RealValues real(const Elu&, const RealContext& c) { return of_each(c, functions::elu); }
RealValues real(const HardSwish&, const RealContext& c) {
  return of_each(c, functions::hard_swish);
}
RealValues real(const Abs&, const RealContext& c) { return of_each(c, functions::abs); }
RealValues real(const Rsqrt&, const RealContext& c) { return of_each(c, functions::rsqrt); }
RealValues real(const Elementwise& op, const RealContext& c) {
  switch (op.function) {
    case Function::kCeil:
      return of_each(c, functions::ceil);
    case Function::kCos:
      return of_each(c, functions::cos);
    case Function::kExp:
      return of_each(c, functions::exp);
    case Function::kFloor:
      return of_each(c, functions::floor);
    case Function::kLog:
      return of_each(c, functions::log);
    case Function::kNeg:
      return of_each(c, functions::neg);
    case Function::kRound:
      return of_each(c, functions::round);
    case Function::kSin:
      return of_each(c, functions::sin);
    case Function::kSqrt:
      return of_each(c, functions::sqrt);
    case Function::kSquare:
      return of_each(c, functions::square);
  }
  throw InternalError("unknown Function");
}

RealValues real(const Gelu& op, const RealContext& c) {
  return of_each(c, op.approximate ? functions::gelu_by_tanh : functions::gelu);
}

RealValues real(const Quantize&, const RealContext& c) { return *c.inputs[0]; }
RealValues real(const Dequantize&, const RealContext& c) { return *c.inputs[0]; }

RealValues real(const Softmax& op, const RealContext& c) {
  RealValues result = *c.inputs[0];
  const auto depth = static_cast<size_t>(c.output_shape().back());
  for (size_t begin = 0; begin < result.size(); begin += depth) {
    const std::span<float> row(&result[begin], depth);
    const float largest = largest_of(row);
    float sum = 0;
    for (float& value : row) sum += value = functions::exp((value - largest) * op.beta);
    for (float& value : row) value /= sum;
  }
  return result;
}

RealValues real(const ResizeBilinear& op, const RealContext& c) {
  const Image in(c.shape(0));
  const Image out(c.output_shape());
  const std::vector<RealRows> rows = real_rows(op, in.h, out.h);
  const std::vector<RealRows> columns = real_rows(op, in.w, out.w);
  const RealValues& x = *c.inputs[0];
  RealValues result(static_cast<size_t>(elements(c.output_shape())));
  for (int64_t pixel = 0; pixel < out.n * out.h * out.w; ++pixel) {
    const int64_t n = pixel / (out.w * out.h);
    const RealRows& y = rows[static_cast<size_t>(pixel / out.w % out.h)];
    const RealRows& z = columns[static_cast<size_t>(pixel % out.w)];
    const float below = y.fraction, right = z.fraction;
    for (int64_t k = 0; k < out.c; ++k) {
      const auto value = [&](int64_t row, int64_t column) {
        return x[static_cast<size_t>(in.pixel(n, row, column) + k)];
      };
      result[static_cast<size_t>(pixel * out.c + k)] =
          value(y.first, z.first) * (1 - below) * (1 - right) +
          value(y.last, z.first) * below * (1 - right) +
          value(y.first, z.last) * (1 - below) * right + value(y.last, z.last) * below * right;
    }
  }
  return result;
}

RealValues real(const SvdfFeatures&, const RealContext& c) {
  const RealValues &x = *c.inputs[0], &weights = *c.inputs[1];
  const auto depth = static_cast<size_t>(c.shape(1)[1]);
  RealValues result;
  for (size_t batch = 0; batch < x.size(); batch += depth) {
    for (size_t row = 0; row < weights.size(); row += depth) {
      float sum = 0;
      for (size_t k = 0; k < depth; ++k) sum += x[batch + k] * weights[row + k];
      result.push_back(sum);
    }
  }
  return clamped(Activation::kNone, std::move(result));  // beyond all numbers is the largest one
}

RealValues real(const ShiftIn&, const RealContext& c) {
  const RealValues &state = *c.inputs[0], &newest = *c.inputs[1];
  const auto memory = static_cast<size_t>(c.output_shape().back());
  RealValues result(state.begin() + 1, state.end());
  result.resize(state.size());
  for (size_t row = 0; row < newest.size(); ++row) result[(row + 1) * memory - 1] = newest[row];
  return result;
}

RealValues real(const SvdfOutput& op, const RealContext& c) {
  const RealValues &state = *c.inputs[0], &weights = *c.inputs[1], &bias = *c.inputs[2];
  const auto memory = static_cast<size_t>(c.shape(1)[1]);
  const size_t rank = static_cast<size_t>(c.shape(1)[0]) / bias.size();
  RealValues result;
  for (size_t at = 0; at < state.size(); at += rank * memory) {
    float sum = bias[at / (rank * memory) % bias.size()];
    for (size_t filter = at; filter < at + rank * memory; filter += memory) {
      float of_filter = 0;
      for (size_t k = filter; k < filter + memory; ++k)
        of_filter += state[k] * weights[k % weights.size()];
      sum += of_filter;
    }
    result.push_back(sum);
  }
  return clamped(op.activation, std::move(result));
}

RealValues real(const Lstm& op, const RealContext& c) {
  if (c.graph.tensor(c.op.inputs[1]).type != DType::kFloat32)  // bytes of the cell state
    throw InternalError(label(c.op) + " of integers is not computed in real numbers");
  return real_lstm(op, {.shape = c.shape(0),
                        .x = *c.inputs[0],
                        .state = *c.inputs[1],
                        .weights = *c.inputs[2],
                        .recurrent = *c.inputs[3],
                        .biases = *c.inputs[4]});
}

template <class Signal>
requires kIsSignal<Signal> RealValues real(const Signal&, const RealContext& c) {
  throw InternalError(label(c.op) + " is not computed in real numbers");
}

/// Operators that move elements do not look at them.
template <class A>
concept Mover = std::is_same_v<A, Pad> || std::is_same_v<A, Reshape> ||
    std::is_same_v<A, Transpose> || std::is_same_v<A, Concat> || std::is_same_v<A, Slice> ||
    std::is_same_v<A, ResizeNearestNeighbor>;

template <Mover A>
RealValues real(const A& op, const RealContext& c) {
  TensorValues values(c.graph.tensors.size());
  for (size_t i = 0; i < c.inputs.size(); ++i) {
    check(c.graph.tensor(c.op.inputs[i]).type == DType::kFloat32, "a tensor of a real network");
    values[c.op.inputs[i].index()] = bytes_from(*c.inputs[i]);
  }
  return elements_from<float>(evaluate(op, OpContext{c.graph, c.op, values})[0]);
}

}  // namespace
}  // namespace thimble::reference

namespace thimble {

RealValues dequantised(const Tensor& tensor, const Bytes& bytes) {
  if (tensor.type == DType::kFloat32) return reference::elements_from<float>(bytes);
  const std::vector<int32_t> integers = reference::integers_from(bytes, tensor.type);
  RealValues result(integers.begin(), integers.end());
  const Quantization& q = tensor.quantization;
  if (q.scales.empty()) return result;
  int64_t inner = 1;
  for (size_t axis = static_cast<size_t>(q.axis) + 1; axis < tensor.shape.size(); ++axis) {
    inner *= tensor.shape[axis];
  }
  for (size_t i = 0; i < result.size(); ++i) {
    const size_t k = q.per_channel() ? i / static_cast<size_t>(inner) % q.scales.size() : 0;
    result[i] = q.scales[k] * (result[i] - static_cast<float>(q.zero_points[k]));
  }
  return result;
}

RealValues evaluate_real(const Graph& graph, const Op& op,
                         const std::vector<const RealValues*>& inputs) {
  const reference::RealContext context{graph, op, inputs};
  return std::visit([&](const auto& attributes) { return reference::real(attributes, context); },
                    op.attributes);
}

RealRange real_range(Activation activation) {
  RealRange range{std::numeric_limits<float>::lowest(), std::numeric_limits<float>::max()};
  if (activation == Activation::kRelu || activation == Activation::kRelu6) range.min = 0;
  if (activation == Activation::kRelu6) range.max = 6;
  if (activation == Activation::kReluN1To1) range = {-1, 1};
  if (activation == Activation::kRelu0To1) range = {0, 1};
  return range;
}

void apply(Activation activation, RealValues& values) {
  const RealRange range = real_range(activation);
  for (float& value : values) value = std::clamp(value, range.min, range.max);
}

}  // namespace thimble
