// SPDX-License-Identifier: Apache-2.0
// Random calls of the kernels of a step for all times of a sequence.
#include <cstring>
#include <memory>
#include <vector>

#include "tests/runtime/cases.h"

namespace thimble::testing {
namespace {

using namespace runtime;
using runtime::Region;

/// The constants of a layer's step, call by call.
struct Step {
  std::vector<int8_t> bytes;
  std::vector<int32_t> calls;
  int32_t count = 0;

  template <class Struct>
  void append(const Struct& numbers) {
    const size_t begin = calls.size();
    calls.resize(begin + sizeof(numbers) / sizeof(int32_t));
    std::memcpy(calls.data() + begin, &numbers, sizeof(numbers));
  }
  void call(const StepCall& call) {
    ++count;
    append(call);
  }
  /// Noise; where it is.
  int32_t constant(Random& random, int32_t size) {
    const auto place = ~static_cast<int32_t>(bytes.size());
    for (; size > 0; --size) bytes.push_back(static_cast<int8_t>(random.between(-127, 127)));
    return place;
  }
  void layer(Random& random, int32_t x, int32_t columns, int32_t out, int32_t units) {
    const int32_t rows = (units + 3) / 4 * 4;
    call({kStepProducts, {x, constant(random, rows * columns)}, out, units});
    append(StepProducts{columns, random.between(-20, 20), -100, 120});
    std::vector<Scale> scales;
    for (int32_t k = 0; k < units; ++k) {
      calls.push_back(random.between(-3000, 3000));
      scales.push_back(random_scale(random, -9, -5));
    }
    for (const Scale& scale : scales) calls.push_back(scale.multiplier);
    for (const Scale& scale : scales) calls.push_back(scale.shift);
  }
};

AddParams random_sum(Random& random) {
  return {.left_shift = 20,
          .zero_point = {random.between(-128, 127), random.between(-128, 127)},
          .output_zero_point = random.between(-128, 127),
          .scale = {{1 << 30, 0}, random_scale(random, -2, 0)},
          .output_scale = random_scale(random, -20, -18),
          .clamp_min = -128,
          .clamp_max = 127};
}

// Two layers of `units` rows, whose results are combined in every way; the state of them.
Case step_loop_case(Random& random, KernelId kernel) {
  const int32_t times = random.between(1, 4), inputs = random.between(1, 13),
                units = random.between(1, 11);
  const int32_t state = inputs, a = state + units, b = a + units, end = b + units;
  Step step;
  step.layer(random, 0, inputs, a, units);
  step.layer(random, state, units, b, units);
  step.call({kStepSum, {a, b}, a, units});
  step.append(random_sum(random));
  step.call({kStepLookup, {a, step.constant(random, 256)}, a, units});
  step.call({kStepDifference, {step.constant(random, units), b}, b, units});
  step.append(random_sum(random));
  step.call({kStepProduct, {a, b}, a, units});
  step.append(MulParams{{random.between(-128, 127), random.between(-128, 127)},
                        random.between(-128, 127),
                        random_scale(random, -7, -5),
                        -128,
                        127});
  step.call({kStepCopy, {a, 0}, state, units});
  const auto kept = std::make_shared<const Step>(std::move(step));
  const StepLoopParams p{.bytes = kept->bytes.data(),
                         .calls = kept->calls.data(),
                         .times = times,
                         .inputs = inputs,
                         .units = units,
                         .state_bytes = units,
                         .call_count = kept->count,
                         .scratch_bytes = end,
                         .reverse = random.between(0, 1),
                         .last_alone = random.between(0, 1)};
  const KernelId portable = portable_kernel(Family::kStepLoop);
  return {.in = {{{1, 1, times, inputs}}, {{1, 1, 1, units}}},
          .out = {{1, 1, p.last_alone != 0 ? 1 : times, units}},
          .run = [=](const Call& call) { run(kernel, p, call); },
          .needed = [=](const Region&, Chunk) -> std::vector<Region> {
            return {{{0, 0, 0, 0}, {1, 1, times, inputs}}, {{0, 0, 0, 0}, {1, 1, 1, units}}};
          },
          .whole_columns = true,
          .whole_channels = true,
          .whole =
              [=, held = kept](Call call) {
                std::vector<int8_t> scratch(static_cast<size_t>(end));
                call.scratch = scratch.data();
                run(portable, p, call);
              },
          .scratch_bytes = end};
}

}  // namespace

std::vector<FamilyCases> step_loop_cases() { return {{Family::kStepLoop, step_loop_case}}; }

}  // namespace thimble::testing
