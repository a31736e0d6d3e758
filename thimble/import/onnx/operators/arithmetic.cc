// SPDX-License-Identifier: Apache-2.0
// Operators of two values and more, element by element.
#include <fmt/format.h>

#include <cmath>

#include "thimble/import/onnx/choice.h"
#include "thimble/import/onnx/small_integers.h"

namespace thimble::onnx {
namespace {

Value with_axes_behind(Value value, int64_t count) {
  if (count <= 0) return value;
  Value result{.type = value.type, .shape = value.shape};
  result.shape.insert(result.shape.end(), static_cast<size_t>(count), 1);
  if (value.constant != nullptr) {
    Constant content = *value.constant;
    content.shape = result.shape;
    result.constant = std::make_shared<const Constant>(std::move(content));
    result.name = value.name;
  } else {
    result.reshaped = std::make_shared<const Value>(value.reshaped == nullptr ? std::move(value)
                                                                              : *value.reshaped);
  }
  return result;
}

// Before opset 7 the second was stretched to the first where that was said, from an axis on.
Value second(const Reading& r) {
  const Value &x = r.input(0), &y = r.input(1);
  if (r.node.opset >= 7 || r.node.whole("broadcast", 0) == 0 || !r.node.has("axis")) return y;
  const size_t axis = r.node.axis(r.node.whole("axis", 0), x.rank());
  return with_axes_behind(y,
                          std::ssize(x.shape) - static_cast<int64_t>(axis) - std::ssize(y.shape));
}

// A small integer is computed as its number; any other value is itself.
Value operand(const Reading& r, const Value& value) {
  return is_small_integer(value.type) ? numbers_of(r, value) : value;
}

// What became of operands of a type, which wraps around.
Value result_of(const Reading& r, const Value& made, DType type) {
  return is_small_integer(type) ? integers_of(r, wrapped(r, made, type), type) : made;
}

template <class Kind>
void binary(Reading& r) {
  const DType type = integer_type(r, r.input(0));
  if (std::is_same_v<Kind, Mul> && type == DType::kInt16)
    r.node.refuse("is not supported for int16; for int8, uint8, int32 and float32 it is");
  const Value x = operand(r, r.input(0)), y = operand(r, second(r));
  if constexpr (std::is_same_v<Kind, Div>) {
    if (type == DType::kUInt8) return r.make(0, result_of(r, r.each(FloorDiv{}, x, y), type));
    if (is_small_integer(type))
      r.node.refuse(
          fmt::format("is not supported for {}; for uint8, int32 and float32 it is", name(type)));
  }
  r.make(0, result_of(r, r.each(Kind{}, x, y), type));
}

template <class Kind>
void of_all(Reading& r) {
  const DType type = integer_type(r, r.input(0));
  Value result = operand(r, r.input(0));
  for (size_t k = 1; k < r.input_count(); ++k)
    result = r.each(Kind{}, result, operand(r, r.input(k)));
  const bool chooses = std::is_same_v<Kind, Maximum> || std::is_same_v<Kind, Minimum>;
  if (chooses && is_small_integer(type)) return r.make(0, integers_of(r, result, type));
  r.make(0, result_of(r, result, type));
}

void mean_of_inputs(Reading& r) {
  Value sum = r.input(0);
  for (size_t k = 1; k < r.input_count(); ++k) sum = r.each(Add{}, sum, r.input(k));
  r.make(0, r.each(Mul{}, sum, r.number(1 / static_cast<float>(r.input_count()))));
}

template <Relation kRelation>
void comparison(Reading& r) {
  r.make(0, r.each(Comparison{kRelation}, r.input(0), second(r), DType::kBool));
}

void select(Reading& r) { r.make(0, selected(r, r.input(0), r.input(1), r.input(2))); }

void logical_and(Reading& r) { r.make(0, selected(r, r.input(0), r.input(1), truth(r, false))); }
void logical_or(Reading& r) { r.make(0, selected(r, r.input(0), truth(r, true), r.input(1))); }
void logical_not(Reading& r) {
  r.make(0, r.each(Comparison{Relation::kEqual}, r.input(0), truth(r, false), DType::kBool));
}

void prelu(Reading& r) {
  const Value &x = r.input(0), &slope = r.input(1);  // which is stretched to x
  const bool of_channels = r.node.opset < 7 && slope.rank() == 1 && slope.shape[0] > 1;
  r.make(0, r.each(Prelu{}, x,
                   of_channels ? with_axes_behind(slope, std::ssize(x.shape) - 2) : slope));
}

// What is left of x, with its sign: of reals as of positive ones, of integers by the quotient.
Value truncated_remainder(const Reading& r, const Value& x, const Value& y) {
  if (x.type != DType::kFloat32) return r.each(Sub{}, x, r.each(Mul{}, r.each(Div{}, x, y), y));
  const Value rest = r.each(FloorDiv{.remainder = true}, r.each(Abs{}, x), r.each(Abs{}, y));
  const Value is_below = related(r, Relation::kLess, x, r.number(0));
  return selected(r, is_below, r.each(Elementwise{Function::kNeg}, rest), rest);
}

void modulo(Reading& r) {
  const DType type = integer_type(r, r.input(0));
  const Value x = operand(r, r.input(0)), y = operand(r, r.input(1));
  const bool truncates = r.node.whole("fmod", 0) != 0;
  r.make(0, result_of(r,
                      truncates ? truncated_remainder(r, x, y)
                                : r.each(FloorDiv{.remainder = true}, x, y),
                      type));
}

// A constant exponent that something simpler computes; nothing: it is none.
std::optional<Value> simple_power(const Reading& r, const Value& x, const Constant& exponent) {
  if (exponent.size() != 1) return std::nullopt;
  const float power = reals(exponent)[0];
  if (power == 1) return x;
  if (power == 2) return r.each(Elementwise{Function::kSquare}, x);
  if (power == 0.5F) return r.each(Elementwise{Function::kSqrt}, x);
  if (power == -0.5F) return r.each(Rsqrt{}, x);
  if (power == 3) return r.each(Mul{}, r.each(Elementwise{Function::kSquare}, x), x);
  return std::nullopt;
}

// Products wrap around, as integers do.
Value whole_power(const Reading& r, const Value& x, const Value& exponent) {
  constexpr float kMost = 16;
  const std::vector<float> powers =
      exponent.constant == nullptr ? std::vector<float>() : reals(*exponent.constant);
  if (powers.size() != 1 || powers[0] < 1 || powers[0] > kMost ||
      powers[0] != std::floor(powers[0]))
    r.node.refuse(
        fmt::format("is not supported for int32 but with a constant exponent from 1 to {}; for "
                    "float32 it is",
                    kMost));
  Value result = x;
  for (int k = 1; k < static_cast<int>(powers[0]); ++k) result = r.each(Mul{}, result, x);
  return result;
}

void power(Reading& r) {
  const DType type = integer_type(r, r.input(0));
  const Value& x = r.input(0);
  Value exponent = second(r);
  if (type == DType::kInt32) return r.make(0, whole_power(r, x, exponent));
  if (x.type != DType::kFloat32)
    r.node.refuse(fmt::format("is not supported for {}; for float32 it is", name(x.type)));
  if (exponent.constant != nullptr) {
    std::optional<Value> simple = simple_power(r, x, *exponent.constant);
    if (simple) return r.make(0, std::move(*simple));
    exponent = r.known(converted(*exponent.constant, DType::kFloat32));
  } else if (exponent.type != DType::kFloat32) {
    exponent = r.each(Cast{}, exponent, DType::kFloat32);
  }
  r.make(0, r.each(Pow{}, x, exponent));
}

}  // namespace

const ReadNodes& arithmetic_operators() {
  static const ReadNodes all = {{"Add", binary<Add>},
                                {"Sub", binary<Sub>},
                                {"Mul", binary<Mul>},
                                {"Div", binary<Div>},
                                {"Max", of_all<Maximum>},
                                {"Min", of_all<Minimum>},
                                {"Sum", of_all<Add>},
                                {"Mean", mean_of_inputs},
                                {"Mod", modulo},
                                {"Pow", power},
                                {"PRelu", prelu},
                                {"Where", select},
                                {"And", logical_and},
                                {"Or", logical_or},
                                {"Xor", comparison<Relation::kNotEqual>},
                                {"Not", logical_not},
                                {"Equal", comparison<Relation::kEqual>},
                                {"Greater", comparison<Relation::kGreater>},
                                {"GreaterOrEqual", comparison<Relation::kGreaterEqual>},
                                {"Less", comparison<Relation::kLess>},
                                {"LessOrEqual", comparison<Relation::kLessEqual>}};
  return all;
}

}  // namespace thimble::onnx
