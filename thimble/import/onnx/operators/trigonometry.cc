// SPDX-License-Identifier: Apache-2.0
// Functions of angles and of hyperbolas, made of a few. None loses its digits near 0.
#include "thimble/import/onnx/choice.h"

namespace thimble::onnx {
namespace {

template <Function kFunction>
Value made_by(const Reading& r, const Value& x) {
  return r.each(Elementwise{kFunction}, x);
}

template <Function kFunction>
void function_of_angle(Reading& r) {
  r.make(0, made_by<kFunction>(r, r.input(0)));
}

Value one_more(const Reading& r, const Value& x) { return r.each(Add{}, x, r.number(1)); }
Value one_less(const Reading& r, const Value& x) { return r.each(Sub{}, r.number(1), x); }
Value multiplied(const Reading& r, const Value& x, float factor) {
  return r.each(Mul{}, x, r.number(factor));
}

// sin x / cos x
void tangent(Reading& r) {
  const Value& x = r.input(0);
  r.make(0, r.each(Div{}, made_by<Function::kSin>(r, x), made_by<Function::kCos>(r, x)));
}

// atan(x / sqrt((1 - x) (1 + x)))
void arc_sine(Reading& r) {
  const Value& x = r.input(0);
  const Value product = r.each(Mul{}, one_less(r, x), one_more(r, x));
  const Value ratio = r.each(Div{}, x, made_by<Function::kSqrt>(r, product));
  r.make(0, made_by<Function::kAtan>(r, ratio));
}

// 2 atan(sqrt((1 - x) / (1 + x)))
void arc_cosine(Reading& r) {
  const Value& x = r.input(0);
  const Value ratio = r.each(Div{}, one_less(r, x), one_more(r, x));
  const Value half = made_by<Function::kAtan>(r, made_by<Function::kSqrt>(r, ratio));
  r.make(0, multiplied(r, half, 2));
}

// (e^x + e^-x) / 2
Value hyperbolic_cosine_of(const Reading& r, const Value& x) {
  const Value falling = made_by<Function::kExp>(r, made_by<Function::kNeg>(r, x));
  return multiplied(r, r.each(Add{}, made_by<Function::kExp>(r, x), falling), 0.5F);
}

void hyperbolic_cosine(Reading& r) { r.make(0, hyperbolic_cosine_of(r, r.input(0))); }

// tanh x cosh x
void hyperbolic_sine(Reading& r) {
  const Value& x = r.input(0);
  r.make(0, r.each(Mul{}, r.each(Tanh{}, x), hyperbolic_cosine_of(r, x)));
}

// Where |x| is below 0.03, x + c x^3, of which the next term is 1e-7 there at most.
Value with_two_terms_near_zero(const Reading& r, const Value& x, float c, const Value& elsewhere) {
  const Value square = made_by<Function::kSquare>(r, x);
  const Value series = r.each(Mul{}, one_more(r, multiplied(r, square, c)), x);
  const Value is_near = related(r, Relation::kLess, r.each(Abs{}, x), r.number(0.03F));
  return selected(r, is_near, series, elsewhere);
}

// log(|x| + sqrt(x^2 + 1)), with the sign of x
void area_sine(Reading& r) {
  const Value& x = r.input(0);
  const Value root = made_by<Function::kSqrt>(r, one_more(r, made_by<Function::kSquare>(r, x)));
  const Value size = made_by<Function::kLog>(r, r.each(Add{}, r.each(Abs{}, x), root));
  const Value is_below = related(r, Relation::kLess, x, r.number(0));
  const Value value = selected(r, is_below, made_by<Function::kNeg>(r, size), size);
  r.make(0, with_two_terms_near_zero(r, x, -1.0F / 6, value));
}

// log(x + sqrt((x - 1) (x + 1)))
void area_cosine(Reading& r) {
  const Value& x = r.input(0);
  const Value product = r.each(Mul{}, r.each(Sub{}, x, r.number(1)), one_more(r, x));
  const Value sum = r.each(Add{}, x, made_by<Function::kSqrt>(r, product));
  r.make(0, made_by<Function::kLog>(r, sum));
}

// log((1 + x) / (1 - x)) / 2
void area_tangent(Reading& r) {
  const Value& x = r.input(0);
  const Value ratio = r.each(Div{}, one_more(r, x), one_less(r, x));
  const Value value = multiplied(r, made_by<Function::kLog>(r, ratio), 0.5F);
  r.make(0, with_two_terms_near_zero(r, x, 1.0F / 3, value));
}

}  // namespace

const ReadNodes& trigonometric_operators() {
  static const ReadNodes all = {{"Acos", arc_cosine},
                                {"Acosh", area_cosine},
                                {"Asin", arc_sine},
                                {"Asinh", area_sine},
                                {"Atan", function_of_angle<Function::kAtan>},
                                {"Atanh", area_tangent},
                                {"Cos", function_of_angle<Function::kCos>},
                                {"Cosh", hyperbolic_cosine},
                                {"Sin", function_of_angle<Function::kSin>},
                                {"Sinh", hyperbolic_sine},
                                {"Tan", tangent}};
  return all;
}

}  // namespace thimble::onnx
