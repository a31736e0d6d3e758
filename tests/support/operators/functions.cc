// SPDX-License-Identifier: Apache-2.0
// Functions of one number, and conversions of types.
#include <cstdint>
#include <iterator>
#include <utility>

#include "tests/support/operators/claims.h"
#include "tests/support/operators/literal.h"
#include "tests/support/operators/op_draw.h"
#include "tests/support/operators/spoil.h"

namespace thimble::testing {

using namespace spoil;

Graph literal_of(const Abs& a) { return Literal().int8(kCube).int8(kCube).op(a); }
Claims claims_of(const Abs&) {
  return {.float32 = true, .refusals = {{"are all int8, all int16 or all float32", [](Graph& g) {
                                           output(g).type = DType::kInt16;
                                         }}}};
}
void OpDraw::make(const Abs&) {
  const TensorId x = some_tensor(some_shape(1, 6));
  op(Abs{}, {x}, at(x).type, quantization_of(at(x).type));
}

Graph literal_of(const Rsqrt& a) { return Literal().int8(kCube).int8(kCube).op(a); }
Claims claims_of(const Rsqrt&) {
  return {.float32 = true,
          .refusals = {{"are all int8, all int16 or all float32",
                        [](Graph& g) { output(g).type = DType::kInt16; }},
                       {"within 2^-11 and 2^30", [](Graph& g) { set_scale(output(g), 1e-9F); }},
                       {"within 2^-11 and 2^30", [](Graph& g) { set_scale(output(g), 3000); }}}};
}
void OpDraw::make(const Rsqrt&) {
  const TensorId x = int8(some_shape(1, 6));
  op(Rsqrt{}, {x}, DType::kInt8, int8_quantization());
}

Graph literal_of(const Elementwise& a) { return Literal().float32(kCube).float32(kCube).op(a); }
Claims claims_of(const Elementwise&) {
  return {.refusals = {
              {"inputs and output are float32", [](Graph& g) { output(g).type = DType::kInt16; }}}};
}
void OpDraw::make(const Elementwise&) {
  const auto function = static_cast<Function>(some(0, static_cast<int64_t>(Function::kSquare)));
  op(Elementwise{function}, {float32(some_shape(1, 6))}, DType::kFloat32, {});
}

Graph literal_of(const Quantize& a) { return Literal().int8(kCube).int8(kCube).op(a); }
Claims claims_of(const Quantize&) {
  return {.refusals = {{"float32->int8", [](Graph& g) { output(g).type = DType::kFloat32; }},
                       {"within the type", [](Graph& g) { output(g).quantization = {}; }},
                       {"(32 bits, with zero point 0)",
                        [](Graph& g) { operand(g, 0).type = DType::kInt32; }}}};
}
void OpDraw::make(const Quantize&) {
  static constexpr std::pair<DType, DType> kPairs[] = {
      {DType::kFloat32, DType::kInt8}, {DType::kFloat32, DType::kInt16},
      {DType::kInt8, DType::kInt8},    {DType::kInt8, DType::kUInt8},
      {DType::kUInt8, DType::kInt8},   {DType::kInt8, DType::kInt16},
      {DType::kInt8, DType::kInt32},   {DType::kInt16, DType::kInt8},
      {DType::kInt32, DType::kInt8},   {DType::kInt16, DType::kInt32},
      {DType::kInt16, DType::kInt16},  {DType::kInt32, DType::kInt16},
  };
  const auto [in, out] = kPairs[some(0, std::size(kPairs) - 1)];
  const TensorId x = tensor(some_shape(1, 6), in, quantization_of(in));
  op(Quantize{}, {x}, out, quantization_of(out));
}

Graph literal_of(const Dequantize& a) {
  return Literal().int8(kCube).tensor(kCube, DType::kFloat32, {}).op(a);
}
Claims claims_of(const Dequantize&) {
  return {.refusals = {{"smaller than 2 GiB", [](Graph& g) { set_all_shapes(g, {1 << 29}); }},
                       {"the output float32", [](Graph& g) { output(g).type = DType::kInt8; }},
                       {"within the type", [](Graph& g) { operand(g, 0).quantization = {}; }}}};
}
void OpDraw::make(const Dequantize&) {
  const DType in = maybe(0.7) ? DType::kInt8 : DType::kInt16;
  const TensorId x = tensor(some_shape(1, 6), in, quantization_of(in));
  op(Dequantize{}, {x}, DType::kFloat32, {});
}

Graph literal_of(const Cast& a) {
  return Literal().int8(kCube).tensor(kCube, DType::kInt32, {}).op(a);
}
Claims claims_of(const Cast&) {
  return {.refusals = {
              {"and the output another one", [](Graph& g) { output(g).type = DType::kInt8; }}}};
}
void OpDraw::make(const Cast&) {
  static constexpr DType kTypes[] = {DType::kInt8, DType::kInt16, DType::kInt32, DType::kFloat32,
                                     DType::kBool};
  const TensorId x = tensor(some_shape(1, 6), kTypes[some(0, 4)], {});
  const bool is_long = at(x).type == DType::kInt32 && maybe(0.3);
  op(Cast{}, {x}, is_long ? DType::kInt64 : kTypes[some(0, 3)], {});
}

}  // namespace thimble::testing
