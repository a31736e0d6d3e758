// SPDX-License-Identifier: Apache-2.0
// Element by element, of several inputs with broadcasting.
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "tests/support/operators/claims.h"
#include "tests/support/operators/literal.h"
#include "tests/support/operators/op_draw.h"
#include "tests/support/operators/spoil.h"

namespace thimble::testing {

using namespace spoil;

namespace {

/// int8, int16 or int32.
DType some_number(OpDraw& draw) { return draw.maybe(0.2) ? DType::kInt32 : draw.some_activation(); }

/// One of the two may lack leading axes and have extents of 1. alike: all of one quantisation.
template <class A>
void make_binary(OpDraw& draw, DType type = DType::kInt8, bool alike = false,
                 std::optional<DType> out_type = {}) {
  const Shape full = draw.some_shape(1, 6);
  Shape partial = full;
  if (draw.maybe(0.5)) {
    partial.erase(partial.begin(),
                  partial.begin() + draw.some(0, static_cast<int64_t>(full.size())));
    for (int64_t& extent : partial) extent = draw.maybe(0.4) ? 1 : extent;
  }
  const Quantization q = draw.quantization_of(type);
  const auto operand = [&](const Shape& shape) {
    return draw.tensor(shape, type, alike ? q : draw.quantization_of(type));
  };
  std::vector<TensorId> inputs;
  if (draw.maybe(0.1)) {
    const TensorId x = operand(full);
    inputs = {x, x};
  } else {
    const TensorId x = draw.maybe_constant(operand(full), 0.1);
    inputs = {x, draw.maybe_constant(operand(partial), draw.at(x).is_constant() ? 0 : 0.3)};
    if (draw.maybe(0.5)) std::swap(inputs[0], inputs[1]);
  }
  A attributes;
  if constexpr (requires { attributes.activation; }) {
    if (type != DType::kInt32) attributes.activation = draw.activation();
  }
  if constexpr (requires { attributes.relation; })
    attributes.relation = static_cast<Relation>(draw.some(0, 5));
  draw.op(attributes, inputs, out_type.value_or(type),
          out_type ? Quantization{}
          : alike  ? q
                   : draw.quantization_of(type));
}

}  // namespace

Graph literal_of(const Add& a) { return Literal().int8(kCube).int8({4}).int8(kCube).op(a); }
Claims claims_of(const Add&) {
  return {.float32 = true,
          .refusals = {{"bytes of their shape",
                        [](Graph& g) { operand(g, 1).data = std::make_shared<Bytes>(3); }},
                       {"there are 2 inputs", [](Graph& g) { op(g).inputs.pop_back(); }},
                       {"equal or 1", [](Graph& g) { set_shape(g, 1, {5}); }},
                       {"int32 has no fused activation",
                        [](Graph& g) {
                          for (Tensor& t : g.tensors) t.type = DType::kInt32;
                          attributes<Add>(g).activation = Activation::kRelu;
                        }},
                       {"int8 and int16 have one positive, finite scale",
                        [](Graph& g) { output(g).quantization = {}; }},
                       {"zero points of int16 are 0",
                        [](Graph& g) {
                          for (Tensor& t : g.tensors) t.type = DType::kInt16;
                        }},
                       {"2^19 (int16: 2^14) x output scale",
                        [](Graph& g) { set_scale(output(g), 1e-7F); }}}};
}
void OpDraw::make(const Add&) { make_binary<Add>(*this, some_number(*this)); }

Graph literal_of(const Mul& a) { return Literal().int8(kCube).int8({4}).int8(kCube).op(a); }
Claims claims_of(const Mul&) {
  return {.float32 = true, .refusals = {{"2^14 (int16: 1) x output scale", [](Graph& g) {
                                           set_scale(output(g), 1e-6F);
                                         }}}};
}
void OpDraw::make(const Mul&) { make_binary<Mul>(*this, some_number(*this)); }

Graph literal_of(const Sub& a) { return Literal().int8(kCube).int8({4}).int8(kCube).op(a); }
Claims claims_of(const Sub&) {
  return {.float32 = true,
          .refusals = {{"equal or 1", [](Graph& g) { set_shape(g, 1, {5}); }},
                       {"all int8, all int16, all int32 or all float32",
                        [](Graph& g) { operand(g, 1).type = DType::kInt16; }},
                       {"below 2^19 (int16: 2^14) x output scale",
                        [](Graph& g) { set_scale(output(g), 9e-7F); }}}};
}
void OpDraw::make(const Sub&) { make_binary<Sub>(*this, some_number(*this)); }

Graph literal_of(const Div& a) { return Literal().int8(kCube).int8({4}).int8(kCube).op(a); }
Claims claims_of(const Div&) {
  return {
      .refusals = {{"constants of float32 are finite",
                    [](Graph& g) {
                      in_float(g);
                      set_all(operand(g, 1), std::numeric_limits<float>::infinity());
                    }},
                   {"are all int8, all int32 or all float32",
                    [](Graph& g) { output(g).type = DType::kInt16; }},
                   {"below 2^16 x the second's", [](Graph& g) { set_scale(output(g), 1e-5F); }}}};
}
void OpDraw::make(const Div&) {
  make_binary<Div>(*this, maybe(0.3) ? DType::kFloat32 : maybe(0.7) ? DType::kInt8 : DType::kInt32);
}

Graph literal_of(const FloorDiv& a) {
  return Literal().float32(kCube).float32({4}).float32(kCube).op(a);
}
Claims claims_of(const FloorDiv&) {
  return {
      .refusals = {{"inputs and output are all int32 or all float32",
                    [](Graph& g) { operand(g, 0).type = DType::kInt32; }},
                   {"all int32 or all float32", [](Graph& g) { output(g).type = DType::kInt32; }}}};
}
void OpDraw::make(const FloorDiv&) {
  make_binary<FloorDiv>(*this, DType::kFloat32);
  std::get<FloorDiv>(graph_.ops[0].attributes).remainder = maybe(0.5);
}

Graph literal_of(const Pow& a) {
  return Literal().float32(kCube).float32({4}).float32(kCube).op(a);
}
Claims claims_of(const Pow&) {
  return {.refusals = {
              {"inputs and output are float32", [](Graph& g) { output(g).type = DType::kInt32; }}}};
}
void OpDraw::make(const Pow&) { make_binary<Pow>(*this, DType::kFloat32); }

Graph literal_of(const Maximum& a) { return Literal().int8(kCube).int8({4}).int8(kCube).op(a); }
Claims claims_of(const Maximum&) {
  return {.float32 = true,
          .refusals = {{"all int8, all int16, all int32, all float32 or all bool",
                        [](Graph& g) { output(g).type = DType::kBool; }}}};
}
void OpDraw::make(const Maximum&) {
  make_binary<Maximum>(*this, maybe(0.1) ? DType::kBool : some_number(*this), true);
}

Graph literal_of(const Minimum& a) { return Literal().int8(kCube).int8({4}).int8(kCube).op(a); }
Claims claims_of(const Minimum&) { return {.float32 = true}; }
void OpDraw::make(const Minimum&) {
  make_binary<Minimum>(*this, maybe(0.1) ? DType::kBool : some_number(*this), true);
}

Graph literal_of(const SquaredDifference& a) {
  return Literal().int8(kCube).int8({2, 3, 1}).int8(kCube).op(a);
}
Claims claims_of(const SquaredDifference&) {
  return {.float32 = true,
          .refusals = {{"equal or 1", [](Graph& g) { set_shape(g, 1, {5}); }},
                       {"are all int8, all int16 or all float32",
                        [](Graph& g) { output(g).type = DType::kInt16; }},
                       {"below 2^12 (int16: 2^-2) x output scale",
                        [](Graph& g) { set_scale(output(g), 6e-5F); }}}};
}
void OpDraw::make(const SquaredDifference&) {
  make_binary<SquaredDifference>(*this, some_activation());
}

Graph literal_of(const Comparison& a) {
  return Literal().int8(kCube).int8({4}).tensor(kCube, DType::kBool, {}).op(a);
}
Claims claims_of(const Comparison&) {
  return {
      .refusals = {{"both inputs are int8, int32, float32 or bool",
                    [](Graph& g) { output(g).type = DType::kInt8; }},
                   {"scales of int8 are below 1", [](Graph& g) { set_scale(operand(g, 1), 1); }}}};
}
void OpDraw::make(const Comparison&) {
  static constexpr DType kTypes[] = {DType::kInt8, DType::kInt8, DType::kInt32, DType::kFloat32,
                                     DType::kBool};
  make_binary<Comparison>(*this, kTypes[some(0, 4)], false, DType::kBool);
}

Graph literal_of(const Select& a) {
  return Literal().tensor({3, 1}, DType::kBool, {}).int8(kCube).int8({4}).int8(kCube).op(a);
}
Claims claims_of(const Select&) {
  return {
      .refusals = {{"there are 3 inputs", [](Graph& g) { op(g).inputs.pop_back(); }},
                   {"the condition is bool", [](Graph& g) { operand(g, 0).type = DType::kInt8; }},
                   {"the output's scale and zero point",
                    [](Graph& g) { set_scale(operand(g, 2), 0.25F); }}}};
}
/// Any of the three may lack leading axes and have extents of 1.
void OpDraw::make(const Select&) {
  static constexpr DType kTypes[] = {DType::kInt8,  DType::kInt8,  DType::kInt16,
                                     DType::kInt32, DType::kInt64, DType::kFloat32};
  const DType type = kTypes[some(0, 5)];
  const Quantization q = quantization_of(type);
  const Shape full = some_shape(1, 6);
  std::vector<TensorId> inputs;
  for (size_t k = 0; k < 3; ++k) {
    Shape shape = full;
    if (maybe(0.4)) {
      shape.erase(shape.begin(), shape.begin() + some(0, static_cast<int64_t>(full.size())));
      for (int64_t& extent : shape) extent = maybe(0.4) ? 1 : extent;
    }
    const TensorId t = k == 0 ? tensor(shape, DType::kBool, {}) : tensor(shape, type, q);
    inputs.push_back(k == 0 ? t : maybe_constant(t, 0.2));
  }
  op(Select{}, inputs, type, q);
}

}  // namespace thimble::testing
