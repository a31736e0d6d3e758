// SPDX-License-Identifier: Apache-2.0
// Random calls of the kernels of float32 of networks with variables.
#include <memory>

#include "tests/runtime/cases.h"

namespace thimble::testing {
namespace {

using namespace runtime;
using runtime::Region;

constexpr Element kFloatElement = Element::kFloat32;

Case float_svdf_case(Random& random, KernelId kernel) {
  const int32_t batch = random.between(1, 3), units = random.between(1, 5),
                rank = random.between(1, 3), memory = random.between(1, 7);
  const auto bias = std::make_shared<std::vector<float>>(random_floats(random, units));
  const FloatClampParams clamp = random_float_clamp(random);
  return {.in = {{{1, batch, units * rank, memory}, kFloatElement},
                 {{1, 1, units * rank, memory}, kFloatElement}},
          .out = {{1, batch, units, 1}, kFloatElement},
          .run =
              [=](const Call& call) {
                run(kernel,
                    FloatSvdfParams{bias->data(), rank, memory, clamp.clamp_min, clamp.clamp_max},
                    call);
              },
          .needed = [=](const Region& r, Chunk) -> std::vector<Region> {
            const int32_t begin = r.begin[2] * rank, end = r.end[2] * rank;
            return {{{0, r.begin[1], begin, 0}, {1, r.end[1], end, memory}},
                    {{0, 0, begin, 0}, {1, 1, end, memory}}};
          }};
}

/// One sequence: the kernel does all that there is.
template <class Params, class T>
Case float_lstm_case(Random& random, KernelId kernel, Params p,
                     std::vector<T> (*weights)(Random&, int64_t)) {
  p.times = random.between(1, 4);
  p.inputs = random.between(1, 13);
  p.units = random.between(1, 9);
  p.cell_limit = random.between(0, 1) == 0 ? kLargestFloat : 0.5F;
  const int32_t times = p.times, inputs = p.inputs, units = p.units;
  const auto of_inputs =
      std::make_shared<const std::vector<T>>(weights(random, int64_t{4} * units * inputs));
  const auto of_hidden =
      std::make_shared<const std::vector<T>>(weights(random, int64_t{4} * units * units));
  const auto biases =
      std::make_shared<const std::vector<float>>(random_floats(random, int64_t{4} * units));
  return {.in = {{{1, 1, times, inputs}, kFloatElement}, {{1, 1, 1, 2 * units}, kFloatElement}},
          .out = {{1, 1, 1, (times + 1) * units}, kFloatElement},
          .run =
              [=](const Call& call) {
                Params bound = p;
                bound.weights = of_inputs->data();
                bound.recurrent = of_hidden->data();
                bound.biases = biases->data();
                run(kernel, bound, call);
              },
          .needed = [=](const Region&, Chunk) -> std::vector<Region> {
            return {{{0, 0, 0, 0}, {1, 1, times, inputs}}, {{0, 0, 0, 0}, {1, 1, 1, 2 * units}}};
          },
          .whole_channels = true};
}

std::vector<int8_t> random_weights(Random& random, int64_t count) {
  std::vector<int8_t> values;
  for (; count > 0; --count) values.push_back(static_cast<int8_t>(random.between(-128, 127)));
  return values;
}

Case hybrid_lstm_case(Random& random, KernelId kernel) {
  HybridLstmParams p{};
  for (int gate = 0; gate < 4; ++gate) {
    p.input_scale[gate] = static_cast<float>(random.between(1, 100)) / 4096;
    p.recurrent_scale[gate] = static_cast<float>(random.between(1, 100)) / 4096;
  }
  for (int32_t& zero : p.zero_point) zero = random.between(-128, 127);
  return float_lstm_case(random, kernel, p, random_weights);
}

}  // namespace

Case float_recurrent_case(KernelId kernel, Random& random) {
  switch (info(kernel).family) {
    case Family::kSvdf:
      return float_svdf_case(random, kernel);
    case Family::kLstm:
      return float_lstm_case(random, kernel, FloatLstmParams{}, random_floats);
    default:
      return hybrid_lstm_case(random, kernel);
  }
}

}  // namespace thimble::testing
