// SPDX-License-Identifier: Apache-2.0
// Products of matrices.
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "tests/support/operators/claims.h"
#include "tests/support/operators/literal.h"
#include "tests/support/operators/op_draw.h"
#include "tests/support/operators/spoil.h"

namespace thimble::testing {

using namespace spoil;

Graph literal_of(const FullyConnected& a) {
  return Literal().int8(kCube).weights({5, 4}).bias(5).int8({2, 3, 5}).op(a);
}
Claims claims_of(const FullyConnected&) {
  return {.float32 = true,
          .refusals = {{"2 or 3 inputs", [](Graph& g) { op(g).inputs.push_back({0}); }},
                       {"the weights have 2",
                        [](Graph& g) {
                          set_shape(g, 1, {5, 1, 4});
                        }},
                       {"trailing axes",
                        [](Graph& g) {
                          set_shape(g, 1, {5, 6});
                        }},
                       {"weights of int16 and float32 inputs are constant",
                        [](Graph& g) {
                          in_float(g);
                          operand(g, 1).data = nullptr;
                        }},
                       {"weights of int16 and float32 inputs are constant",
                        [](Graph& g) {
                          operand(g, 0).type = output(g).type = DType::kInt16;
                          operand(g, 0).quantization.zero_points =
                              output(g).quantization.zero_points = {0};
                          operand(g, 1).data = nullptr;
                        }},
                       {"the bias is a constant", [](Graph& g) { operand(g, 2).data = nullptr; }},
                       {"within int8 (int16 inputs: 0)",
                        [](Graph& g) {
                          operand(g, 0).type = output(g).type = DType::kInt16;
                          operand(g, 0).quantization.zero_points =
                              output(g).quantization.zero_points = {0};
                          operand(g, 1).quantization.zero_points = {5};
                        }},
                       {"are constant and have one scale per output channel", [](Graph& g) {
                          operand(g, 1).quantization = {{1, 1}, {0, 0}, 0};
                        }}}};
}
void OpDraw::make(const FullyConnected&) {
  Shape x = some_shape(1, 4);
  const auto axes = static_cast<int64_t>(x.size());
  const int64_t batch_axes = maybe(0.3) ? 0 : some(0, axes - 1);
  const Shape batch(x.begin(), x.begin() + batch_axes);
  const int64_t channels = some(1, 12);
  const Shape weights{channels, elements(x) / elements(batch)};
  Shape out_shape = maybe(0.5) ? batch : Shape{elements(batch)};
  out_shape.push_back(channels);
  const DType type = some_activation();
  const Quantization out = quantization_of(type);
  std::vector<TensorId> inputs = weighted(tensor(x, type, quantization_of(type)), weights, 0, out);
  Tensor& w = graph_.tensor(inputs[1]);
  if (type == DType::kInt8 && w.quantization.scales.size() == 1 && maybe(0.2)) {
    w.quantization.zero_points[0] = static_cast<int32_t>(some(-20, 20));
    if (maybe(0.5)) w.data = nullptr;
  }
  op(FullyConnected{activation()}, inputs, type, out, out_shape);
}

Graph literal_of(const BatchMatMul&) {
  return Literal().int8({2, 3, 4}).int8({5, 4}).int8({2, 3, 5}).op(BatchMatMul{false, true});
}
Claims claims_of(const BatchMatMul&) {
  return {.float32 = true,
          .refusals = {{"2 to 6 axes", [](Graph& g) { set_shape(g, 1, {4}); }},
                       {"as long as each column",
                        [](Graph& g) {
                          set_shape(g, 1, {4, 5});
                        }},
                       {"aligned at the matrices",
                        [](Graph& g) {
                          set_shape(g, 1, {3, 5, 4});
                        }},
                       {"follows from the inputs",
                        [](Graph& g) {
                          set_shape(g, 2, {2, 5, 3});
                        }},
                       {"below 2^30 (int16: 2^14)", [](Graph& g) { set_scale(output(g), 1e-12F); }},
                       {"stays within 32 bits", [](Graph& g) { set_scale(output(g), 1e-6F); }}}};
}
/// Either may lack leading axes, have extents of 1 there, or be constant.
void OpDraw::make(const BatchMatMul&) {
  const auto batches = static_cast<size_t>(some(0, 3));
  const int64_t rows = some(1, 6), depth = some(1, 12), columns = some(1, 7);
  const bool adjoint_x = maybe(0.4), adjoint_y = maybe(0.4);
  Shape x(batches, 1);
  for (int64_t& extent : x) extent = some(1, 3);
  Shape y(x.begin() + some(0, static_cast<int64_t>(batches)), x.end());
  for (Shape* of : {&x, &y}) {
    for (int64_t& extent : *of) extent = maybe(0.2) ? 1 : extent;
  }
  if (maybe(0.3)) std::swap(x, y);
  const auto add_matrix = [](Shape& shape, bool adjoint, int64_t high, int64_t wide) {
    if (adjoint) std::swap(high, wide);
    shape.insert(shape.end(), {high, wide});
  };
  add_matrix(x, adjoint_x, rows, depth);
  add_matrix(y, adjoint_y, depth, columns);
  const DType type = some_activation();
  const TensorId a = maybe_constant(tensor(x, type, quantization_of(type)), 0.1);
  const TensorId b =
      maybe_constant(tensor(y, type, quantization_of(type)), at(a).is_constant() ? 0 : 0.3);
  Quantization out = quantization_of(type);
  const double spread = type == DType::kInt16 ? 12800 : 50;
  out.scales[0] = at(a).quantization.scales[0] * at(b).quantization.scales[0] *
                  static_cast<float>(spread * std::sqrt(static_cast<double>(depth)));
  op(BatchMatMul{adjoint_x, adjoint_y}, {a, b}, type, out);
}

}  // namespace thimble::testing
