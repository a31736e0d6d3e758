// SPDX-License-Identifier: Apache-2.0
// What goes along axes: sums, the largest, norms.
#include <cstdint>

#include "tests/support/operators/claims.h"
#include "tests/support/operators/literal.h"
#include "tests/support/operators/op_draw.h"
#include "tests/support/operators/spoil.h"

namespace thimble::testing {

using namespace spoil;

namespace {

template <class A>
void make_reduction(OpDraw& draw) {
  const TensorId x = draw.some_tensor(draw.some_shape(1, 4));
  const bool keep = draw.maybe(0.5);
  A mean;
  Shape out;
  for (size_t i = 0; i < draw.at(x).shape.size(); ++i) {
    const bool reduced = draw.maybe(0.5);
    if (reduced) mean.axes.push_back(static_cast<int>(i));
    if (keep || !reduced) out.push_back(reduced ? 1 : draw.at(x).shape[i]);
  }
  draw.op(mean, {x}, draw.at(x).type, draw.quantization_of(draw.at(x).type), out);
}

}  // namespace

Graph literal_of(const Mean&) { return Literal().int8({1, 4, 5, 3}).int8({1, 3}).op(Mean{{1, 2}}); }
Claims claims_of(const Mean&) {
  return {.float32 = true,
          .refusals = {
              {"1 to 4 axes", [](Graph& g) { set_shape(g, 0, Shape(5, 1)); }},
              {"each is an axis of the input", [](Graph& g) { attributes<Mean>(g).axes = {4}; }},
              {"at least one axis", [](Graph& g) { attributes<Mean>(g).axes = {}; }},
              {"fewer than 2^23",
               [](Graph& g) {
                 set_shape(g, 0, {1, 1 << 12, 1 << 11, 3});
               }},
              {"within 2^-30 and 2^20", [](Graph& g) { set_scale(output(g), 1e-7F); }}}};
}
void OpDraw::make(const Mean&) { make_reduction<Mean>(*this); }

Graph literal_of(const Sum&) { return Literal().int8({1, 4, 5, 3}).int8({1, 3}).op(Sum{{1, 2}}); }
Claims claims_of(const Sum&) {
  return {
      .float32 = true,
      .refusals = {{"at least one axis is reduced", [](Graph& g) { attributes<Sum>(g).axes = {}; }},
                   {"are all int8, all int16 or all float32",
                    [](Graph& g) { output(g).type = DType::kInt16; }}}};
}
void OpDraw::make(const Sum&) { make_reduction<Sum>(*this); }

Graph literal_of(const ArgMax&) {
  return Literal().int8(kCube).tensor({2, 4}, DType::kInt32, {}).op(ArgMax{1});
}
Claims claims_of(const ArgMax&) {
  return {.refusals = {
              {"the input has 1 to 6 axes", [](Graph& g) { set_all_shapes(g, Shape(7, 1)); }},
              {"the axis is one of the input's", [](Graph& g) { attributes<ArgMax>(g).axis = 3; }},
              {"and the output int32", [](Graph& g) { output(g).type = DType::kInt8; }}}};
}
void OpDraw::make(const ArgMax&) {
  const Shape shape = some_shape(1, 5);
  const TensorId x = maybe(0.7) ? int8(shape) : tensor(shape, DType::kFloat32, {});
  const auto axes = static_cast<int64_t>(at(x).shape.size());
  op(ArgMax{static_cast<int>(some(0, axes - 1)), maybe(0.5), maybe(0.3)}, {x}, DType::kInt32, {});
}

Graph literal_of(const CumSum&) { return Literal().int8(kCube).int8(kCube).op(CumSum{1}); }
Claims claims_of(const CumSum&) {
  return {.float32 = true,
          .refusals = {
              {"the axis is one of the input's", [](Graph& g) { attributes<CumSum>(g).axis = -1; }},
              {"inputs and output are all int8 or all float32",
               [](Graph& g) { output(g).type = DType::kInt16; }},
              {"below 2^19 x output scale", [](Graph& g) { set_scale(output(g), 9e-7F); }}}};
}
void OpDraw::make(const CumSum&) {
  const TensorId x = int8(some_shape(1, 5));
  const auto axes = static_cast<int64_t>(at(x).shape.size());
  op(CumSum{static_cast<int>(some(0, axes - 1)), maybe(0.5), maybe(0.5)}, {x}, DType::kInt8,
     int8_quantization());
}

Graph literal_of(const L2Normalization& a) {
  return Literal().int8(kCube).tensor(kCube, DType::kInt8, {{1.0F / 128}, {0}, 0}).op(a);
}
Claims claims_of(const L2Normalization&) {
  return {
      .float32 = true,
      .refusals = {{"at most 32768 elements",
                    [](Graph& g) { operand(g, 0).shape.back() = output(g).shape.back() = 32769; }},
                   {"scale is 1/128", [](Graph& g) { set_scale(output(g), 1.0F / 127); }}}};
}
void OpDraw::make(const L2Normalization&) {
  op(L2Normalization{}, {int8(some_shape(1, 4))}, DType::kInt8, {{0x1p-7F}, {0}, 0});
}

}  // namespace thimble::testing
