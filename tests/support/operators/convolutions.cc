// SPDX-License-Identifier: Apache-2.0
// Convolutions.
#include <algorithm>
#include <cstdint>
#include <limits>

#include "tests/support/operators/claims.h"
#include "tests/support/operators/literal.h"
#include "tests/support/operators/op_draw.h"
#include "tests/support/operators/spoil.h"

namespace thimble::testing {

using namespace spoil;

Graph literal_of(const Conv2D&) {
  const Window w{.kernel_h = 3, .kernel_w = 3, .padding = {.top = 1}};
  return Literal()
      .int8({1, 6, 6, 4})
      .weights({6, 3, 3, 4})
      .bias(6)
      .int8({1, 5, 4, 6})
      .op(Conv2D{w});
}
Claims claims_of(const Conv2D&) {
  return {.float32 = true,
          .refusals = {
              {"2 or 3 inputs", [](Graph& g) { op(g).inputs.resize(1); }},
              {"the bias has 1",
               [](Graph& g) {
                 set_shape(g, 2, {1, 6});
               }},
              {"follows from the inputs",
               [](Graph& g) {
                 set_shape(g, 3, {1, 4, 4, 6});
               }},
              {"follows from the inputs",
               [](Graph& g) {
                 set_shape(g, 0, {1, 6, 2, 4});
               }},
              {"1 to 65535", [](Graph& g) { attributes<Conv2D>(g).window.stride_h = 0; }},
              {"0 to 65535", [](Graph& g) { attributes<Conv2D>(g).window.padding.left = -1; }},
              {"1 to 65535",
               [](Graph& g) { attributes<Conv2D>(g).window.dilation_w = int64_t{1} << 62; }},
              {"high and wide as the weights",
               [](Graph& g) { attributes<Conv2D>(g).window.kernel_h = 2; }},
              {"the weights' input channels divide",
               [](Graph& g) {
                 set_shape(g, 1, {6, 3, 3, 3});
               }},
              {"the number of groups",
               [](Graph& g) {
                 set_shape(g, 1, {6, 3, 3, 1});
               }},
              {"or all are float32",
               [](Graph& g) {
                 in_float(g);
                 operand(g, 1).type = DType::kInt8;
                 set_shape(g, 1, operand(g, 1).shape);
               }},
              {"input and output both int8 or both int16",
               [](Graph& g) { operand(g, 0).type = DType::kInt16; }},
              {"the bias is int32", [](Graph& g) { operand(g, 2).type = DType::kFloat32; }},
              {"weights and bias are constants", [](Graph& g) { operand(g, 1).data = nullptr; }},
              {"(int16: 0)", [](Graph& g) { operand(g, 0).type = output(g).type = DType::kInt16; }},
              {"zero point within int8", [](Graph& g) { output(g).quantization = {}; }},
              {"zero points 0", [](Graph& g) { operand(g, 1).quantization.zero_points = {300}; }},
              {"one scale per output channel",
               [](Graph& g) {
                 operand(g, 1).quantization = {{1, 1, 1, 1, 1}, {0, 0, 0, 0, 0}, 0};
               }},
              {"below 2^30", [](Graph& g) { set_scale(output(g), 1e-12F); }},
              {"one element per output channel", [](Graph& g) { set_shape(g, 2, {5}); }},
              {"stays within 32 bits", [](Graph& g) { set_scale(output(g), 1e-8F); }},
              {"stays within 32 bits",
               [](Graph& g) { set_all(operand(g, 2), std::numeric_limits<int32_t>::max()); }}}};
}
void OpDraw::make(const Conv2D&) {
  Shape x = image();
  const int64_t groups = maybe(0.3) ? some(1, 4) : 1;
  const int64_t per_group = some(1, 17 / groups);
  x[3] = groups * per_group;
  const Window w = window(3);
  const DType type = some_activation();
  const Quantization out = quantization_of(type);
  const Shape weights{groups * some(1, 6), w.kernel_h, w.kernel_w, per_group};
  op(Conv2D{w, activation()}, weighted(tensor(x, type, quantization_of(type)), weights, 0, out),
     type, out);
}

Graph literal_of(const DepthwiseConv2D&) {
  const Window w{.kernel_h = 3, .kernel_w = 3, .stride_h = 2, .stride_w = 2};
  return Literal()
      .int8({1, 6, 6, 2})
      .weights({1, 3, 3, 6})
      .bias(6)
      .int8({1, 2, 2, 6})
      .op(DepthwiseConv2D{w, 3});
}
Claims claims_of(const DepthwiseConv2D&) {
  return {.float32 = true,
          .refusals = {{"have 4 axes",
                        [](Graph& g) {
                          set_shape(g, 0, {6, 6, 2});
                        }},
                       {"whose first extent is 1",
                        [](Graph& g) {
                          set_shape(g, 1, {2, 3, 3, 6});
                        }},
                       {"times the multiplier",
                        [](Graph& g) { attributes<DepthwiseConv2D>(g).multiplier = 2; }},
                       {"one scale per output channel", [](Graph& g) {
                          operand(g, 1).quantization = {{1, 1, 1, 1, 1, 1}, {0, 0, 0, 0, 0, 0}, 0};
                        }}}};
}
void OpDraw::make(const DepthwiseConv2D&) {
  const Shape x = image();
  const int64_t multiplier = maybe(0.5) ? 1 : some(2, 5);
  const Window w = window(3);
  const DType type = some_activation();
  const Quantization out = quantization_of(type);
  const Shape weights{1, w.kernel_h, w.kernel_w, x[3] * multiplier};
  op(DepthwiseConv2D{w, multiplier, activation()},
     weighted(tensor(x, type, quantization_of(type)), weights, 3, out), type, out);
}

Graph literal_of(const TransposeConv&) {
  const Window w{.kernel_h = 3, .kernel_w = 3, .stride_h = 2, .stride_w = 2, .padding = {.top = 1}};
  return Literal()
      .int8({1, 3, 4, 2})
      .weights({6, 3, 3, 2})
      .bias(6)
      .int8({1, 6, 9, 6})
      .op(TransposeConv{w});
}
Claims claims_of(const TransposeConv&) {
  return {.float32 = true,
          .refusals = {{"which have the input's channels",
                        [](Graph& g) { attributes<TransposeConv>(g).window.dilation_h = 2; }},
                       {"at most 65535",
                        [](Graph& g) {
                          set_shape(g, 3, {1, 65536, 9, 6});
                        }},
                       {"or all are float32",
                        [](Graph& g) {
                          const Tensor weights = operand(g, 1);
                          in_float(g);
                          operand(g, 1) = weights;
                        }},
                       {"one per output channel, and zero points 0", [](Graph& g) {
                          operand(g, 1).quantization = {{1}, {5}, 0};
                        }}}};
}
/// Outputs that windows do not reach, and windows that reach beyond them.
void OpDraw::make(const TransposeConv&) {
  const Shape x = image();
  Window w = window(1);
  w.padding.bottom = w.padding.right = 0;
  const DType type = some_activation();
  const Quantization out = quantization_of(type);
  const Shape weights{some(1, 7), w.kernel_h, w.kernel_w, x[3]};
  const Shape y{x[0], std::max<int64_t>(1, x[1] * w.stride_h + some(-2, 3)),
                std::max<int64_t>(1, x[2] * w.stride_w + some(-2, 3)), weights[0]};
  op(TransposeConv{w, activation()},
     weighted(tensor(x, type, quantization_of(type)), weights, 0, out), type, out, y);
}

}  // namespace thimble::testing
