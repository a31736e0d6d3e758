// SPDX-License-Identifier: Apache-2.0
// Operators of two values and more, element by element.
#include <fmt/format.h>

#include <cmath>

#include "thimble/import/onnx/reading.h"

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

template <class Kind>
void binary(Reading& r) {
  r.make(0, r.each(Kind{}, r.input(0), second(r)));
}

template <class Kind>
void of_all(Reading& r) {
  Value result = r.input(0);
  for (size_t k = 1; k < r.input_count(); ++k) result = r.each(Kind{}, result, r.input(k));
  r.make(0, std::move(result));
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

Value selected(const Reading& r, const Value& condition, const Value& x, const Value& y) {
  const Shape shape = broadcast(r.node, broadcast(r.node, condition.shape, x.shape), y.shape);
  const Order order = same_order(shape.size());
  std::vector<TensorId> inputs;
  for (const Value* value : {&condition, &x, &y})
    inputs.push_back(
        r.network.tensor(r.node, r.network.with_rank(r.node, *value, shape.size()), order));
  return r.value(Select{}, std::move(inputs), x.type, shape, order);
}

void select(Reading& r) { r.make(0, selected(r, r.input(0), r.input(1), r.input(2))); }

Value truth(const Reading& r, bool holds) {
  return r.known(constant_of(Shape{1}, std::vector<int64_t>{holds}, DType::kBool));
}

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

void modulo(Reading& r) {
  if (r.input(0).type == DType::kFloat32 || r.node.whole("fmod", 0) != 0)
    r.node.refuse("is not supported as fmod");
  r.make(0, r.each(FloorDiv{.remainder = true}, r.input(0), r.input(1)));
}

// A constant exponent that something simpler computes.
void power(Reading& r) {
  const Value& x = r.input(0);
  const Constant& exponent = r.constant(1, "exponents");
  if (exponent.size() != 1 || x.type != DType::kFloat32)
    r.node.refuse("is not supported but for numbers of float32 and one exponent");
  const float power = reals(exponent)[0];
  if (power == 1) return r.make(0, x);
  if (power == 2) return r.make(0, r.each(Elementwise{Function::kSquare}, x));
  if (power == 0.5F) return r.make(0, r.each(Elementwise{Function::kSqrt}, x));
  if (power == -0.5F) return r.make(0, r.each(Rsqrt{}, x));
  if (power == 3) {
    const Value square = r.each(Elementwise{Function::kSquare}, x);
    return r.make(0, r.each(Mul{}, square, x));
  }
  r.node.refuse(
      fmt::format("is not supported with an exponent of {}; 1, 2, 3, 0.5 and -0.5 are", power));
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
