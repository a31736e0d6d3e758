// SPDX-License-Identifier: Apache-2.0
// Activations.
#include <cstdint>
#include <limits>
#include <memory>

#include "tests/support/operators/claims.h"
#include "tests/support/operators/literal.h"
#include "tests/support/operators/op_draw.h"
#include "tests/support/operators/spoil.h"

namespace thimble::testing {

using namespace spoil;

namespace {

/// Powers of two have a multiplier of their own.
TensorId sigmoid_argument(OpDraw& draw) {
  const Quantization power{{draw.maybe(0.5) ? 0x1p-12F : 0x1p-11F}, {0}, 0};
  return draw.tensor(draw.some_shape(1, 6), DType::kInt16,
                     draw.maybe(0.3) ? power : draw.quantization_of(DType::kInt16));
}

template <class A>
void make_function(OpDraw& draw) {
  draw.op(A{}, {draw.int8(draw.some_shape(1, 6))}, DType::kInt8, draw.int8_quantization());
}

}  // namespace

Graph literal_of(const Relu& a) { return Literal().int8(kCube).int8(kCube).op(a); }
// Refusals that every operator has, too.
Claims claims_of(const Relu&) {
  return {.float32 = true,
          .refusals = {
              {"every operand is a tensor", [](Graph& g) { op(g).inputs[0] = {99}; }},
              {"every operand is a tensor", [](Graph& g) { op(g).outputs[0] = {}; }},
              {"one output", [](Graph& g) { op(g).outputs.clear(); }},
              {"at least one input", [](Graph& g) { op(g).inputs.clear(); }},
              {"not a constant", [](Graph& g) { output(g).data = std::make_shared<Bytes>(24); }},
              {"every extent is at least 1",
               [](Graph& g) {
                 set_all_shapes(g, {2, 0});
               }},
              {"every extent is at least 1",
               [](Graph& g) {
                 set_all_shapes(g, {-2, -3});
               }},
              {"smaller than 2 GiB",
               [](Graph& g) {
                 set_all_shapes(g, {1 << 16, 1 << 15});
               }},
              {"smaller than 2 GiB",
               [](Graph& g) {
                 set_all_shapes(g, {int64_t{1} << 32, int64_t{1} << 32});
               }},
              {"there is 1 input", [](Graph& g) { op(g).inputs.push_back({0}); }},
              {"no operand has more than 6 axes", [](Graph& g) { set_all_shapes(g, Shape(7, 1)); }},
              {"follows from the inputs",
               [](Graph& g) {
                 set_shape(g, 1, {2, 12});
               }},
              {"are all int8, all int16 or all float32",
               [](Graph& g) { output(g).type = DType::kInt16; }},
              {"one positive, finite scale", [](Graph& g) { set_scale(operand(g, 0), 0); }},
              {"one positive, finite scale",
               [](Graph& g) { set_scale(operand(g, 0), std::numeric_limits<float>::infinity()); }},
              {"one positive, finite scale",
               [](Graph& g) { set_scale(operand(g, 0), std::numeric_limits<float>::quiet_NaN()); }},
              {"one positive, finite scale", [](Graph& g) { output(g).quantization = {}; }},
              {"zero point within the type",
               [](Graph& g) { output(g).quantization.zero_points = {128}; }},
              {"RELU_0_TO_1 are not of int16",
               [](Graph& g) {
                 attributes<Relu>(g).range = Activation::kRelu0To1;
                 for (Tensor& t : g.tensors) {
                   t.type = DType::kInt16;
                   t.quantization.zero_points = {0};
                 }
               }},
              {"below 2^22", [](Graph& g) { set_scale(output(g), 1e-8F); }}}};
}
void OpDraw::make(const Relu&) {
  const DType type = some_activation();
  const TensorId x = tensor(some_shape(1, 6), type, quantization_of(type));
  static constexpr Activation kRanges[] = {Activation::kRelu, Activation::kReluN1To1,
                                           Activation::kRelu0To1};
  op(Relu{kRanges[type == DType::kInt16 ? 0 : some(0, 2)]}, {x}, type,
     maybe(0.5) ? at(x).quantization : quantization_of(type));
}

Graph literal_of(const Relu6& a) { return Literal().int8(kCube).int8(kCube).op(a); }
Claims claims_of(const Relu6&) {
  return {
      .float32 = true,
      .refusals = {{"same scale and zero point", [](Graph& g) { set_scale(output(g), 0.25F); }}}};
}
void OpDraw::make(const Relu6&) {
  const DType type = some_activation();
  const TensorId x = tensor(some_shape(1, 6), type, quantization_of(type));
  op(Relu6{}, {x}, type, at(x).quantization);
}

Graph literal_of(const LeakyRelu& a) { return Literal().int8(kCube).int8(kCube).op(a); }
Claims claims_of(const LeakyRelu&) {
  return {.float32 = true,
          .refusals = {{"alpha is finite",
                        [](Graph& g) {
                          attributes<LeakyRelu>(g).alpha = std::numeric_limits<float>::quiet_NaN();
                        }},
                       {"both int8, both int16 or both float32",
                        [](Graph& g) { output(g).type = DType::kInt16; }},
                       {"|alpha|", [](Graph& g) { g.ops[0].attributes = LeakyRelu{-1e30F}; }},
                       {"|alpha|", [](Graph& g) { g.ops[0].attributes = LeakyRelu{1e30F}; }}}};
}
void OpDraw::make(const LeakyRelu&) {
  const DType type = maybe(0.5) ? DType::kInt8 : DType::kInt16;
  const TensorId x = tensor(some_shape(1, 6), type, quantization_of(type));
  op(LeakyRelu{maybe(0.7) ? 0.25F : -1.5F}, {x}, type,
     maybe(0.5) ? at(x).quantization : quantization_of(type));
}

Graph literal_of(const Prelu& a) { return Literal().int8(kCube).int8({3, 1}).int8(kCube).op(a); }
Claims claims_of(const Prelu&) {
  return {
      .float32 = true,
      .refusals = {{"alpha's scale is below 2^14", [](Graph& g) { set_scale(output(g), 1e-5F); }}}};
}
void OpDraw::make(const Prelu&) {
  const DType type = some_activation();
  const TensorId x = tensor(some_shape(1, 6), type, quantization_of(type));
  Shape alpha = at(x).shape;
  for (int64_t& extent : alpha) extent = maybe(0.5) ? 1 : extent;
  alpha.erase(alpha.begin(), alpha.begin() + some(0, static_cast<int64_t>(alpha.size()) - 1));
  const TensorId slope = maybe_constant(tensor(alpha, type, quantization_of(type)), 0.7);
  op(Prelu{}, {x, slope}, type, quantization_of(type));
}

Graph literal_of(const Elu& a) { return Literal().int8(kCube).int8(kCube).op(a); }
Claims claims_of(const Elu&) {
  return {.float32 = true, .refusals = {{"are all int8 or all float32", [](Graph& g) {
                                           output(g).type = DType::kInt16;
                                         }}}};
}
void OpDraw::make(const Elu&) { make_function<Elu>(*this); }

Graph literal_of(const HardSwish& a) { return Literal().int8(kCube).int8(kCube).op(a); }
Claims claims_of(const HardSwish&) {
  return {
      .float32 = true,
      .refusals = {{"within 2^-20 and 2^10", [](Graph& g) { set_scale(operand(g, 0), 0x1p-20F); }},
                   {"127 x output scale", [](Graph& g) { set_scale(output(g), 0.003F); }}}};
}
void OpDraw::make(const HardSwish&) { make_function<HardSwish>(*this); }

Graph literal_of(const Gelu& a) { return Literal().int8(kCube).int8(kCube).op(a); }
Claims claims_of(const Gelu&) {
  return {.refusals = {
              {"inputs and output are all int8 or all float32",
               [](Graph& g) { output(g).type = DType::kInt16; }},
              {"within 2^-100 and 2^100", [](Graph& g) { set_scale(operand(g, 0), 0x1p100F); }},
              {"within 2^-100 and 2^100", [](Graph& g) { set_scale(output(g), 0x1p-100F); }}}};
}
void OpDraw::make(const Gelu&) {
  const TensorId x = int8(some_shape(1, 6));
  op(Gelu{maybe(0.5)}, {x}, DType::kInt8, int8_quantization());
}

Graph literal_of(const Logistic& a) {
  return Literal().int8(kCube).tensor(kCube, DType::kInt8, {{1.0F / 256}, {-128}, 0}).op(a);
}
Claims claims_of(const Logistic&) {
  return {.float32 = true,
          .refusals = {
              {"are all int8, all int16 or all float32",
               [](Graph& g) { output(g).type = DType::kInt16; }},
              {"scale is 1/256", [](Graph& g) { set_scale(output(g), 1.0F / 255); }},
              {"scale is 1/256", [](Graph& g) { output(g).quantization.zero_points = {-127}; }},
              {"above 2^-27", [](Graph& g) { set_scale(operand(g, 0), 0x1p-27F); }}}};
}
void OpDraw::make(const Logistic&) {
  if (maybe(0.7)) {
    op(Logistic{}, {int8(some_shape(1, 6))}, DType::kInt8, {{0x1p-8F}, {-128}, 0});
  } else {
    op(Logistic{}, {sigmoid_argument(*this)}, DType::kInt16, {{0x1p-15F}, {0}, 0});
  }
}

Graph literal_of(const Tanh& a) {
  return Literal().int8(kCube).tensor(kCube, DType::kInt8, {{1.0F / 128}, {0}, 0}).op(a);
}
Claims claims_of(const Tanh&) {
  return {.float32 = true,
          .refusals = {{"scale is 1/128", [](Graph& g) { set_scale(output(g), 1.0F / 127); }},
                       {"above 2^-27", [](Graph& g) { set_scale(operand(g, 0), 0x1p-27F); }}}};
}
void OpDraw::make(const Tanh&) {
  if (maybe(0.7)) {
    op(Tanh{}, {int8(some_shape(1, 6))}, DType::kInt8, {{0x1p-7F}, {0}, 0});
  } else {
    op(Tanh{}, {sigmoid_argument(*this)}, DType::kInt16, {{0x1p-15F}, {0}, 0});
  }
}

Graph literal_of(const Softmax& a) {
  return Literal().int8(kCube).tensor(kCube, DType::kInt8, {{1.0F / 256}, {-128}, 0}).op(a);
}
Claims claims_of(const Softmax&) {
  return {
      .float32 = true,
      .refusals = {
          {"1 to 4 axes", [](Graph& g) { set_all_shapes(g, Shape(5, 1)); }},
          {"beta is finite",
           [](Graph& g) { attributes<Softmax>(g).beta = std::numeric_limits<float>::infinity(); }},
          {"beta x input scale is within 2^-26 and 2^4",
           [](Graph& g) {
             attributes<Softmax>(g).beta = 16 / operand(g, 0).quantization.scales[0];
           }},
          {"beta x input scale is within 2^-26", [](Graph& g) { attributes<Softmax>(g).beta = 0; }},
          {"at most 4095 elements (int16: 65535)",
           [](Graph& g) { operand(g, 0).shape.back() = output(g).shape.back() = 4096; }},
          {"the output int8 or int16, or both are int16 or float32",
           [](Graph& g) { output(g).type = DType::kFloat32; }},
          {"int16 in has zero point 0",
           [](Graph& g) { operand(g, 0).type = output(g).type = DType::kInt16; }},
          {"1/256", [](Graph& g) { set_scale(output(g), 1.0F / 255); }},
          {"1/65536", [](Graph& g) { output(g).type = DType::kInt16; }}}};
}
void OpDraw::make(const Softmax&) {
  const float beta = maybe(0.5) ? 1.0F : static_cast<float>(0.1 + 2 * random_.unit());
  if (maybe(0.3)) {
    op(Softmax{beta}, {tensor(some_shape(1, 4), DType::kInt16, quantization_of(DType::kInt16))},
       DType::kInt16, {{0x1p-15F}, {0}, 0});
    return;
  }
  const TensorId x = int8(some_shape(1, 4));
  if (maybe(0.7)) {
    op(Softmax{beta}, {x}, DType::kInt8, {{0x1p-8F}, {-128}, 0});
  } else {
    op(Softmax{beta}, {x}, DType::kInt16, {{0x1p-16F}, {-32768}, 0});
  }
}

Graph literal_of(const LogSoftmax& a) {
  return Literal().int8(kCube).tensor(kCube, DType::kInt8, {{1.0F / 16}, {127}, 0}).op(a);
}
Claims claims_of(const LogSoftmax&) {
  return {
      .float32 = true,
      .refusals = {{"at most 4095 elements",
                    [](Graph& g) { operand(g, 0).shape.back() = output(g).shape.back() = 4096; }},
                   {"scale is 1/16", [](Graph& g) { set_scale(output(g), 0.0624F); }},
                   {"within 2^-26 and 2^4", [](Graph& g) { set_scale(operand(g, 0), 16); }}}};
}
void OpDraw::make(const LogSoftmax&) {
  op(LogSoftmax{}, {int8(some_shape(1, 4))}, DType::kInt8, {{0x1p-4F}, {127}, 0});
}

}  // namespace thimble::testing
