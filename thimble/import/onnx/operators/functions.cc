// SPDX-License-Identifier: Apache-2.0
// Functions of one value, element by element.
#include <cmath>
#include <limits>

#include "thimble/import/onnx/reading.h"

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

void elu(Reading& r) {
  if (r.node.real("alpha", 1) != 1) r.node.refuse("is not supported with another alpha than 1");
  function<Elu>(r);
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

}  // namespace

const ReadNodes& function_operators() {
  static const ReadNodes all = {{"Relu", relu},
                                {"Sigmoid", function<Logistic>},
                                {"Tanh", function<Tanh>},
                                {"HardSwish", function<HardSwish>},
                                {"Abs", function<Abs>},
                                {"Ceil", elementwise<Function::kCeil>},
                                {"Cos", elementwise<Function::kCos>},
                                {"Exp", elementwise<Function::kExp>},
                                {"Floor", elementwise<Function::kFloor>},
                                {"Log", elementwise<Function::kLog>},
                                {"Neg", elementwise<Function::kNeg>},
                                {"Round", elementwise<Function::kRound>},
                                {"Sin", elementwise<Function::kSin>},
                                {"Sqrt", elementwise<Function::kSqrt>},
                                {"Celu", celu},
                                {"Clip", clip},
                                {"Elu", elu},
                                {"Gelu", gelu},
                                {"com.microsoft.Gelu", gelu},
                                {"HardSigmoid", hard_sigmoid},
                                {"LeakyRelu", leaky_relu},
                                {"Reciprocal", reciprocal},
                                {"Selu", selu},
                                {"Sign", sign},
                                {"Softplus", softplus},
                                {"Softsign", softsign},
                                {"Swish", swish},
                                {"ThresholdedRelu", thresholded}};
  return all;
}

}  // namespace thimble::onnx
