// SPDX-License-Identifier: Apache-2.0
// Random calls of the kernels of networks with variables.
#include <algorithm>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/runtime/cases.h"

namespace thimble::testing {
namespace {

using namespace runtime;
using runtime::Region;

template <class T>
std::shared_ptr<const std::vector<T>> noise(Random& random, int32_t count, int32_t most) {
  std::vector<T> values(static_cast<size_t>(count));
  for (T& value : values) value = static_cast<T>(random.between(-most, most));
  return std::make_shared<const std::vector<T>>(std::move(values));
}

int32_t zero_point(Random& random, DType type) {
  return type == DType::kInt16 ? 0 : random.between(-128, 127);
}

KernelId portable(KernelId kernel) {
  return portable_kernel(info(kernel).family, info(kernel).in, info(kernel).out);
}

Case svdf_features_case(Random& random, KernelId kernel) {
  const int32_t batch = random.between(1, 3), filters = random.between(1, 13),
                depth = random.between(1, 27);
  const auto weights = noise<int8_t>(random, filters * depth, 127);
  const SvdfFeaturesParams p{weights->data(), depth, random.between(-128, 127),
                             zero_point(random, info(kernel).out), random_scale(random, -9, 1)};
  return {.in = {{{1, batch, 1, depth}}},
          .out = {{1, batch, filters, 1}, element_of(info(kernel).out)},
          .run = [=, kept = weights](const Call& call) { run(kernel, p, call); },
          .needed = [depth](const Region& r, Chunk) -> std::vector<Region> {
            return {{{0, r.begin[1], 0, 0}, {1, r.end[1], 1, depth}}};
          },
          .whole = [=, kept = weights](const Call& call) { run(portable(kernel), p, call); }};
}

Case shift_in_case(Random& random, KernelId kernel) {
  const Extents extents = random_extents(random);
  const int32_t axis = random.between(0, 3), count = random.between(1, extents[axis]);
  Extents newest = extents;
  newest[axis] = count;
  const Element element = element_of(info(kernel).in);
  const ShiftInParams p{axis, extents[axis] - count, count};
  return {.in = {{extents, element}, {newest, element}},
          .out = {extents, element},
          .run = [=](const Call& call) { run(kernel, p, call); },
          .needed = [p](const Region& r, Chunk) -> std::vector<Region> {
            const int32_t begin = r.begin[p.axis], end = r.end[p.axis];
            Region of_state = r, of_newest = r;
            of_state.begin[p.axis] = std::min(begin + p.count, p.kept + p.count - 1);
            of_state.end[p.axis] = std::min(end, p.kept) + p.count;
            of_newest.begin[p.axis] = 0;
            of_newest.end[p.axis] = p.count;
            return {of_state, of_newest};
          }};
}

Case svdf_case(Random& random, KernelId kernel) {
  const int32_t batch = random.between(1, 3), units = random.between(1, 5),
                rank = random.between(1, 3), memory = random.between(1, 7);
  const auto bias = noise<int32_t>(random, units, 1000);
  const Element element = element_of(info(kernel).in);
  const SvdfParams p{bias->data(),
                     rank,
                     memory,
                     zero_point(random, info(kernel).in),
                     random.between(-128, 127),
                     random_scale(random, element == Element::kInt16 ? -23 : -9, 1)};
  return {
      .in = {{{1, batch, units * rank, memory}, element}, {{1, 1, units * rank, memory}, element}},
      .out = {{1, batch, units, 1}},
      .run = [=, kept = bias](const Call& call) { run(kernel, p, call); },
      .needed = [p](const Region& r, Chunk) -> std::vector<Region> {
        const int32_t begin = r.begin[2] * p.rank, end = r.end[2] * p.rank;
        return {{{0, r.begin[1], begin, 0}, {1, r.end[1], end, p.memory}},
                {{0, 0, begin, 0}, {1, 1, end, p.memory}}};
      }};
}

// One sequence: the kernel does all that there is.
Case lstm_case(Random& random, KernelId kernel) {
  const int32_t times = random.between(1, 4), inputs = random.between(1, 13),
                units = random.between(1, 9);
  const auto weights = noise<int8_t>(random, 4 * units * inputs, 127);
  const auto recurrent = noise<int8_t>(random, 4 * units * units, 127);
  const auto biases = noise<int32_t>(random, 8 * units, 5000);
  static const std::vector<int16_t> table = [] {
    std::vector<int16_t> values(256);
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<int16_t>(static_cast<uint16_t>(0x8000 + 127 * i));
    return values;
  }();
  LstmParams p{weights->data(), recurrent->data(), biases->data(), table.data()};
  p.times = times;
  p.inputs = inputs;
  p.units = units;
  p.output_zero_point = random.between(-128, 127);
  for (int gate = 0; gate < 4; ++gate) {
    p.input_scale[gate] = random_scale(random, -6, 0);
    p.recurrent_scale[gate] = random_scale(random, -6, 0);
  }
  p.forget_scale = {1 << 30, -14};
  p.update_scale = random_scale(random, -18, -14);
  p.output_scale = random_scale(random, -24, -21);
  p.cell_multiplier = 3;
  p.cell_shift = random.between(0, 2);
  p.cell_limit = random.between(1, 32768);
  return {.in = {{{1, 1, times, inputs}}, {{1, 1, 1, 3 * units}}},
          .out = {{1, 1, 1, (times + 2) * units}},
          .run = [=, kept = std::tuple(weights, recurrent, biases)](
                     const Call& call) { run(kernel, p, call); },
          .needed = [=](const Region&, Chunk) -> std::vector<Region> {
            return {{{0, 0, 0, 0}, {1, 1, times, inputs}}, {{0, 0, 0, 0}, {1, 1, 1, 3 * units}}};
          },
          .whole_channels = true,
          .whole = [=, kept = std::tuple(weights, recurrent, biases)](
                       const Call& call) { run(portable(kernel), p, call); }};
}

Case float_svdf_case(Random& random, KernelId kernel) {
  const int32_t batch = random.between(1, 3), units = random.between(1, 5),
                rank = random.between(1, 3), memory = random.between(1, 7);
  const auto bias = std::make_shared<std::vector<float>>(random_floats(random, units));
  const FloatClampParams clamp = random_float_clamp(random);
  return {
      .in = {{{1, batch, units * rank, memory}, kFloat}, {{1, 1, units * rank, memory}, kFloat}},
      .out = {{1, batch, units, 1}, kFloat},
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
  p.reverse = random.between(0, 1);
  p.cell_limit = random.between(0, 1) == 0 ? kLargestFloat : 0.5F;
  const int32_t times = p.times, inputs = p.inputs, units = p.units;
  const auto of_inputs =
      std::make_shared<const std::vector<T>>(weights(random, int64_t{4} * units * inputs));
  const auto of_hidden =
      std::make_shared<const std::vector<T>>(weights(random, int64_t{4} * units * units));
  const auto biases =
      std::make_shared<const std::vector<float>>(random_floats(random, int64_t{4} * units));
  return {.in = {{{1, 1, times, inputs}, kFloat}, {{1, 1, 1, 2 * units}, kFloat}},
          .out = {{1, 1, 1, (times + 1) * units}, kFloat},
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

/// Some sequences: the kernel does all times of each.
Case recurrent_case(Random& random, KernelId kernel) {
  const Family family = info(kernel).family;
  const int32_t gates = family == Family::kRnn || family == Family::kRnnRelu ? 1 : 3;
  const int32_t batch = random.between(1, 3), times = random.between(1, 4),
                inputs = random.between(1, 13), units = random.between(1, 9);
  const auto floats = [&](int64_t count) {
    return std::make_shared<const std::vector<float>>(random_floats(random, count));
  };
  const auto weights = floats(int64_t{gates} * units * inputs);
  const auto recurrent = floats(int64_t{gates} * units * units);
  const auto biases = floats(int64_t{gates + 1} * units);
  const FloatRecurrentParams p{weights->data(), recurrent->data(),   biases->data(), times, inputs,
                               units,           random.between(0, 1)};
  const auto runs = [=, kept = std::tuple(weights, recurrent, biases)](const Call& call) {
    run(kernel, p, call);
  };
  const bool scratch = info(kernel).scratch_bytes != nullptr;
  return {.in = {{{1, batch, times, inputs}, kFloat}, {{1, 1, batch, units}, kFloat}},
          .out = {{1, batch, times, units}, kFloat},
          .run = runs,
          .needed = [=](const Region& r, Chunk) -> std::vector<Region> {
            return {{{0, r.begin[1], 0, 0}, {1, r.end[1], times, inputs}},
                    {{0, 0, r.begin[1], 0}, {1, 1, r.end[1], units}}};
          },
          .whole_columns = true,
          .whole_channels = true,
          .whole =
              [=](Call call) {
                std::vector<float> space(static_cast<size_t>(units));
                call.scratch = reinterpret_cast<int8_t*>(space.data());
                runs(call);
              },
          .scratch_bytes = scratch ? gru_reset_before_f32_scratch_bytes(p) : 0};
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

std::vector<FamilyCases> recurrent_cases() {
  return {
      {Family::kSvdfFeatures, svdf_features_case},
      {Family::kShiftIn, shift_in_case},
      {Family::kSvdf, svdf_case, float_svdf_case},
      {Family::kLstm, lstm_case,
       [](Random& random, KernelId kernel) {
         return float_lstm_case(random, kernel, FloatLstmParams{}, random_floats);
       }},
      {Family::kLstmHybrid, nullptr, hybrid_lstm_case},
      {Family::kRnn, nullptr, recurrent_case},
      {Family::kRnnRelu, nullptr, recurrent_case},
      {Family::kGru, nullptr, recurrent_case},
      {Family::kGruResetBefore, nullptr, recurrent_case},
  };
}

}  // namespace thimble::testing
