// SPDX-License-Identifier: Apache-2.0
// Operators on integers that stand for numbers. All of them become what they are written as:
// numbers that are dequantised, an operator of these, numbers that are quantised; islands.h makes
// operators of integers of that.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "thimble/import/onnx/along_axis.h"
#include "thimble/import/onnx/choice.h"
#include "thimble/import/onnx/extremes.h"
#include "thimble/import/onnx/small_integers.h"

namespace thimble::onnx {
namespace {

constexpr int32_t kUint8Offset = 128;

/// What QuantizeLinear and DequantizeLinear say, in inputs from one on.
struct Scaling {
  std::vector<float> scales;
  std::vector<int64_t> zero_points;  ///< as the file has them; one, or as many as scales
  DType type = DType::kUInt8;        ///< of the zero points
  bool said = false;                 ///< whether there are any
};

Scaling scaling_of(const Reading& r, size_t scale, size_t zero_point) {
  Scaling result{.scales = reals(r.constant(scale, "a scale")), .zero_points = {0}};
  if (r.has(zero_point)) {
    const Constant& given = r.constant(zero_point, "a zero point");
    result.zero_points = wholes(given);
    result.type = given.type;
    result.said = true;
  }
  if (result.scales.empty() ||
      (result.zero_points.size() != 1 && result.zero_points.size() != result.scales.size()))
    r.node.damaged("zero points of other scales");
  if (!std::ranges::all_of(result.scales, [](float s) { return std::isfinite(s) && s > 0; }))
    r.node.damaged("a scale that is not positive");
  return result;
}

Quantization one_scale(const Reading& r, const Scaling& scaling, bool shifted) {
  if (scaling.scales.size() != 1)
    r.node.refuse("is not supported with a scale per channel but for constants; with one it is");
  const auto zero = static_cast<int32_t>(scaling.zero_points[0]) - (shifted ? kUint8Offset : 0);
  return {.scales = {scaling.scales[0]}, .zero_points = {zero}, .axis = 0};
}

// Constant integers as the numbers that they stand for.
Constant dequantised(const Reading& r, const Constant& from, const Scaling& scaling, size_t axis) {
  const std::vector<int64_t> integers = wholes(from);
  const bool per_channel = scaling.scales.size() > 1;
  if (per_channel && (axis >= from.shape.size() || from.shape[axis] != std::ssize(scaling.scales)))
    r.node.damaged(fmt::format("{} scales of {}", scaling.scales.size(), to_string(from.shape)));
  size_t inner = 1;
  for (size_t k = axis + 1; k < from.shape.size(); ++k) inner *= static_cast<size_t>(from.shape[k]);
  std::vector<float> numbers(integers.size());
  for (size_t k = 0; k < numbers.size(); ++k) {
    const size_t channel = per_channel ? k / inner % scaling.scales.size() : 0;
    const int64_t zero = scaling.zero_points[scaling.zero_points.size() > 1 ? channel : 0];
    numbers[k] = static_cast<float>(integers[k] - zero) * scaling.scales[channel];
  }
  Constant result = constant_of(from.shape, numbers);
  result.scales = scaling.scales;
  if (scaling.zero_points.size() == 1)
    result.zero_point = static_cast<int32_t>(scaling.zero_points[0]) -
                        (from.type == DType::kUInt8 ? kUint8Offset : 0);
  return result;
}

size_t axis_of(const Reading& r, const Value& x, const Scaling& scaling) {
  return scaling.scales.size() == 1 ? 0 : r.node.axis(r.node.whole("axis", 1), x.rank());
}

Value dequantised(const Reading& r, const Value& x, const Scaling& scaling, size_t axis) {
  if (x.constant != nullptr) {
    Value result = r.known(dequantised(r, *x.constant, scaling, axis));
    result.name = x.name;
    return result;
  }
  Value from = r.settled(x);
  if (x.type == DType::kInt32) {  // sums
    const Value numbers = r.each(Cast{}, from, DType::kFloat32);
    if (scaling.scales.size() != 1 || scaling.zero_points[0] != 0)
      r.node.refuse("is not supported of int32 but with one scale and no zero point");
    return r.each(Mul{}, numbers, r.number(scaling.scales[0]));
  }
  const DType held = r.network[from.tensor].type;
  if (held == DType::kUInt8) {  // what a caller gives
    r.network.quantise(from.tensor, one_scale(r, scaling, false));
    from = r.each(Quantize{}, from, DType::kInt8);
    r.network.shift(from.tensor);
  }
  const Quantization as = one_scale(
      r, scaling, scaling.said ? scaling.type == DType::kUInt8 : r.network.is_shifted(from.tensor));
  const Quantization& known = r.network[from.tensor].quantization;
  if (known.scales.empty() || held == DType::kUInt8) {
    r.network.quantise(from.tensor, as);
  } else if (known != as) {
    r.node.refuse("is not supported with another scale than its integers were made with");
  }
  return r.each(Dequantize{}, from, DType::kFloat32);
}

Value quantised(const Reading& r, const Value& x, const Scaling& scaling) {
  const bool shifted = scaling.type == DType::kUInt8;
  if (!shifted && scaling.type != DType::kInt8 && scaling.type != DType::kInt16)
    r.node.refuse(fmt::format("is not supported to {}; to int8, uint8 and int16 it is",
                              thimble::name(scaling.type)));
  const Quantization as = one_scale(r, scaling, shifted);
  Value result = r.each(Quantize{}, r.turned_at_port(x), shifted ? DType::kInt8 : scaling.type);
  r.network.quantise(result.tensor, as);
  if (shifted) r.network.shift(result.tensor);
  return result;
}

Constant quantised(const Reading& r, const Constant& x, const Scaling& scaling, size_t axis) {
  const std::vector<float> numbers = reals(x);
  const bool is_signed = scaling.type != DType::kUInt8;
  const int64_t low = is_signed ? -128 : 0, high = low + 255;
  if (scaling.type != DType::kUInt8 && scaling.type != DType::kInt8)
    r.node.refuse("is not supported of constants but to int8 and uint8");
  size_t inner = 1;
  for (size_t k = axis + 1; k < x.shape.size(); ++k) inner *= static_cast<size_t>(x.shape[k]);
  std::vector<int64_t> integers(numbers.size());
  for (size_t k = 0; k < integers.size(); ++k) {
    const size_t channel = k / inner % scaling.scales.size();
    const int64_t zero = scaling.zero_points[scaling.zero_points.size() > 1 ? channel : 0];
    const float ratio = std::clamp(numbers[k] / scaling.scales[channel], -1e6F, 1e6F);
    integers[k] = std::clamp<int64_t>(std::llrint(ratio) + zero, low, high);  // ties to even
  }
  return constant_of(x.shape, integers, scaling.type);
}

// ---- Scales that are computed, or one for each index of an axis: numbers, step by step

Scaling of_themselves(DType type) {
  return {.scales = {1}, .zero_points = {0}, .type = type, .said = true};
}

/// Whether a tensor's integers cannot be said to stand for numbers by one scale.
bool has_many_scales(const Reading& r) {
  const Value& x = r.input(0);
  if (x.constant != nullptr) return false;
  const Value& scale = r.input(1);
  return scale.constant == nullptr || scale.constant->size() > 1 ||
         (r.has(2) && r.input(2).constant == nullptr);
}

/// Input k, one number or one for each index of the node's axis, to be stretched to x.
Value along_axis_of(const Reading& r, size_t k, const Value& x) {
  const Value& value = r.input(k);
  if (elements(value.shape) == 1) return in_shape(value, {1});
  const size_t axis = r.node.axis(r.node.whole("axis", 1), x.rank());
  if (value.shape != Shape{x.shape[axis]})
    r.node.damaged(fmt::format("{} scales of {}", to_string(value.shape), to_string(x.shape)));
  Shape shape(x.rank(), 1);
  shape[axis] = x.shape[axis];
  return in_shape(value, shape);
}

/// Refuses what changes the values and is not read.
void check_types(const Reading& r) {
  constexpr int64_t kFloat = 1;
  if (r.node.whole("block_size", 0) != 0) r.node.refuse("is not supported in blocks");
  for (const char* name : {"precision", "output_dtype"}) {
    const bool of_reals = std::string_view(name) == "precision" || r.node.op() != "QuantizeLinear";
    const int64_t type = r.node.whole(name, 0);
    if (of_reals && type != 0 && type != kFloat)
      r.node.refuse(fmt::format("is not supported with its {} {}; of float it is", name, type));
  }
}

/// The type that QuantizeLinear makes.
DType type_made(const Reading& r) {
  const int64_t code = r.node.whole("output_dtype", 0);
  const std::optional<DType> said =
      code == 0 ? std::nullopt : type_of(static_cast<ElementType>(code));
  if (code != 0 && !said)
    r.node.refuse(fmt::format("to {} is not supported", name(static_cast<ElementType>(code))));
  if (!r.has(2)) return said.value_or(DType::kUInt8);
  const DType of_zero = integer_type(r, r.input(2));
  if (said && *said != of_zero) r.node.damaged("its output_dtype is not that of its zero point");
  return of_zero;
}

void quantize_step_by_step(Reading& r) {
  const Value& x = r.input(0);
  const DType type = type_made(r);
  if (!is_small_integer(type))
    r.node.refuse(
        fmt::format("is not supported to {}; to int8, uint8 and int16 it is", thimble::name(type)));
  const Value steps =
      r.each(Elementwise{Function::kRound}, r.each(Div{}, x, along_axis_of(r, 1, x)));
  if (!r.has(2)) return r.make(0, integers_of(r, steps, type));
  r.make(0, integers_of(r, r.each(Add{}, steps, numbers_of(r, along_axis_of(r, 2, x))), type));
}

void dequantize_step_by_step(Reading& r) {
  const Value& x = r.input(0);
  Value numbers = is_small_integer(x.type) ? numbers_of(r, x) : r.each(Cast{}, x, DType::kFloat32);
  if (r.has(2)) {
    const Value zero = along_axis_of(r, 2, x);
    numbers = r.each(
        Sub{}, numbers,
        is_small_integer(zero.type) ? numbers_of(r, zero) : r.each(Cast{}, zero, DType::kFloat32));
  }
  r.make(0, r.each(Mul{}, numbers, along_axis_of(r, 1, x)));
}

void quantize_linear(Reading& r) {
  check_types(r);
  if (has_many_scales(r)) return quantize_step_by_step(r);
  const Value& x = r.input(0);
  Scaling scaling = scaling_of(r, 1, 2);
  scaling.type = type_made(r);
  if (x.constant == nullptr) return r.make(0, quantised(r, x, scaling));
  r.make(0, r.known(quantised(r, *x.constant, scaling, axis_of(r, x, scaling))));
}

void dequantize_linear(Reading& r) {
  check_types(r);
  if (has_many_scales(r)) return dequantize_step_by_step(r);
  const Value& x = r.input(0);
  const Scaling scaling = scaling_of(r, 1, 2);
  r.make(0, dequantised(r, x, scaling, axis_of(r, x, scaling)));
}

/// An operator of numbers, of values in place of the node's inputs.
std::optional<Value> made_of(Reading& r, const char* op, const std::vector<Value>& values) {
  NodeRecord record = *r.node.record;
  record.op = op;
  record.domain = {};
  record.inputs.clear();
  std::vector<const Value*> inputs;
  for (const Value& value : values) {
    record.inputs.push_back(value.name);
    inputs.push_back(&value);
  }
  Node node = r.node;
  node.record = &record;
  constexpr int64_t kNewest = 13;  // what is no ONNX has no opset of it
  if (!r.node.record->domain.empty()) node.opset = kNewest;
  Reading reading(node, r.network, inputs);
  reading.count_uses([](std::string_view) { return 2; });
  read_node("", op)(reading);
  return reading.made()[0];
}

/// Input k as numbers, by the scale and the zero point behind it.
Value numbers_at(const Reading& r, size_t k, size_t axis = 0) {
  return dequantised(r, r.input(k), scaling_of(r, k + 1, k + 2), axis);
}

/// A bias of int32, whose scale is that of the products.
Value bias_at(const Reading& r, size_t k, size_t x_scale, size_t w_scale, float factor = 1) {
  Scaling scaling{.scales = reals(r.constant(w_scale, "a scale")), .zero_points = {0}};
  for (float& scale : scaling.scales) scale *= reals(r.constant(x_scale, "a scale"))[0] * factor;
  Value bias = r.input(k);
  return dequantised(r, bias, scaling, bias.rank() - 1);
}

void finish(Reading& r, std::optional<Value> numbers, size_t scale) {
  if (!numbers) r.node.damaged("it makes nothing");
  r.make(0, quantised(r, *numbers, scaling_of(r, scale, scale + 1)));
}

void qlinear_conv(Reading& r) {
  std::vector<Value> values = {numbers_at(r, 0), numbers_at(r, 3)};
  if (r.has(8)) values.push_back(bias_at(r, 8, 1, 4));
  finish(r, made_of(r, "Conv", values), 6);
}

void qlinear_matmul(Reading& r) {
  const size_t last = r.input(3).rank() - 1;
  finish(r, made_of(r, "MatMul", {numbers_at(r, 0), numbers_at(r, 3, last)}), 6);
}

void qgemm(Reading& r) {
  const size_t outputs = r.node.whole("transB", 0) != 0 ? 0 : 1;
  std::vector<Value> values = {numbers_at(r, 0), numbers_at(r, 3, outputs)};
  if (r.has(6)) values.push_back(bias_at(r, 6, 1, 4, r.node.real("alpha", 1)));
  std::optional<Value> made = made_of(r, "Gemm", values);
  if (r.has(7)) return finish(r, std::move(made), 7);
  r.make(0, std::move(*made));
}

template <char kOp>
void of_two(Reading& r) {
  finish(r, made_of(r, kOp == '+' ? "Add" : "Mul", {numbers_at(r, 0), numbers_at(r, 3)}), 6);
}

void of_one(Reading& r, const char* op) {
  if (r.node.whole("channels_last", 0) != 0)
    r.node.refuse("is not supported with channels_last; with channels first it is");
  finish(r, made_of(r, op, {numbers_at(r, 0)}), 3);
}
void qaverage_pool(Reading& r) { of_one(r, "AveragePool"); }
void qglobal_average_pool(Reading& r) { of_one(r, "GlobalAveragePool"); }
void qsoftmax(Reading& r) { of_one(r, "Softmax"); }
void qsigmoid(Reading& r) { of_one(r, "Sigmoid"); }
void qleaky_relu(Reading& r) { of_one(r, "LeakyRelu"); }

// The output's scale and zero point come first, then x, scale, zero point of each input.
void qconcat(Reading& r) {
  std::vector<Value> values;
  for (size_t k = 2; k + 2 < r.input_count(); k += 3) values.push_back(numbers_at(r, k));
  finish(r, made_of(r, "Concat", values), 0);
}

/// Integers less their zero point, as numbers.
Value differences_at(const Reading& r, size_t k, size_t zero_point) {
  if (r.has(zero_point) && r.input(zero_point).constant == nullptr)
    return r.each(Sub{}, numbers_of(r, r.input(k)),
                  numbers_of(r, in_shape(r.input(zero_point), {1})));
  Scaling scaling = of_themselves(integer_type(r, r.input(k)));
  if (r.has(zero_point)) scaling.zero_points = wholes(r.constant(zero_point, "a zero point"));
  return dequantised(r, r.input(k), scaling, 0);
}

// Sums of products of integers: numbers that float32 has exactly.
void integer_sums(Reading& r, const char* op, int64_t products) {
  constexpr int64_t kMostProducts = (int64_t{1} << 24) / (255 * 255);
  if (products > kMostProducts)
    r.node.refuse(fmt::format("is not supported of sums of {} products; of up to {} it is",
                              products, kMostProducts));
  const Value sums = *made_of(r, op, {differences_at(r, 0, 2), differences_at(r, 1, 3)});
  r.make(0, r.each(Cast{}, sums, DType::kInt32));
}

void conv_integer(Reading& r) {
  const Shape& w = r.input(1).shape;
  integer_sums(r, "Conv", w.empty() ? 0 : elements(w) / std::max<int64_t>(w[0], 1));
}

void matmul_integer(Reading& r) {
  const Shape& x = r.input(0).shape;
  integer_sums(r, "MatMul", x.empty() ? 0 : x.back());
}

// Measures the scale in each inference: y, scale and zero point.
void dynamic(Reading& r) {
  constexpr float kSteps = 255;
  const Value& x = r.input(0);
  Reduction all{.axes = {}, .shape = {}};
  for (size_t axis = 0; axis < x.rank(); ++axis) all.axes.push_back(static_cast<int>(axis));
  const Value zero = r.number(0);
  const Value most = r.each(Maximum{}, in_shape(extreme_of(r, x, all, false), {1}), zero);
  const Value least = r.each(Minimum{}, in_shape(extreme_of(r, x, all, true), {1}), zero);
  const Value steps_of_one = r.each(Div{}, r.each(Sub{}, most, least), r.number(kSteps));
  const Value scale = selected(r, related(r, Relation::kGreater, steps_of_one, zero), steps_of_one,
                               r.number(1));  // of zeros alone: 1
  const Value from = r.each(Elementwise{Function::kNeg}, r.each(Div{}, least, scale));
  const Value limited = r.each(Minimum{}, r.each(Maximum{}, from, zero), r.number(kSteps));
  const Value zero_point = r.each(Elementwise{Function::kRound}, limited);
  const Value steps = r.each(Elementwise{Function::kRound}, r.each(Div{}, x, scale));
  r.make(0, integers_of(r, r.each(Add{}, steps, zero_point), DType::kUInt8));
  if (r.wants(1)) r.make(1, in_shape(scale, {}));
  if (r.wants(2)) r.make(2, in_shape(integers_of(r, zero_point, DType::kUInt8), {}));
}

// A convolution with the activation behind it.
void fused_conv(Reading& r) {
  std::vector<Value> values = {r.input(0), r.input(1)};
  if (r.has(2)) values.push_back(r.input(2));
  if (r.has(3)) r.node.refuse("is not supported with a sum; without it is");
  std::optional<Value> made = made_of(r, "Conv", values);
  const std::string activation = r.node.text("activation", "");
  const std::vector<float> parameters = r.node.reals("activation_params");
  if (activation == "Relu") return r.make(0, r.each(Relu{}, *made));
  if (activation == "Tanh") return r.make(0, r.each(Tanh{}, *made));
  if (activation == "Sigmoid") return r.make(0, r.each(Logistic{}, *made));
  if (activation == "LeakyRelu" && parameters.size() == 1)
    return r.make(0, r.each(LeakyRelu{parameters[0]}, *made));
  if (activation == "Clip" && parameters.size() == 2)
    return r.make(0, r.each(Minimum{}, r.each(Maximum{}, *made, r.number(parameters[0])),
                            r.number(parameters[1])));
  r.node.refuse(
      fmt::format("is not supported with the activation '{}'; Relu, Clip, LeakyRelu, "
                  "Sigmoid and Tanh are",
                  activation));
}

}  // namespace

bool is_small_integer(DType type) {
  return type == DType::kInt8 || type == DType::kUInt8 || type == DType::kInt16;
}

DType integer_type(const Reading& r, const Value& value) {
  const Value& held = value.reshaped != nullptr ? *value.reshaped : value;
  return held.tensor.valid() && r.network.is_shifted(held.tensor) ? DType::kUInt8 : value.type;
}

Value numbers_of(const Reading& r, const Value& integers) {
  const DType type = integer_type(r, integers);
  if (integers.constant == nullptr) {
    const Value held = r.settled(integers);
    const Quantization& known = r.network[held.tensor].quantization;
    const bool shifted = type != held.type;
    if (!known.scales.empty() && known != one_scale(r, of_themselves(type), shifted)) {
      // Steps from the zero point, which are whole but for rounding.
      const float scale = known.scales[0];
      const int32_t zero = known.zero_points[0] + (shifted ? kUint8Offset : 0);
      const Value steps =
          r.each(Elementwise{Function::kRound},
                 r.each(Div{}, r.each(Dequantize{}, held, DType::kFloat32), r.number(scale)));
      return zero == 0 ? steps : r.each(Add{}, steps, r.number(static_cast<float>(zero)));
    }
  }
  return dequantised(r, integers, of_themselves(integer_type(r, integers)), 0);
}

Value integers_of(const Reading& r, const Value& numbers, DType type) {
  return quantised(r, numbers, of_themselves(type));
}

Value wrapped(const Reading& r, const Value& numbers, DType type) {
  const float range = type == DType::kInt16 ? 65536 : 256;
  const float least = type == DType::kUInt8 ? 0 : -range / 2;
  const Value above = least == 0 ? numbers : r.each(Sub{}, numbers, r.number(least));
  const Value rest = r.each(FloorDiv{.remainder = true}, above, r.number(range));
  return least == 0 ? rest : r.each(Add{}, rest, r.number(least));
}

const ReadNodes& quantised_operators() {
  static const ReadNodes all = {{"QuantizeLinear", quantize_linear},
                                {"DequantizeLinear", dequantize_linear},
                                {"QLinearConv", qlinear_conv},
                                {"QLinearMatMul", qlinear_matmul},
                                {"ConvInteger", conv_integer},
                                {"MatMulInteger", matmul_integer},
                                {"DynamicQuantizeLinear", dynamic},
                                {"com.microsoft.QuantizeLinear", quantize_linear},
                                {"com.microsoft.DequantizeLinear", dequantize_linear},
                                {"com.microsoft.QGemm", qgemm},
                                {"com.microsoft.QLinearAdd", of_two<'+'>},
                                {"com.microsoft.QLinearMul", of_two<'*'>},
                                {"com.microsoft.QLinearAveragePool", qaverage_pool},
                                {"com.microsoft.QLinearGlobalAveragePool", qglobal_average_pool},
                                {"com.microsoft.QLinearSoftmax", qsoftmax},
                                {"com.microsoft.QLinearSigmoid", qsigmoid},
                                {"com.microsoft.QLinearLeakyRelu", qleaky_relu},
                                {"com.microsoft.QLinearConcat", qconcat},
                                {"com.microsoft.FusedConv", fused_conv}};
  return all;
}

}  // namespace thimble::onnx
