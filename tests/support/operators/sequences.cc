// SPDX-License-Identifier: Apache-2.0
// Operators with a state.
#include <cmath>
#include <cstdint>

#include "tests/support/operators/claims.h"
#include "tests/support/operators/literal.h"
#include "tests/support/operators/op_draw.h"
#include "tests/support/operators/spoil.h"

namespace thimble::testing {

using namespace spoil;

namespace {

void make_float_lstm(OpDraw& draw, int64_t batch, int64_t times, int64_t inputs, int64_t units) {
  const bool hybrid = draw.maybe(0.5);
  const auto gates = [&](const Shape& shape) {
    const auto zero = static_cast<int32_t>(draw.maybe(0.5) ? 0 : draw.some(-20, 20));
    const Quantization q{{0.01F, 0.02F, 0.005F, 0.1F}, {zero, zero, zero, zero}, 0};
    const TensorId t =
        hybrid ? draw.tensor(shape, DType::kInt8, q) : draw.tensor(shape, DType::kFloat32, {});
    draw.fill(t);
    return t;
  };
  const TensorId x = draw.tensor({batch, times, inputs}, DType::kFloat32, {});
  const TensorId state = draw.tensor({batch, 2 * units}, DType::kFloat32, {});
  const TensorId weights = gates({4, units, inputs}), recurrent = gates({4, units, units});
  const TensorId bias = draw.tensor({4, units}, DType::kFloat32, {});
  draw.fill(bias);
  const Lstm lstm{.real_clip = draw.maybe(0.5) ? 0.25F * static_cast<float>(draw.some(1, 8)) : 0,
                  .reverse = draw.maybe(0.5)};
  draw.op(lstm, {x, state, weights, recurrent, bias}, DType::kFloat32, {});
}

}  // namespace

Graph literal_of(const SvdfFeatures& a) {
  return Literal().int8({2, 4}).weights({6, 4}).int8({2, 6, 1}).op(a);
}
Claims claims_of(const SvdfFeatures&) {
  return {.float32 = true,
          .refusals = {
              {"have 2 axes, the output has 3",
               [](Graph& g) {
                 set_shape(g, 0, {2, 4, 1});
               }},
              {"the output is int8 or int16", [](Graph& g) { operand(g, 0).type = DType::kInt16; }},
              {"the weights are a constant", [](Graph& g) { operand(g, 1).data = nullptr; }},
              {"the weights' zero point is 0",
               [](Graph& g) { operand(g, 1).quantization.zero_points = {1}; }},
              {"as long as one of the input",
               [](Graph& g) {
                 set_shape(g, 0, {2, 5});
               }},
              {"input scale x weight scale / output scale is below 2^30",
               [](Graph& g) { set_scale(output(g), 1e-12F); }}}};
}
void OpDraw::make(const SvdfFeatures&) {
  const int64_t depth = some(1, 12);
  const TensorId x = int8({some(1, 3), depth});
  const TensorId weights = symmetric({some(1, 7), depth}, DType::kInt8, 0.01F);
  Quantization q = quantization_of_sums(at(x).quantization.scales[0] * 0.01F, depth);
  const DType type = some_activation();
  if (type == DType::kInt16) q = {{q.scales[0] / 256}, {0}, 0};
  op(SvdfFeatures{}, {x, weights}, type, q);
}

Graph literal_of(const ShiftIn&) {
  return Literal().int8({2, 6, 4}).int8({2, 2, 4}).int8({2, 6, 4}).op(ShiftIn{1});
}
Claims claims_of(const ShiftIn&) {
  return {.float32 = true,
          .refusals = {{"no more along the axis",
                        [](Graph& g) {
                          set_shape(g, 1, {2, 7, 4});
                        }},
                       {"no more along the axis",
                        [](Graph& g) {
                          set_shape(g, 1, {2, 2, 3});
                        }},
                       {"one of the state's", [](Graph& g) { attributes<ShiftIn>(g).axis = 3; }}}};
}
void OpDraw::make(const ShiftIn&) {
  const DType type = some_activation();
  const Quantization q = quantization_of(type);
  Shape shape = some_shape(1, 5);
  const auto axis = static_cast<size_t>(some(0, static_cast<int64_t>(shape.size()) - 1));
  const TensorId state = tensor(shape, type, q);
  shape[axis] = some(1, shape[axis]);
  op(ShiftIn{static_cast<int>(axis)}, {state, tensor(shape, type, q)}, type, q);
}

Graph literal_of(const SvdfOutput& a) {
  return Literal().int8({2, 6, 4}).weights({6, 4}).bias(3).int8({2, 3}).op(a);
}
Claims claims_of(const SvdfOutput&) {
  return {.float32 = true,
          .refusals = {
              {"there are 3 inputs", [](Graph& g) { op(g).inputs.pop_back(); }},
              {"the state has 3 axes",
               [](Graph& g) {
                 set_shape(g, 0, {12, 4});
               }},
              {"both int8 or both int16", [](Graph& g) { operand(g, 0).type = DType::kInt16; }},
              {"have one positive", [](Graph& g) { set_scale(operand(g, 0), 0); }},
              {"there is no fused activation",
               [](Graph& g) { attributes<SvdfOutput>(g).activation = Activation::kRelu; }},
              {"for every filter and time",
               [](Graph& g) {
                 set_shape(g, 0, {2, 6, 5});
               }},
              {"state scale x weight scale", [](Graph& g) { set_scale(output(g), 1e-12F); }}}};
}
void OpDraw::make(const SvdfOutput&) {
  const DType type = some_activation();
  const int64_t units = some(1, 5), rank = some(1, 3), memory = some(1, 6);
  const TensorId state = tensor({some(1, 3), units * rank, memory}, type, quantization_of(type));
  const float scale = type == DType::kInt16 ? 0.01F / 256 : 0.01F;
  const TensorId weights = symmetric({units * rank, memory}, type, scale);
  const TensorId bias = tensor({units}, DType::kInt32, {});
  fill(bias);
  const float wide = type == DType::kInt16 ? 256 * 256 : 1;
  op(SvdfOutput{}, {state, weights, bias}, DType::kInt8,
     quantization_of_sums(at(state).quantization.scales[0] * scale * wide, rank * memory));
}

Graph literal_of(const Lstm&) {
  const Quantization gates{{0.01F, 0.02F, 0.03F, 0.04F}, {0, 0, 0, 0}, 0};
  return Literal()
      .int8({2, 3, 4})
      .int8({2, 15})
      .constant({4, 5, 4}, DType::kInt8, gates)
      .constant({4, 5, 5}, DType::kInt8, gates)
      .constant({4, 5}, DType::kInt32, {})
      .int8({2, 25})
      .op(Lstm{.cell_scale = 0x1p-11F});
}
Claims claims_of(const Lstm&) {
  return {
      .refusals = {
          {"no peepholes", [](Graph& g) { op(g).inputs.pop_back(); }},
          {"3 axes (batch, time, channels)",
           [](Graph& g) {
             set_shape(g, 0, {6, 4});
           }},
          {"hidden state and output are int8",
           [](Graph& g) { operand(g, 0).type = DType::kInt16; }},
          {"weights and biases are constants", [](Graph& g) { operand(g, 2).data = nullptr; }},
          {"hidden state has the output's", [](Graph& g) { set_scale(operand(g, 1), 0.25F); }},
          {"one scale below 1",
           [](Graph& g) {
             operand(g, 2).quantization = {{0.01F}, {0}, 0};
           }},
          {"between 2^-24 and 2^16", [](Graph& g) { set_scale(operand(g, 0), 1e9F); }},
          {"a power of two", [](Graph& g) { attributes<Lstm>(g).cell_scale = 0.3F; }},
          {"clip is within int16", [](Graph& g) { attributes<Lstm>(g).cell_clip = -1; }},
          {"from the first time to the last", [](Graph& g) { attributes<Lstm>(g).reverse = true; }},
          {"in float32 is a number", [](Graph& g) { attributes<Lstm>(g).real_clip = -1; }},
          {"all be int8, those of each gate with one scale and all with one zero point",
           [](Graph& g) {
             for (const size_t k : {0, 1, 4, 5}) operand(g, k).type = DType::kFloat32;
             operand(g, 3).quantization.zero_points[1] = 1;
           }},
          {"extents that follow from batch", [](Graph& g) {
             set_shape(g, 1, {2, 14});
           }}}};
}
void OpDraw::make(const Lstm&) {
  const int64_t batch = some(1, 2), times = some(1, 4), inputs = some(1, 6), units = some(1, 5);
  if (maybe(0.5)) return make_float_lstm(*this, batch, times, inputs, units);
  const Quantization q = int8_quantization();
  const auto gates = [&](const Shape& shape) {
    const TensorId t = tensor(shape, DType::kInt8, {{0.01F, 0.02F, 0.005F, 0.1F}, {0, 0, 0, 0}});
    fill(t);
    return t;
  };
  const TensorId x = int8({batch, times, inputs});
  const TensorId state = tensor({batch, 3 * units}, DType::kInt8, q);
  const TensorId weights = gates({4, units, inputs}), recurrent = gates({4, units, units});
  const TensorId bias = tensor({4, units}, DType::kInt32, {});
  fill(bias);
  const Lstm lstm{.cell_scale = std::ldexp(1.0F, static_cast<int>(some(-15, -10))),
                  .cell_clip = maybe(0.5) ? static_cast<int32_t>(some(1, 32767)) : 0};
  op(lstm, {x, state, weights, recurrent, bias}, DType::kInt8, q);
}

Graph literal_of(const Recurrent& a) {
  const int64_t gates = gates_of(a.cell);
  return Literal()
      .float32({2, 3, 4})
      .float32({2, 5})
      .constant({gates, 5, 4}, DType::kFloat32, {})
      .constant({gates, 5, 5}, DType::kFloat32, {})
      .constant({biases_of(a.cell), 5}, DType::kFloat32, {})
      .float32({2, 3, 5})
      .op(a);
}
Claims claims_of(const Recurrent&) {
  return {
      .refusals = {
          {"there are 5 inputs", [](Graph& g) { op(g).inputs.pop_back(); }},
          {"3 axes (batch, time, channels), the hidden state 2",
           [](Graph& g) {
             set_shape(g, 0, {6, 4});
           }},
          {"inputs and output are float32", [](Graph& g) { operand(g, 0).type = DType::kInt8; }},
          {"weights and biases are constants", [](Graph& g) { operand(g, 3).data = nullptr; }},
          {"extents that follow from batch",
           [](Graph& g) { attributes<Recurrent>(g).cell = Cell::kGru; }},
          {"the output has the shape", [](Graph& g) {
             set_shape(g, 5, {2, 4, 5});
           }}}};
}
void OpDraw::make(const Recurrent&) {
  const int64_t batch = some(1, 2), times = some(1, 4), inputs = some(1, 6), units = some(1, 5);
  const Recurrent a{.cell = static_cast<Cell>(some(0, 3)), .reverse = maybe(0.5)};
  const int64_t gates = gates_of(a.cell);
  std::vector<TensorId> operands = {float32({batch, times, inputs}), float32({batch, units})};
  for (const Shape& shape :
       {Shape{gates, units, inputs}, Shape{gates, units, units}, Shape{biases_of(a.cell), units}}) {
    operands.push_back(float32(shape));
    fill(operands.back());
  }
  op(a, operands, DType::kFloat32, {});
}

}  // namespace thimble::testing
