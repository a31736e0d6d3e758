// SPDX-License-Identifier: Apache-2.0
// Random calls of the kernels of the audio front end.
#include <algorithm>
#include <iterator>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/runtime/cases.h"
#include "thimble/reference/signal_tables.h"

namespace thimble::testing {
namespace {

using namespace runtime;
using runtime::Region;

using Shorts = std::shared_ptr<const std::vector<int16_t>>;

Shorts shorts(Random& random, int32_t count) {
  std::vector<int16_t> values(static_cast<size_t>(count));
  for (int16_t& value : values) value = static_cast<int16_t>(random.between(-32768, 32767));
  return std::make_shared<const std::vector<int16_t>>(std::move(values));
}

Region with_channels(Region region, int32_t begin, int32_t end) {
  region.begin[3] = begin;
  region.end[3] = end;
  return region;
}

/// The region of an operand that is one number for all.
constexpr Region kNumber{{0, 0, 0, 0}, {1, 1, 1, 1}};
const Operand kShift{{1, 1, 1, 1}, Element::kInt32, true};

Case window_case(Random& random, KernelId kernel) {
  const Extents extents = random_extents(random);
  const SignalWindowParams p{random.between(0, 31)};
  return {.in = {{extents, Element::kInt16}, {{1, 1, 1, extents[3]}, Element::kInt16, true}},
          .out = {extents, Element::kInt16},
          .run = [=](const Call& call) { run(kernel, p, call); },
          .needed = [](const Region& r, Chunk) -> std::vector<Region> {
            return {r, with_channels(kNumber, r.begin[3], r.end[3])};
          }};
}

Case auto_shift_case(Random& random, KernelId kernel) {
  Extents in = random_extents(random), out = in;
  out[3] = 1;
  const SignalAutoShiftParams p{in[3]};
  return {.in = {{in, Element::kInt16}},
          .out = {out, Element::kInt32},
          .run = [=](const Call& call) { run(kernel, p, call); },
          .needed = [samples = in[3]](const Region& r, Chunk) -> std::vector<Region> {
            return {with_channels(r, 0, samples)};
          },
          .whole_channels = true};
}

/// signal_shift and signal_square_root.
Case shifted_case(Random& random, KernelId kernel) {
  const Extents extents = random_extents(random);
  return {.in = {{extents, element_of(info(kernel).in)}, kShift},
          .out = {extents, element_of(info(kernel).out)},
          .run = [=](const Call& call) { run(kernel, {}, call); },
          .needed = [](const Region& r, Chunk) -> std::vector<Region> {
            return {r, kNumber};
          }};
}

Case rfft_case(Random& random, KernelId kernel) {
  static constexpr int32_t kSizes[] = {4, 6, 8, 10, 12, 16, 18, 20, 24, 30, 32, 40, 64, 90};
  const int32_t size = kSizes[random.between(0, std::size(kSizes) - 1)];
  const bool inverse = info(kernel).family == Family::kSignalIrfft;
  const auto direction = inverse ? reference::Direction::kInverse : reference::Direction::kForward;
  const int32_t samples = inverse ? size : random.between(1, size);
  std::vector<int16_t> values;
  for (const auto& part :
       {reference::twiddles(size / 2, direction), reference::last_twiddles(size, direction)}) {
    for (const reference::Twiddle& w : part) values.insert(values.end(), {w.re, w.im});
  }
  const auto twiddles = std::make_shared<const std::vector<int16_t>>(std::move(values));
  const SignalRfftParams p{twiddles->data(), samples, size};
  const int32_t read = inverse ? size + 2 : samples;
  Extents in{2, random.between(1, 3), random.between(1, 3), read}, out = in;
  out[3] = inverse ? size : size + 2;
  return {.in = {{in, Element::kInt16}},
          .out = {out, Element::kInt16},
          .run = [=, kept = twiddles](const Call& call) { run(kernel, p, call); },
          .needed = [read](const Region& r, Chunk) -> std::vector<Region> {
            return {with_channels(r, 0, read)};
          },
          .whole_channels = true};
}

Case energy_case(Random& random, KernelId kernel) {
  const Extents out = random_extents(random);
  Extents in = out;
  in[3] *= 2;
  const int32_t begin = random.between(0, out[3]);
  const SignalEnergyParams p{begin, random.between(begin, out[3])};
  return {.in = {{in, Element::kInt16}},
          .out = {out, Element::kInt32},
          .run = [=](const Call& call) { run(kernel, p, call); },
          .needed = [](const Region& r, Chunk) -> std::vector<Region> {
            return {with_channels(r, 2 * r.begin[3], 2 * r.end[3])};
          }};
}

Case filter_bank_case(Random& random, KernelId kernel) {
  const int32_t channels = random.between(1, 9), energies = random.between(1, 11),
                count = random.between(1, 40);
  const Shorts weights = shorts(random, count), unweights = shorts(random, count);
  std::vector<int16_t> values;
  for (int32_t band = 0; band <= channels; ++band) {
    const int32_t energy = random.between(0, energies), weight = random.between(0, count);
    const int32_t most = std::min(energies - energy, count - weight);
    for (const int32_t value : {energy, weight, random.between(0, most)})
      values.push_back(static_cast<int16_t>(value));
  }
  const auto bands = std::make_shared<const std::vector<int16_t>>(std::move(values));
  const SignalFilterBankParams p{weights->data(), unweights->data(), bands->data()};
  const Extents in{2, random.between(1, 3), random.between(1, 3), energies};
  return {.in = {{in, Element::kInt32}},
          .out = {{in[0], in[1], in[2], channels}, Element::kInt64},
          .run = [=, kept = std::tuple(weights, unweights, bands)](
                     const Call& call) { run(kernel, p, call); },
          .needed = [energies](const Region& r, Chunk) -> std::vector<Region> {
            return {with_channels(r, 0, energies)};
          }};
}

Case signal_pair_case(Random& random, KernelId kernel, const KernelParams& params,
                      const Shorts& kept = nullptr) {
  const Operand operand{random_extents(random), Element::kInt32};
  return {.in = {operand, operand},
          .out = operand,
          .run =
              [=](const Call& call) {
                (void)kept;
                run(kernel, params, call);
              },
          .needed = [](const Region& r, Chunk) -> std::vector<Region> {
            return {r, r};
          }};
}

Case noise_case(Random& random, KernelId kernel) {
  const auto factor = [&] { return random.between(0, 1 << 20); };
  const SignalNoiseParams p{{factor(), factor()},
                            {factor(), factor()},
                            random.between(0, 31),
                            random.between(0, 31),
                            random.between(0, 1)};
  return signal_pair_case(random, kernel, p);
}

Case log_case(Random& random, KernelId kernel) {
  const auto& values = reference::logarithm_table();
  const SignalLogParams p{values.data(), random.between(0, 0x7FFFFFFF), random.between(0, 31)};
  const Extents extents = random_extents(random);
  return {.in = {{extents, Element::kInt32}},
          .out = {extents, Element::kInt16},
          .run = [=](const Call& call) { run(kernel, p, call); },
          .needed = [](const Region& r, Chunk) -> std::vector<Region> { return {r}; }};
}

Case subtraction_case(Random& random, KernelId kernel) {
  const SignalSubtractionParams p{random.between(0, 1 << 20), random.between(0, 31),
                                  random.between(0, 31)};
  return signal_pair_case(random, kernel, p);
}

Case pcan_case(Random& random, KernelId kernel) {
  const Shorts gains = shorts(random, 125);
  return signal_pair_case(random, kernel, SignalPcanParams{gains->data(), random.between(0, 63)},
                          gains);
}

}  // namespace

std::vector<FamilyCases> signal_cases() {
  return {
      {Family::kSignalWindow, window_case}, {Family::kSignalAutoShift, auto_shift_case},
      {Family::kSignalShift, shifted_case}, {Family::kSignalSquareRoot, shifted_case},
      {Family::kSignalRfft, rfft_case},     {Family::kSignalIrfft, rfft_case},
      {Family::kSignalEnergy, energy_case}, {Family::kSignalFilterBank, filter_bank_case},
      {Family::kSignalNoise, noise_case},   {Family::kSignalSubtraction, subtraction_case},
      {Family::kSignalPcan, pcan_case},     {Family::kSignalLog, log_case},
  };
}

}  // namespace thimble::testing
