// SPDX-License-Identifier: Apache-2.0
// Layers of int8 whose step is a network.
#include <cstring>

#include "thimble/target/kernels/axes.h"
#include "thimble/target/kernels/operands.h"
#include "thimble/target/kernels/rows.h"
#include "thimble/target/kernels/step_program.h"

namespace thimble {

bool supported(const StepLoop&, const Operands& t, Method method) {
  return method == Method::kCompute && t.out().type == DType::kInt8;
}

std::vector<KernelUse> uses(const StepLoop& a, const Operands& t, Method) {
  const StepProgram step = step_program(*a.step);
  const Shape& x = t.in(0).shape;
  const OperandAxes axes = identity_axes(x.size());
  return {{.kernel = portable_kernel(Family::kStepLoop),
           .params = runtime::StepLoopParams{.bytes = nullptr,
                                             .calls = nullptr,
                                             .times = static_cast<int32_t>(x[1]),
                                             .inputs = static_cast<int32_t>(x[2]),
                                             .units = static_cast<int32_t>(t.out().shape[2]),
                                             .state_bytes = static_cast<int32_t>(t.in(1).shape[1]),
                                             .call_count = step.call_count,
                                             .scratch_bytes = step.scratch_bytes,
                                             .reverse = a.reverse ? 1 : 0,
                                             .last_alone = a.last_alone ? 1 : 0,
                                             .products = step.products,
                                             .elements = step.elements},
           .inputs = {0, 1},
           .in = {axes, identity_axes(t.in(1).shape.size())},
           .out = axes,
           .limits = limits_of(axes, t.out().shape)}};
}

namespace {

template <class T>
PackedConstant packed(const char* role, DType type, const std::vector<T>& values) {
  Bytes bytes(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return {role, type, {std::ssize(values)}, std::move(bytes)};
}

std::vector<PackedConstant> pack_step(const Operands& t) {
  const StepProgram step = step_program(*std::get<StepLoop>(t.op.attributes).step);
  return {packed("weights", DType::kInt8, step.bytes), packed("calls", DType::kInt32, step.calls)};
}

template <auto Kernel>
constexpr KernelInfo step_loop_row(const char* name, InstructionSet set) {
  return row<Kernel>({.name = name,
                      .family = Family::kStepLoop,
                      .set = set,
                      .progress = Progress::kNone,
                      .rings = false,
                      .whole_axes = kWholeRegion,
                      .scratch_bytes = bytes_by<runtime::step_loop_scratch_bytes>,
                      .pack = pack_step});
}

}  // namespace

std::span<const KernelInfo> step_loop_rows() {
  using enum InstructionSet;
  static constexpr KernelInfo kRows[] = {
      step_loop_row<runtime::step_loop>("step_loop", kPortable),
      step_loop_row<runtime::step_loop_mve>("step_loop_mve", kMve),
      step_loop_row<runtime::step_loop_dsp>("step_loop_dsp", kDsp),
  };
  return kRows;
}

}  // namespace thimble
