// SPDX-License-Identifier: Apache-2.0
#include "tests/support/sequence_draw.h"

#include <cmath>

namespace thimble::testing {

void SequenceDraw::make(const SvdfFeatures&) {
  const int64_t depth = some(1, 12);
  const TensorId x = int8({some(1, 3), depth});
  const TensorId weights = symmetric({some(1, 7), depth}, DType::kInt8, 0.01F);
  Quantization q = quantization_of_sums(at(x).quantization.scales[0] * 0.01F, depth);
  const DType type = some_activation();
  if (type == DType::kInt16) q = {{q.scales[0] / 256}, {0}, 0};
  op(SvdfFeatures{}, {x, weights}, type, q);
}

void SequenceDraw::make(const ShiftIn&) {
  const DType type = some_activation();
  const Quantization q = quantization_of(type);
  Shape shape = some_shape(1, 5);
  const TensorId state = tensor(shape, type, q);
  shape.back() = 1;
  op(ShiftIn{}, {state, tensor(shape, type, q)}, type, q);
}

void SequenceDraw::make(const SvdfOutput&) {
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

void SequenceDraw::make_float_lstm(int64_t batch, int64_t times, int64_t inputs, int64_t units) {
  const bool hybrid = maybe(0.5);
  const auto gates = [&](const Shape& shape) {
    const auto zero = static_cast<int32_t>(maybe(0.5) ? 0 : some(-20, 20));
    const Quantization q{{0.01F, 0.02F, 0.005F, 0.1F}, {zero, zero, zero, zero}, 0};
    const TensorId t = hybrid ? tensor(shape, DType::kInt8, q) : tensor(shape, DType::kFloat32, {});
    fill(t);
    return t;
  };
  const TensorId x = tensor({batch, times, inputs}, DType::kFloat32, {});
  const TensorId state = tensor({batch, 2 * units}, DType::kFloat32, {});
  const TensorId weights = gates({4, units, inputs}), recurrent = gates({4, units, units});
  const TensorId bias = tensor({4, units}, DType::kFloat32, {});
  fill(bias);
  const Lstm lstm{.real_clip = maybe(0.5) ? 0.25F * static_cast<float>(some(1, 8)) : 0};
  op(lstm, {x, state, weights, recurrent, bias}, DType::kFloat32, {});
}

void SequenceDraw::make(const Lstm&) {
  const int64_t batch = some(1, 2), times = some(1, 4), inputs = some(1, 6), units = some(1, 5);
  if (maybe(0.5)) return make_float_lstm(batch, times, inputs, units);
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

}  // namespace thimble::testing
