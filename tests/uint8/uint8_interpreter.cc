// SPDX-License-Identifier: Apache-2.0
#include "tests/uint8/uint8_interpreter.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <stdexcept>

#include "tests/uint8/uint8_fixed_point.h"
#include "tests/uint8/uint8_softmax.h"

namespace thimble::testing {
namespace {

struct Range {
  int32_t least = 0, most = 255;
  [[nodiscard]] uint8_t clamp(int32_t x) const {
    return static_cast<uint8_t>(std::clamp(x, least, most));
  }
};

/// One operator with the values of its operands.
struct Site {
  const Graph& graph;
  const Op& op;
  const std::vector<Bytes>& values;

  [[nodiscard]] const Tensor& in(size_t k) const { return graph.tensor(op.inputs.at(k)); }
  [[nodiscard]] const Tensor& out() const { return graph.tensor(op.outputs.at(0)); }
  [[nodiscard]] const Bytes& bytes(size_t k) const {
    return in(k).is_constant() ? *in(k).data : values[op.inputs[k].index()];
  }
  [[nodiscard]] float scale(size_t k) const { return in(k).quantization.scales.at(0); }
  [[nodiscard]] int32_t zero(size_t k) const { return in(k).quantization.zero_points.at(0); }
  [[nodiscard]] float out_scale() const { return out().quantization.scales.at(0); }
  [[nodiscard]] int32_t out_zero() const { return out().quantization.zero_points.at(0); }
  [[nodiscard]] int64_t extent(size_t k, size_t axis) const { return in(k).shape.at(axis); }
  [[nodiscard]] int32_t bias(size_t o) const {
    int32_t result = 0;
    if (op.inputs.size() > 2) std::memcpy(&result, bytes(2).data() + 4 * o, 4);
    return result;
  }
  [[nodiscard]] Range range(Activation activation) const {
    const auto at = [&](float real) {
      return out_zero() + static_cast<int32_t>(std::round(real / out_scale()));
    };
    Range r;
    if (activation == Activation::kRelu || activation == Activation::kRelu6)
      r.least = std::max(r.least, at(0));
    if (activation == Activation::kReluN1To1) r.least = std::max(r.least, at(-1));
    if (activation == Activation::kRelu6) r.most = std::min(r.most, at(6));
    if (activation == Activation::kReluN1To1) r.most = std::min(r.most, at(1));
    return r;
  }
  /// GetQuantizedConvolutionMultipler: the product in float32.
  [[nodiscard]] Factor convolution_factor() const {
    const float product = scale(0) * scale(1);
    return factor_of(double{product} / double{out_scale()});
  }
};

/// visit(input row, input column, kernel row, kernel column) for the taps inside of the image.
void each_tap(const Window& w, const Shape& x, int64_t oy, int64_t ox,
              const std::function<void(int64_t, int64_t, int64_t, int64_t)>& visit) {
  for (int64_t ky = 0; ky < w.kernel_h; ++ky) {
    for (int64_t kx = 0; kx < w.kernel_w; ++kx) {
      const int64_t y = oy * w.stride_h - w.padding.top + ky * w.dilation_h;
      const int64_t column = ox * w.stride_w - w.padding.left + kx * w.dilation_w;
      if (y >= 0 && y < x[1] && column >= 0 && column < x[2]) visit(y, column, ky, kx);
    }
  }
}

/// element(y, x, c) of an output with one image.
Bytes each_element(const Shape& shape,
                   const std::function<uint8_t(int64_t, int64_t, int64_t)>& element) {
  Bytes result;
  for (int64_t y = 0; y < shape[1]; ++y) {
    for (int64_t x = 0; x < shape[2]; ++x) {
      for (int64_t c = 0; c < shape[3]; ++c) result.push_back(element(y, x, c));
    }
  }
  return result;
}

size_t offset(const Shape& shape, int64_t y, int64_t x, int64_t c) {
  return static_cast<size_t>((y * shape[2] + x) * shape[3] + c);
}

struct Interpreter {
  const Site& s;

  Bytes operator()(const Conv2D& a) const {
    const Shape &x = s.in(0).shape, &w = s.in(1).shape;
    const Range range = s.range(a.activation);
    const Factor factor = s.convolution_factor();
    return each_element(s.out().shape, [&](int64_t oy, int64_t ox, int64_t o) {
      int32_t sum = 0;
      each_tap(a.window, x, oy, ox, [&](int64_t y, int64_t column, int64_t ky, int64_t kx) {
        for (int64_t i = 0; i < w[3]; ++i) {
          const int64_t at = ((o * w[1] + ky) * w[2] + kx) * w[3] + i;
          sum += (s.bytes(0)[offset(x, y, column, i)] - s.zero(0)) *
                 (s.bytes(1)[static_cast<size_t>(at)] - s.zero(1));
        }
      });
      return range.clamp(times(sum + s.bias(static_cast<size_t>(o)), factor) + s.out_zero());
    });
  }
  Bytes operator()(const TransposeConv& a) const {
    const Shape &x = s.in(0).shape, &w = s.in(1).shape, &out = s.out().shape;
    std::vector<int32_t> sums(static_cast<size_t>(elements(out)));
    for (int64_t at = 0; at < x[1] * x[2] * w[1] * w[2]; ++at) {
      const int64_t kx = at % w[2], ky = at / w[2] % w[1];
      const int64_t column = at / (w[1] * w[2]) % x[2], row = at / (w[1] * w[2] * x[2]);
      const int64_t y = row * a.window.stride_h - a.window.padding.top + ky;
      const int64_t z = column * a.window.stride_w - a.window.padding.left + kx;
      if (y < 0 || y >= out[1] || z < 0 || z >= out[2]) continue;
      for (int64_t o = 0; o < out[3]; ++o) {
        for (int64_t i = 0; i < x[3]; ++i) {
          const auto weight = static_cast<size_t>(((o * w[1] + ky) * w[2] + kx) * w[3] + i);
          sums[offset(out, y, z, o)] += (s.bytes(0)[offset(x, row, column, i)] - s.zero(0)) *
                                        (s.bytes(1)[weight] - s.zero(1));
        }
      }
    }
    const Range range = s.range(a.activation);
    const Factor factor = s.convolution_factor();
    return each_element(out, [&](int64_t y, int64_t z, int64_t o) {
      const int32_t sum = sums[offset(out, y, z, o)] + s.bias(static_cast<size_t>(o));
      return range.clamp(times(sum, factor) + s.out_zero());
    });
  }
  Bytes operator()(const DepthwiseConv2D& a) const {
    const Shape &x = s.in(0).shape, &w = s.in(1).shape;
    const Range range = s.range(a.activation);
    const Factor factor = s.convolution_factor();
    return each_element(s.out().shape, [&](int64_t oy, int64_t ox, int64_t o) {
      int32_t sum = 0;
      each_tap(a.window, x, oy, ox, [&](int64_t y, int64_t column, int64_t ky, int64_t kx) {
        sum += (s.bytes(0)[offset(x, y, column, o / a.multiplier)] - s.zero(0)) *
               (s.bytes(1)[offset(w, ky, kx, o)] - s.zero(1));
      });
      return range.clamp(times(sum + s.bias(static_cast<size_t>(o)), factor) + s.out_zero());
    });
  }
  Bytes operator()(const FullyConnected& a) const {
    const auto depth = static_cast<size_t>(s.extent(1, 1));
    const auto channels = static_cast<size_t>(s.extent(1, 0));
    const Range range = s.range(a.activation);
    const Factor factor = s.convolution_factor();
    Bytes result;
    for (size_t row = 0; row < s.bytes(0).size() / depth; ++row) {
      for (size_t o = 0; o < channels; ++o) {
        int32_t sum = s.bias(o);
        for (size_t k = 0; k < depth; ++k)
          sum +=
              (s.bytes(0)[row * depth + k] - s.zero(0)) * (s.bytes(1)[o * depth + k] - s.zero(1));
        result.push_back(range.clamp(times(sum, factor) + s.out_zero()));
      }
    }
    return result;
  }
  Bytes operator()(const AveragePool2D& a) const {
    const Shape& x = s.in(0).shape;
    const Range range = s.range(a.activation);
    return each_element(s.out().shape, [&](int64_t oy, int64_t ox, int64_t c) {
      int32_t sum = 0, count = 0;
      each_tap(a.window, x, oy, ox, [&](int64_t y, int64_t column, int64_t, int64_t) {
        sum += s.bytes(0)[offset(x, y, column, c)];
        ++count;
      });
      return range.clamp((sum + count / 2) / count);
    });
  }
  Bytes operator()(const MaxPool2D& a) const {
    const Shape& x = s.in(0).shape;
    const Range range = s.range(a.activation);
    return each_element(s.out().shape, [&](int64_t oy, int64_t ox, int64_t c) {
      uint8_t most = 0;
      each_tap(a.window, x, oy, ox, [&](int64_t y, int64_t column, int64_t, int64_t) {
        most = std::max(most, s.bytes(0)[offset(x, y, column, c)]);
      });
      return range.clamp(most);
    });
  }
  Bytes operator()(const Mean&) const {  // over rows and columns
    const Shape& x = s.in(0).shape;
    const auto count = static_cast<int32_t>(x[1] * x[2]);
    Factor factor = factor_of(double{s.scale(0)} / double{s.out_scale()});
    int shift = 63 - std::countl_zero(static_cast<uint64_t>(count));
    shift = std::min({shift, 32, 31 + factor.shift});
    factor = {static_cast<int32_t>(int64_t{factor.multiplier} * (int64_t{1} << shift) / count),
              factor.shift - shift};
    Bytes result;
    for (int64_t c = 0; c < x[3]; ++c) {
      int32_t sum = -s.zero(0) * count;
      for (int64_t k = 0; k < count; ++k) sum += s.bytes(0)[static_cast<size_t>(k * x[3] + c)];
      result.push_back(Range{}.clamp(times(sum, factor) + s.out_zero()));
    }
    return result;
  }
  Bytes operator()(const Add& a) const {
    const double twice = 2 * double{std::max(s.scale(0), s.scale(1))};
    const Factor x = factor_of(double{s.scale(0)} / twice),
                 y = factor_of(double{s.scale(1)} / twice);
    const Factor last = factor_of(twice / ((1 << 20) * double{s.out_scale()}));
    return pairs(a.activation, [&](int32_t left, int32_t right) {
      return times(times(left * (1 << 20), x) + times(right * (1 << 20), y), last);
    });
  }
  Bytes operator()(const Mul& a) const {
    const float real = s.scale(0) * s.scale(1) / s.out_scale();
    const Factor factor = factor_of(double{real});
    return pairs(a.activation,
                 [&](int32_t left, int32_t right) { return times(left * right, factor); });
  }
  Bytes operator()(const Sub& a) const {
    const double twice = 2 * double{std::max(s.scale(0), s.scale(1))};
    const Factor x = factor_of(double{s.scale(0)} / twice),
                 y = factor_of(double{s.scale(1)} / twice);
    const Factor last = factor_of(twice / ((1 << 20) * double{s.out_scale()}));
    return pairs(a.activation, [&](int32_t left, int32_t right) {
      return times(times(left * (1 << 20), x) - times(right * (1 << 20), y), last);
    });
  }
  // x * 2^headroom times 1 / y in 31 bits, both rounded, and what is left of the powers of two.
  Bytes operator()(const Div& a) const {
    const float real = s.scale(0) / (s.scale(1) * s.out_scale());
    const Factor factor = factor_of(double{real});
    return pairs(a.activation, [&](int32_t x, int32_t y) {
      if (y == 0) return x == 0 ? 0 : (x > 0 ? 1000 : -1000);
      if (y < 0) x = -x, y = -y;
      const int zeros = std::countl_zero(static_cast<uint32_t>(y));
      const auto above_one = static_cast<int32_t>((static_cast<uint32_t>(y) << zeros) - (1U << 31));
      const int headroom = std::countl_zero(static_cast<uint32_t>(x < 0 ? ~x : x)) - 1;
      const int32_t quotient = doubling_high_mul(static_cast<int32_t>(int64_t{x} << headroom),
                                                 one_over_one_plus(above_one));
      const int shift = factor.shift - (31 - zeros) - headroom;
      return shift < -31 ? 0 : times(quotient, {factor.multiplier, shift});
    });
  }
  Bytes operator()(const Prelu&) const {
    const float out = s.out_scale();
    const Factor positive = factor_of(double{s.scale(0) / out});
    const Factor negative = factor_of(double{s.scale(0) * s.scale(1) / out});
    const size_t slopes = s.bytes(1).size();
    Bytes result;
    for (size_t k = 0; k < s.bytes(0).size(); ++k) {
      const int32_t x = s.bytes(0)[k] - s.zero(0), slope = s.bytes(1)[k % slopes] - s.zero(1);
      result.push_back(
          Range{}.clamp((x >= 0 ? times(x, positive) : times(x * slope, negative)) + s.out_zero()));
    }
    return result;
  }
  [[nodiscard]] Bytes pairs(Activation activation,
                            const std::function<int32_t(int32_t, int32_t)>& function) const {
    const Range range = s.range(activation);
    Bytes result;
    for (size_t k = 0; k < s.bytes(0).size(); ++k) {
      result.push_back(range.clamp(function(s.bytes(0)[k] - s.zero(0), s.bytes(1)[k] - s.zero(1)) +
                                   s.out_zero()));
    }
    return result;
  }
  Bytes operator()(const Logistic&) const {
    return by_table([](float x) { return 1.0F / (1.0F + std::exp(-x)); });
  }
  Bytes operator()(const Tanh&) const {
    return by_table([](float x) { return std::tanh(x); });
  }
  [[nodiscard]] Bytes by_table(const std::function<float(float)>& function) const {
    const float inverse = 1 / s.out_scale();
    Bytes result;
    for (const uint8_t byte : s.bytes(0)) {
      const float real = s.scale(0) * static_cast<float>(byte - s.zero(0));
      const float rounded = std::round(function(real) * inverse);
      result.push_back(
          Range{}.clamp(static_cast<int32_t>(rounded + static_cast<float>(s.out_zero()))));
    }
    return result;
  }
  Bytes operator()(const Softmax& a) const {
    const auto count = static_cast<size_t>(s.in(0).shape.back());
    Bytes result(s.bytes(0).size());
    for (size_t k = 0; k < result.size(); k += count)
      softmax_uint8(double{a.beta}, s.scale(0), &s.bytes(0)[k], count, &result[k]);
    return result;
  }
  Bytes operator()(const Reshape&) const { return s.bytes(0); }
  Bytes operator()(const Pad& a) const {
    const Shape& x = s.in(0).shape;
    return each_element(s.out().shape, [&](int64_t oy, int64_t ox, int64_t c) {
      const int64_t y = oy - a.before[1], column = ox - a.before[2];
      const bool inside = y >= 0 && y < x[1] && column >= 0 && column < x[2];
      return inside ? s.bytes(0)[offset(x, y, column, c)] : static_cast<uint8_t>(s.out_zero());
    });
  }
  Bytes operator()(const Concat&) const {  // along channels
    const Shape &x = s.in(0).shape, &y = s.in(1).shape;
    return each_element(s.out().shape, [&](int64_t oy, int64_t ox, int64_t c) {
      const size_t k = c < x[3] ? 0 : 1;
      const uint8_t raw =
          k == 0 ? s.bytes(0)[offset(x, oy, ox, c)] : s.bytes(1)[offset(y, oy, ox, c - x[3])];
      if (s.scale(k) == s.out_scale() && s.zero(k) == s.out_zero()) return raw;
      const float inverse = 1 / s.out_scale();
      const float scale = s.scale(k) * inverse;
      const float bias = static_cast<float>(-s.zero(k)) * scale;
      const float real = std::round(static_cast<float>(raw) * scale + bias);
      return Range{}.clamp(static_cast<int32_t>(real) + s.out_zero());
    });
  }
  template <class Other>
  Bytes operator()(const Other&) const {
    throw std::logic_error("interpret_uint8: no such operator");
  }
};

}  // namespace

std::vector<Bytes> interpret_uint8(const Graph& graph, const std::vector<Bytes>& inputs) {
  std::vector<Bytes> values(graph.tensors.size());
  for (size_t k = 0; k < inputs.size(); ++k) values[graph.inputs[k].tensor.index()] = inputs[k];
  for (const Op& op : graph.ops) {
    const Site site{graph, op, values};
    values[op.outputs[0].index()] = std::visit(Interpreter{site}, op.attributes);
  }
  std::vector<Bytes> result;
  for (const Port& port : graph.outputs) result.push_back(values[port.tensor.index()]);
  return result;
}

}  // namespace thimble::testing
