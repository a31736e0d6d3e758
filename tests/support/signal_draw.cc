// SPDX-License-Identifier: Apache-2.0
#include "tests/support/signal_draw.h"

#include <algorithm>
#include <cstring>

namespace thimble::testing {

TensorId SignalDraw::raw_constant(const Shape& shape, DType type) {
  const TensorId t = raw(shape, type);
  fill(t);
  return t;
}

void SignalDraw::make(const SignalWindow&) {
  const TensorId x = raw(some_shape(1, 4), DType::kInt16);
  const TensorId weights = raw_constant({at(x).shape.back()}, DType::kInt16);
  op(SignalWindow{some_bits()}, {x, weights}, DType::kInt16, {});
}

void SignalDraw::make(const SignalAutoShift&) {
  op(SignalAutoShift{}, {raw({some(1, 20)}, DType::kInt16)}, DType::kInt32, {}, Shape{});
}

void SignalDraw::make(const SignalShift&) {
  const TensorId x = raw({some(1, 20)}, DType::kInt16);
  op(SignalShift{}, {x, maybe_constant(raw({}, DType::kInt32), 0.3)}, DType::kInt16, {});
}

void SignalDraw::make(const SignalRfft&) {
  Shape x = some_shape(1, 3);
  const auto size = static_cast<int32_t>(2 * some(2, 50));
  x.back() = some(1, size);
  op(SignalRfft{size}, {raw(x, DType::kInt16)}, DType::kInt16, {});
}

void SignalDraw::make(const SignalIrfft&) {
  Shape x = some_shape(1, 3);
  const auto size = static_cast<int32_t>(2 * some(2, 50));
  x.back() = size + 2;
  op(SignalIrfft{size}, {raw(x, DType::kInt16)}, DType::kInt16, {});
}

void SignalDraw::make(const SignalEnergy&) {
  const int64_t count = some(1, 12), begin = some(0, count);
  op(SignalEnergy{static_cast<int32_t>(begin), static_cast<int32_t>(some(begin, count))},
     {raw({2 * count}, DType::kInt16)}, DType::kUInt32, {});
}

void SignalDraw::make(const SignalFilterBank&) {
  const int64_t bands = some(2, 9), energies = some(1, 20), weights = some(1, 40);
  std::vector<int16_t> first_energy, first_weight, counts;
  for (int64_t k = 0; k < bands; ++k) {
    const int64_t energy = some(0, energies), weight = some(0, weights);
    first_energy.push_back(static_cast<int16_t>(energy));
    first_weight.push_back(static_cast<int16_t>(weight));
    counts.push_back(static_cast<int16_t>(some(0, std::min(energies - energy, weights - weight))));
  }
  std::vector<TensorId> inputs{words(energies), raw_constant({weights}, DType::kInt16),
                               raw_constant({weights}, DType::kInt16)};
  for (const std::vector<int16_t>& values : {first_energy, first_weight, counts}) {
    inputs.push_back(raw({bands}, DType::kInt16));
    Bytes bytes(values.size() * sizeof(int16_t));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    graph_.tensor(inputs.back()).data = std::make_shared<const Bytes>(std::move(bytes));
  }
  op(SignalFilterBank{}, inputs, DType::kUInt64, {});
}

void SignalDraw::make(const SignalSquareRoot&) {
  const TensorId x = raw({some(1, 20)}, DType::kUInt64);
  op(SignalSquareRoot{}, {x, maybe_constant(raw({}, DType::kInt32), 0.3)}, DType::kUInt32, {});
}

void SignalDraw::make(const SignalNoise&) {
  const int64_t count = some(1, 20);
  op(SignalNoise{{some_factor(), some_factor()},
                 {some_factor(), some_factor()},
                 some_bits(),
                 some_bits(),
                 maybe(0.5)},
     {words(count), words(count)}, DType::kUInt32, {});
}

void SignalDraw::make(const SignalSubtraction&) {
  const int64_t count = some(1, 20);
  op(SignalSubtraction{some_factor(), some_bits(), some_bits()}, {words(count), words(count)},
     DType::kUInt32, {});
}

void SignalDraw::make(const SignalPcan&) {
  const int64_t count = some(1, 20);
  const TensorId signal = words(count), noise = words(count);
  op(SignalPcan{static_cast<int32_t>(some(0, 63))},
     {signal, noise, raw_constant({125}, DType::kInt16)}, DType::kUInt32, {});
}

void SignalDraw::make(const SignalLog&) {
  op(SignalLog{static_cast<int32_t>(some(0, 0x7FFFFFFF)), some_bits()}, {words(some(1, 20))},
     DType::kInt16, {});
}

}  // namespace thimble::testing
