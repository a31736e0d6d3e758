// SPDX-License-Identifier: Apache-2.0
#include "thimble/program/estimate.h"

#include <algorithm>
#include <cmath>

#include "thimble/program/arguments.h"

namespace thimble {
namespace {

bool follows_counters(const Call& call) {
  return std::ranges::any_of(call.axes, [](const CallAxis& axis) {
    return !axis.interval.begin.constant() || !axis.interval.end.constant();
  });
}

// Columns from a tile to the next; 0: all tiles have the same.
int32_t advance_of(const Call& call) {
  constexpr size_t kColumns = 2;
  const IndexExpr& begin = call.axes[kColumns].interval.begin;
  if (begin.constant()) return 0;
  const int64_t step = std::abs(begin.terms.back().coefficient);
  return step % begin.divisor == 0 ? static_cast<int32_t>(step / begin.divisor) : 1;
}

// Whether bytes of its output's buffer are some of its first input's. The parts that tiles take of
// these are not told apart.
bool lies_over_input(const Program& program, const Call& call) {
  const PlacedBuffer& out = program.buffer(call.out.buffer);
  if (call.in.empty() || !is_laid_out(out.memory)) return false;
  const PlacedBuffer& in = program.buffer(call.in[0].buffer);
  return in.memory == out.memory && in.address < out.address + out.size_bytes &&
         out.address < in.address + in.size_bytes;
}

}  // namespace

void for_each_call_and_transfer(
    const Program& program,
    const std::function<void(const Call&, const CallShape&, const Counters&)>& visit_call,
    const std::function<void(const TransferCall&, const Counters&)>& visit_transfer) {
  CallShape shape;
  const auto visit = [&](const Call& call, const Counters& counters) {
    if (copies_onto_itself(program, call) || receives(program, call) || delivers(program, call))
      return;
    Arguments now = arguments(call, counters);
    shape.kernel = call.kernel;
    shape.params =
        call.params < 0 ? KernelParams{} : program.params[static_cast<size_t>(call.params)].params;
    shape.in = std::move(now.in);
    shape.out = now.out;
    shape.region = now.region;
    shape.chunk_begin = now.chunk_begin;
    shape.chunk_end = now.chunk_end;
    shape.looped = follows_counters(call);
    shape.advance = advance_of(call);
    shape.over_input = !shape.looped && lies_over_input(program, call);
    visit_call(call, shape, counters);
  };
  execute(program, visit, visit_transfer);
}

void for_each_call(const Program& program,
                   const std::function<void(const Call&, const CallShape&)>& visit) {
  for_each_call_and_transfer(
      program,
      [&](const Call& call, const CallShape& shape, const Counters&) { visit(call, shape); },
      [](const TransferCall&, const Counters&) {});
}

int64_t Estimate::of_step(Position position) const {
  const auto at = static_cast<size_t>(position);
  return at < steps.size() ? std::llround(steps[at]) : 0;
}

std::optional<double> CoreEstimate::milliseconds() const {
  return milliseconds_of(estimate.instructions + estimate.wait_cycles);
}

std::optional<double> CoreEstimate::milliseconds_of(double instructions) const {
  if (clock_hz <= 0) return std::nullopt;
  return 1e3 * instructions / static_cast<double>(clock_hz);
}

Estimate estimate(const Program& program, const LatencyModel& model) {
  Estimate result;
  const KernelCoefficients known(model);
  result.instructions = model.program;
  for_each_call(program, [&](const Call& call, const CallShape& shape) {
    const Features* coefficients = known.coefficients_of(call.kernel);
    if (coefficients == nullptr) {
      result.left_out.insert(info(call.kernel).name);
      return;
    }
    const double instructions = dot(features(shape), *coefficients);
    const auto position = static_cast<size_t>(call.position);
    if (result.steps.size() <= position) result.steps.resize(position + 1);
    result.steps[position] += instructions;
    result.instructions += instructions;
  });
  return result;
}

std::optional<CoreEstimate> estimate_on(const Program& program, const Core& core,
                                        int64_t clock_hz) {
  const std::optional<LatencyModel> model = latency_model(core);
  if (!model) return std::nullopt;
  return CoreEstimate{.core = core.name,
                      .clock_hz = clock_hz,
                      .estimate = estimate(program, *model),
                      .cycles = model->cycles};
}

std::map<std::string, Features> summed_features(const Program& program) {
  std::map<std::string, Features> sums;
  for_each_call(program, [&](const Call& call, const CallShape& shape) {
    const Features counts = features(shape);
    Features& sum = sums.try_emplace(fitted_as(info(call.kernel))).first->second;
    for (size_t k = 0; k < counts.size(); ++k) sum[k] += counts[k];
  });
  return sums;
}

}  // namespace thimble
