// SPDX-License-Identifier: Apache-2.0
// Recurrent layers of int8 whose step is a few operators on rows: all times of a sequence.
#pragma once

#include "thimble_runtime/parameters.h"
#include "thimble_runtime/view.h"

namespace thimble::runtime {

/// What a call of a step makes of one or two rows.
enum StepKind : int32_t {
  kStepProducts,    ///< a fully connected layer
  kStepSum,         ///< AddParams
  kStepDifference,  ///< AddParams
  kStepProduct,     ///< of elements: MulParams
  kStepLookup,      ///< by the table at `in[1]`
  kStepCopy,
};

/// Places of rows count bytes of scratch; below 0: ~place, of `bytes`.
struct StepCall {
  int32_t kind;
  int32_t in[2];  ///< of kStepProducts the second is its weights
  int32_t out, count;
};

/// The parameters of kStepProducts. Behind them: biases less zero point * sum of the weights,
/// multipliers, shifts, `count` numbers of each.
struct StepProducts {
  int32_t columns, output_zero_point, clamp_min, clamp_max;
};

struct StepLoopParams {
  const int8_t* bytes;   ///< weights [out, rounded up to fours][in], tables, constant rows
  const int32_t* calls;  ///< each a StepCall, then its parameters
  int32_t times, inputs, units;
  int32_t state_bytes;  ///< of all states, the first of which has `units`
  int32_t call_count, scratch_bytes, reverse;
  int32_t last_alone;          ///< not 0: the output has one row, after the last step
  int32_t products, elements;  ///< of one time: what it costs
};

/// For each time: a row of x goes to the begin of scratch, the calls are executed, the first state
/// goes to the output. All states lie behind the row of x. Views: x (x, c) is (time, input), state
/// (c) is (byte), out (x, c) is (time, unit). progress: none.
void step_loop(const StepLoopParams& p, const View& x, const View& state, const View& out,
               const Region& region, int8_t* scratch) noexcept;
void step_loop_dsp(const StepLoopParams& p, const View& x, const View& state, const View& out,
                   const Region& region, int8_t* scratch) noexcept;
void step_loop_mve(const StepLoopParams& p, const View& x, const View& state, const View& out,
                   const Region& region, int8_t* scratch) noexcept;
constexpr int32_t step_loop_scratch_bytes(const StepLoopParams& p) noexcept {
  return p.scratch_bytes;
}
constexpr int32_t step_loop_dsp_scratch_bytes(const StepLoopParams& p) noexcept {
  return p.scratch_bytes;
}
constexpr int32_t step_loop_mve_scratch_bytes(const StepLoopParams& p) noexcept {
  return p.scratch_bytes;
}

}  // namespace thimble::runtime
