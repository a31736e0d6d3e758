// SPDX-License-Identifier: Apache-2.0
// Functions of one value, element by element.
#include <cmath>
#include <limits>

#include "thimble/import/onnx/choice.h"
#include "thimble/import/onnx/small_integers.h"

namespace thimble::onnx {
namespace {

constexpr float kMost = std::numeric_limits<float>::max();

template <class Kind>
void function(Reading& r) {
  r.make(0, r.each(Kind{}, r.input(0)));
}

template <Function kFunction>
void elementwise(Reading& r) {
  r.make(0, r.each(Elementwise{kFunction}, r.input(0)));
}

void relu(Reading& r) {
  r.make(0, r.fused(0, Activation::kRelu) ? r.input(0) : r.each(Relu{}, r.input(0)));
}

// x clamped to real limits: an activation where there is one of these, else by both.
Value clamped(const Reading& r, const Value& x, float low, float high) {
  const bool to_six = low == 0 && high == 6, to_one = low == 0 && high == 1,
             around_zero = low == -1 && high == 1;
  if (low == 0 && high >= kMost) return r.each(Relu{}, x);
  if (to_six) return r.each(Relu6{}, x);
  if (to_one) return r.each(Relu{Activation::kRelu0To1}, x);
  if (around_zero) return r.each(Relu{Activation::kReluN1To1}, x);
  Value result = x;
  if (low > -kMost) result = r.each(Maximum{}, result, r.number(low));
  if (high < kMost) result = r.each(Minimum{}, result, r.number(high));
  return result;
}

void clip(Reading& r) {
  const auto limit = [&](const char* name, size_t input, float otherwise) {
    if (r.node.has(name)) return r.node.real(name, otherwise);
    if (!r.has(input)) return otherwise;
    const Constant& given = r.constant(input, "limits");
    if (given.size() != 1) r.node.damaged("a limit is not one number");
    return reals(given)[0];
  };
  const float low = limit("min", 1, -kMost), high = limit("max", 2, kMost);
  const bool fused = (low == 0 && high == 6 && r.fused(0, Activation::kRelu6)) ||
                     (low == 0 && high >= kMost && r.fused(0, Activation::kRelu)) ||
                     (low == -1 && high == 1 && r.fused(0, Activation::kReluN1To1));
  const DType type = integer_type(r, r.input(0));
  if (is_small_integer(type))
    return r.make(0, integers_of(r, clamped(r, numbers_of(r, r.input(0)), low, high), type));
  r.make(0, fused ? r.input(0) : clamped(r, r.input(0), low, high));
}

// alpha x + beta, between 0 and 1.
Value hard_sigmoid_of(const Reading& r, const Value& x, float alpha, float beta) {
  const Value scaled = r.each(Mul{}, x, r.number(alpha));
  return clamped(r, r.each(Add{}, scaled, r.number(beta)), 0, 1);
}

void hard_sigmoid(Reading& r) {
  r.make(0, hard_sigmoid_of(r, r.input(0), r.node.real("alpha", 0.2F), r.node.real("beta", 0.5F)));
}

// alpha (e^x - 1) below 0.
void elu(Reading& r) {
  const float alpha = r.node.real("alpha", 1);
  if (alpha == 1) return function<Elu>(r);
  const Value& x = r.input(0);
  const Value below = r.each(Elu{}, r.each(Minimum{}, x, r.number(0)));
  r.make(0, r.each(Add{}, r.each(Relu{}, x), r.each(Mul{}, below, r.number(alpha))));
}

void leaky_relu(Reading& r) {
  r.make(0, r.each(LeakyRelu{r.node.real("alpha", 0.01F)}, r.input(0)));
}

void thresholded(Reading& r) {
  const Value& x = r.input(0);
  const Value above =
      r.each(Comparison{Relation::kGreater}, x, r.number(r.node.real("alpha", 1)), DType::kBool);
  r.make(0, r.each(Mul{}, x, r.each(Cast{}, above, DType::kFloat32)));
}

// (x > 0) - (x < 0)
void sign(Reading& r) {
  const Value& x = r.input(0);
  if (x.type != DType::kFloat32) r.node.refuse("is not supported but for float32");
  const auto is = [&](Relation relation) {
    return r.each(Cast{}, r.each(Comparison{relation}, x, r.number(0), DType::kBool),
                  DType::kFloat32);
  };
  r.make(0, r.each(Sub{}, is(Relation::kGreater), is(Relation::kLess)));
}

// log(1 + e^x)
void softplus(Reading& r) {
  const Value exponential = r.each(Elementwise{Function::kExp}, r.input(0));
  r.make(0, r.each(Elementwise{Function::kLog}, r.each(Add{}, exponential, r.number(1))));
}

void softsign(Reading& r) {
  const Value& x = r.input(0);
  r.make(0, r.each(Div{}, x, r.each(Add{}, r.each(Abs{}, x), r.number(1))));
}

void reciprocal(Reading& r) {
  const Value& x = r.input(0);
  const Constant one = constant_of(Shape(x.rank(), 1), std::vector<float>{1});
  r.make(0, r.each(Div{}, r.known(one), x));
}

void gelu(Reading& r) {
  const std::string how = r.node.text("approximate", "none");
  if (how != "none" && how != "tanh") r.node.damaged("approximate is neither none nor tanh");
  r.make(0, r.each(Gelu{how == "tanh"}, r.input(0)));
}

// x sigmoid(alpha x)
void swish(Reading& r) {
  const Value& x = r.input(0);
  const float alpha = r.node.real("alpha", 1);
  const Value scaled = alpha == 1 ? x : r.each(Mul{}, x, r.number(alpha));
  r.make(0, r.each(Mul{}, x, r.each(Logistic{}, scaled)));
}

// scale (x above 0, alpha (e^x - 1) below)
void selu(Reading& r) {
  const float alpha = r.node.real("alpha", 1.67326324F), gamma = r.node.real("gamma", 1.05070099F);
  const Value& x = r.input(0);
  const Value above = r.each(Relu{}, x);
  const Value below = r.each(Minimum{}, x, r.number(0));
  const Value exponential = r.each(Sub{}, r.each(Elementwise{Function::kExp}, below), r.number(1));
  const Value both = r.each(Add{}, above, r.each(Mul{}, exponential, r.number(alpha)));
  r.make(0, r.each(Mul{}, both, r.number(gamma)));
}

// max(0, x) + min(0, alpha (e^(x / alpha) - 1))
void celu(Reading& r) {
  const float alpha = r.node.real("alpha", 1);
  const Value& x = r.input(0);
  const Value below = r.each(Minimum{}, x, r.number(0));
  const Value exponential =
      r.each(Sub{}, r.each(Elementwise{Function::kExp}, r.each(Mul{}, below, r.number(1 / alpha))),
             r.number(1));
  r.make(0, r.each(Add{}, r.each(Relu{}, x), r.each(Mul{}, exponential, r.number(alpha))));
}

// Only what is not a number differs from itself.
void is_no_number(Reading& r) {
  r.make(0, related(r, Relation::kNotEqual, r.input(0), r.input(0)));
}

void is_infinite(Reading& r) {
  const bool above = r.node.whole("detect_positive", 1) != 0,
             below = r.node.whole("detect_negative", 1) != 0;
  const Value& x = r.input(0);
  const Value most = r.number(kMost);
  if (above && below) return r.make(0, related(r, Relation::kGreater, r.each(Abs{}, x), most));
  if (above) return r.make(0, related(r, Relation::kGreater, x, most));
  if (below) return r.make(0, related(r, Relation::kLess, x, r.number(-kMost)));
  const std::vector<int64_t> never(static_cast<size_t>(elements(x.shape)), 0);
  r.make(0, r.known(constant_of(x.shape, never, DType::kBool)));
}

// x - bias above lambda, x + bias below -lambda, 0 between.
void shrink(Reading& r) {
  const float lambda = r.node.real("lambd", 0.5F), bias = r.node.real("bias", 0);
  const Value& x = r.input(0);
  const Value above = related(r, Relation::kGreater, x, r.number(lambda)),
              below = related(r, Relation::kLess, x, r.number(-lambda));
  const Value lower = selected(r, below, r.each(Add{}, x, r.number(bias)), r.number(0));
  r.make(0, selected(r, above, r.each(Sub{}, x, r.number(bias)), lower));
}

}  // namespace

const ReadNodes& function_operators() {
  static const ReadNodes all = {{"Relu", relu},
                                {"Sigmoid", function<Logistic>},
                                {"Tanh", function<Tanh>},
                                {"HardSwish", function<HardSwish>},
                                {"Abs", function<Abs>},
                                {"Ceil", elementwise<Function::kCeil>},
                                {"Erf", elementwise<Function::kErf>},
                                {"Exp", elementwise<Function::kExp>},
                                {"Floor", elementwise<Function::kFloor>},
                                {"Log", elementwise<Function::kLog>},
                                {"Neg", elementwise<Function::kNeg>},
                                {"Round", elementwise<Function::kRound>},
                                {"Sqrt", elementwise<Function::kSqrt>},
                                {"Celu", celu},
                                {"Clip", clip},
                                {"Elu", elu},
                                {"Gelu", gelu},
                                {"com.microsoft.Gelu", gelu},
                                {"HardSigmoid", hard_sigmoid},
                                {"IsInf", is_infinite},
                                {"IsNaN", is_no_number},
                                {"LeakyRelu", leaky_relu},
                                {"Reciprocal", reciprocal},
                                {"Selu", selu},
                                {"Shrink", shrink},
                                {"Sign", sign},
                                {"Softplus", softplus},
                                {"Softsign", softsign},
                                {"Swish", swish},
                                {"ThresholdedRelu", thresholded}};
  return all;
}

}  // namespace thimble::onnx
