// SPDX-License-Identifier: Apache-2.0
#include "thimble/quantise/demands.h"

#include <numeric>

#include "thimble/quantise/scales.h"

namespace thimble {
namespace {

using Output = Demands::Output;

Demands tied(std::vector<size_t> operands) {
  return {.output = Output::kTied, .tied = std::move(operands)};
}

Demands fixed(float scale, int32_t zero_point) {
  return {.output = Output::kFixed, .fixed = one_scale(scale, zero_point)};
}

Demands weighted(int axis) { return {.weighted = true, .weights_axis = axis}; }

/// Those of the specification that have a form in int16.
struct HasInt16 {
  template <class Kind>
  bool operator()(const Kind&) const {
    return !kIsOneOf<Kind, ResizeNearestNeighbor, ResizeBilinear, HardSwish, Relu, Relu6,
                     LogSoftmax, L2Normalization, Comparison, ArgMax, Sum, Elu, Gelu>;
  }
};

struct Demanded {
  size_t operands;

  template <class Kind>
  std::optional<Demands> operator()(const Kind&) const {
    if constexpr (kIsOneOf<Kind, Conv2D, TransposeConv, FullyConnected>) {
      return weighted(0);
    } else if constexpr (kIsOneOf<Kind, DepthwiseConv2D>) {
      return weighted(3);
    } else if constexpr (kIsOneOf<Kind, AveragePool2D, MaxPool2D, Pad, Relu6, Reshape, Transpose,
                                  Slice, Gather, ResizeNearestNeighbor, ResizeBilinear>) {
      return tied({0});
    } else if constexpr (kIsOneOf<Kind, Concat, Maximum, Minimum>) {
      std::vector<size_t> all(operands);
      std::iota(all.begin(), all.end(), 0);
      return tied(std::move(all));
    } else if constexpr (kIsOneOf<Kind, Select>) {
      return tied({1, 2});
    } else if constexpr (kIsOneOf<Kind, UpdateSlice>) {
      return tied({0, 1});
    } else if constexpr (kIsOneOf<Kind, Softmax, Logistic>) {
      return fixed(1.0F / 256, -128);
    } else if constexpr (kIsOneOf<Kind, Tanh, L2Normalization>) {
      return fixed(1.0F / 128, 0);
    } else if constexpr (kIsOneOf<Kind, LogSoftmax>) {
      return fixed(16.0F / 256, 127);
    } else if constexpr (kIsOneOf<Kind, BatchMatMul, Mean, Sum, Add, Sub, Mul, SquaredDifference,
                                  Relu, LeakyRelu, Prelu, HardSwish, Elu, Gelu, Abs, Rsqrt>) {
      return Demands{};
    } else if constexpr (kIsOneOf<Kind, Comparison, ArgMax>) {
      return Demands{.output = Output::kInteger};
    } else {
      return std::nullopt;
    }
  }
};

}  // namespace

std::optional<Demands> demands_of(const Attributes& attributes, size_t operands, Format format) {
  if (format == Format::kFloat32) return std::nullopt;
  const bool wide = format == Format::kInt16;
  if (wide && !std::visit(HasInt16{}, attributes)) return std::nullopt;
  std::optional<Demands> demands = std::visit(Demanded{operands}, attributes);
  if (!demands) return std::nullopt;
  demands->format = format;
  // Softmax, logistic, tanh: in int16 from -1 to 1, or half of that.
  if (wide && demands->output == Output::kFixed) demands->fixed = one_scale(1.0F / 32768, 0);
  return demands;
}

}  // namespace thimble
