// SPDX-License-Identifier: Apache-2.0
// Pools.
#include "tests/support/operators/claims.h"
#include "tests/support/operators/literal.h"
#include "tests/support/operators/op_draw.h"
#include "tests/support/operators/spoil.h"

namespace thimble::testing {

using namespace spoil;

namespace {

Window halving() { return {.kernel_h = 2, .kernel_w = 2, .stride_h = 2, .stride_w = 2}; }

}  // namespace

Graph literal_of(const AveragePool2D&) {
  return Literal().int8({1, 6, 6, 3}).int8({1, 3, 3, 3}).op(AveragePool2D{halving()});
}
Claims claims_of(const AveragePool2D&) {
  return {.float32 = true, .refusals = {{"the dilation is 1", [](Graph& g) {
                                           attributes<AveragePool2D>(g).window.dilation_h = 2;
                                         }}}};
}
void OpDraw::make(const AveragePool2D&) {
  const TensorId x = some_tensor(image());
  op(AveragePool2D{window(1), activation()}, {x}, at(x).type, at(x).quantization);
}

Graph literal_of(const MaxPool2D&) {
  return Literal().int8({1, 6, 6, 3}).int8({1, 3, 3, 3}).op(MaxPool2D{halving()});
}
Claims claims_of(const MaxPool2D&) {
  return {.float32 = true,
          .refusals = {{"4 axes (NHWC)",
                        [](Graph& g) {
                          set_all_shapes(g, {6, 6, 3});
                        }},
                       {"padding is less than the window",
                        [](Graph& g) { attributes<MaxPool2D>(g).window.padding.top = 2; }}}};
}
void OpDraw::make(const MaxPool2D&) {
  const TensorId x = some_tensor(image());
  op(MaxPool2D{window(1), activation(), maybe(0.3)}, {x}, at(x).type, at(x).quantization);
}

Graph literal_of(const L2Pool2D&) {
  return Literal().float32({1, 4, 4, 2}).float32({1, 2, 2, 2}).op(L2Pool2D{.window = halving()});
}
Claims claims_of(const L2Pool2D&) {
  return {.refusals = {{"inputs and output are float32",
                        [](Graph& g) { operand(g, 0).type = DType::kInt32; }}}};
}
void OpDraw::make(const L2Pool2D&) {
  op(L2Pool2D{window(1), activation()}, {float32(image())}, DType::kFloat32, {});
}

}  // namespace thimble::testing
