// SPDX-License-Identifier: Apache-2.0
#include "thimble/program/call_form.h"

#include <fmt/format.h>

#include <algorithm>

#include "thimble/program/arguments.h"
#include "thimble/program/parameter_fault.h"

namespace thimble {
std::string describe(const Graph& graph, TensorId t) {
  return fmt::format("tensor {} ('{}')", t.value, graph.tensor(t).name);
}

std::string describe(const Graph& graph, const Call& call) {
  return fmt::format("step {} ({})", call.position,
                     call.op.valid() ? label(graph.op(call.op)) : "copy");
}

CallForms::CallForms(const Graph& graph, const Program& program)
    : graph_(graph), program_(program), loop_counts_(loop_counts(program)) {
  for (const ProgramPort& port : program.inputs) inputs_.insert(port.buffer);
}

const std::vector<KernelUse>& CallForms::uses_of(const Call& call) {
  const auto [it, added] = uses_.try_emplace({call.op, call.method});
  if (!added) return it->second;
  if (!has_kernel(graph_, graph_.op(call.op), call.method))
    throw Fault{describe(graph_, call) + ": no kernel executes its operator that way"};
  return it->second = kernel_uses(graph_, graph_.op(call.op), call.method);
}

Walk CallForms::walk(const Call& call) {
  if (!call.op.valid()) return identity_walk(graph_.tensor(call.out.tensor).shape);
  const std::vector<KernelUse>& uses = uses_of(call);
  const auto number = static_cast<size_t>(call.use);
  if (number >= uses.size()) throw Fault{describe(graph_, call) + ": no such call of its kernel"};
  const KernelUse& use = uses[number];
  if (!does(call.kernel, use) || use.inputs != call.operands || use.in.size() != call.in.size()) {
    throw Fault{describe(graph_, call) + ": not the kernel or the operands that do its operator"};
  }
  return {use.in, use.out, {}};
}

void CallForms::check(const Call& call, const Walk& walk) {
  if (!checked_.insert(&call).second) return;
  const std::vector<TensorId> wanted = operands_of(call);
  if (wanted.size() != call.in.size())
    throw Fault{describe(graph_, call) + ": wrong number of operands"};
  for (size_t k = 0; k < wanted.size(); ++k) {
    const DType own_type = graph_.tensor(wanted[k]).type;
    const bool accumulators = call.method == Method::kFinalise;
    check_view(call, call.in[k], wanted[k],
               accumulators ? accumulator_type(graph_, wanted[k]) : own_type);
    check_broadcast(call, call.in[k], walk.in[k]);
  }
  check_written(call);
  const TensorId out = call.op.valid() ? graph_.op(call.op).outputs[0] : call.out.tensor;
  const bool accumulate = call.method == Method::kAccumulate;
  check_view(call, call.out, out,
             accumulate ? accumulator_type(graph_, out) : graph_.tensor(out).type);
  if (receives(program_, call) || delivers(program_, call)) check_rows(call, walk);
  const KernelInfo& kernel = info(call.kernel);
  if (call.op.valid() && ((kernel.dense_channels && call.in[0].stride.back() != 1) ||
                          (kernel.dense_output && call.out.stride.back() != 1)))
    throw Fault{describe(graph_, call) + ": its kernel takes channels side by side"};
  check_scratch(call);
  if (const std::string fault = width_fault(graph_, call, walk, loop_counts_); !fault.empty())
    throw Fault{describe(graph_, call) + ": " + fault, true};
  if (call.op.valid()) {
    const std::string fault = parameter_fault(graph_, program_, call);
    if (!fault.empty()) throw Fault{describe(graph_, call) + ": " + fault};
  } else if (call.params >= 0) {
    throw Fault{describe(graph_, call) + ": a copy takes no parameters"};
  } else if (call.method == Method::kInPlace) {
    check_copy_in_place(call);
  } else if (call.kernel != copy_kernel(call.out.type)) {
    throw Fault{describe(graph_, call) + ": not the copy of its type"};
  }
}

void CallForms::check_written(const Call& call) const {
  check_exists(call, call.out.buffer);
  const MemoryId memory = program_.memory_of(call.out.buffer);
  if (memory == kFlash) throw Fault{describe(graph_, call) + ": writes a constant"};
  if (!is_laid_out(memory) && inputs_.contains(call.out.buffer))
    throw Fault{describe(graph_, call) + ": writes the caller's input"};
  const bool streams = std::ranges::any_of(
      call.in, [&](const OperandView& view) { return program_.memory_of(view.buffer) == kStream; });
  if (call.op.valid() && (streams || memory == kStream))
    throw Fault{describe(graph_, call) + ": computes from or into rows of the caller's"};
}

// The caller brings and takes rows in one piece: row-major, with all of their columns and channels.
void CallForms::check_rows(const Call& call, const Walk& walk) const {
  const OperandView& held = receives(program_, call) ? call.out : call.in[0];
  const Shape& shape = graph_.tensor(held.tensor).shape;
  const size_t row = stream_axis(shape);
  const auto fixed = [](const BiasTerm& term) { return term.expr.constant(); };
  if (receives(program_, call) &&
      !(std::ranges::all_of(held.bias, fixed) && std::ranges::all_of(held.channel, fixed)))
    throw Fault{describe(graph_, call) + ": where a row belongs depends on when it comes"};
  int64_t pitch = 1;
  for (size_t k = kKernelAxes; k-- > row + 1;) {
    const std::vector<int>& axis = walk.out.axes[walk.out.axes.size() - kKernelAxes + k];
    const int64_t extent = axis.empty() ? 1 : shape[static_cast<size_t>(axis[0])];
    const CallAxis& a = call.axes[k];
    const bool all = a.interval.begin.constant() && a.interval.end.constant() &&
                     std::max(a.interval.begin.base, a.limits.begin) == 0 &&
                     std::min(a.interval.end.base, a.limits.end) == extent;
    if (!all || (extent > 1 && held.stride[k] != pitch))
      throw Fault{describe(graph_, call) + ": rows of the caller's do not lie in one piece"};
    pitch *= extent;
  }
}

void CallForms::check_scratch(const Call& call) {
  int64_t needed = 0;
  if (call.op.valid())
    needed = least_scratch_bytes(call.kernel, uses_of(call)[static_cast<size_t>(call.use)]);
  if ((needed > 0) != call.scratch.valid()) {
    throw Fault{fmt::format("{}: {}", describe(graph_, call),
                            needed > 0 ? "has no scratch" : "has scratch that no kernel needs")};
  }
  if (needed == 0) return;
  check_exists(call, call.scratch);
  const KernelParams& params = program_.params[static_cast<size_t>(call.params)].params;
  if (const auto* packed = std::get_if<runtime::DepthwiseConv2DPackedParams>(&params))
    needed = std::max(needed, int64_t{packed->scratch_bytes});
  const PlacedBuffer& scratch = program_.buffers[call.scratch.index()];
  const int64_t alignment = size_bytes(info(call.kernel).scratch_type);
  if (scratch.tensor.valid() || !is_laid_out(scratch.memory) || scratch.size_bytes < needed ||
      program_.address(call.scratch) % alignment != 0)
    throw Fault{fmt::format("{}: needs {} bytes of scratch, aligned to {}", describe(graph_, call),
                            needed, alignment)};
}

void CallForms::check_order(const Call& call, const Counters& counters) const {
  const auto ordered = [&](const CallAxis& axis) {
    const Interval i = evaluate(axis.interval, counters);
    if (i.begin > i.end || axis.limits.begin > axis.limits.end) {
      throw Fault{fmt::format("{}: [{}, {}) ends before it begins", describe(graph_, call), i.begin,
                              i.end)};
    }
  };
  for (const CallAxis& axis : call.axes) ordered(axis);
  if (call.chunk) ordered(*call.chunk);
}

// All that the kernel takes for granted.
void CallForms::check_copy_in_place(const Call& call) const {
  if (info(call.kernel).family != Family::kTransposeInPlace || size_bytes(call.out.type) != 1)
    throw Fault{describe(graph_, call) + ": not the copy in place of its type"};
  if (program_.memory_of(call.in[0].buffer) != program_.memory_of(call.out.buffer))
    throw Fault{describe(graph_, call) + ": is in place, but goes to another memory"};
  const int64_t from = program_.address(call.in[0].buffer);
  const int64_t to = program_.address(call.out.buffer);
  if (from != to) {
    throw Fault{
        fmt::format("{}: is in place, but goes from {} to {}", describe(graph_, call), from, to)};
  }
  Shape extents;
  for (const CallAxis& axis : call.axes) extents.push_back(axis.limits.size());
  bool fixed = true;
  for (const OperandView* view : {&call.in[0], &call.out})
    fixed = fixed && view->bias.empty() && view->channel.empty() && view->modulus == 0;
  if (!fixed || !transposes_in_place(extents, call.in[0].stride, call.out.stride))
    throw Fault{describe(graph_, call) + ": its buffers are no matrix and its transpose"};
}

std::vector<TensorId> CallForms::operands_of(const Call& call) const {
  if (!call.op.valid()) return {call.out.tensor};
  const Op& op = graph_.op(call.op);
  if (call.method == Method::kFinalise) return {op.outputs[0]};
  std::vector<TensorId> result;
  for (int input : call.operands) result.push_back(op.inputs[static_cast<size_t>(input)]);
  return result;
}

void CallForms::check_view(const Call& call, const OperandView& view, TensorId wanted,
                           DType type) const {
  if (view.tensor != wanted || view.type != type) {
    throw Fault{fmt::format("{}: takes {} for {}", describe(graph_, call),
                            describe(graph_, view.tensor), describe(graph_, wanted))};
  }
  check_buffer(call, view);
  if (const ProgramConstant* constant = program_.constant(view.buffer); constant != nullptr) {
    const Tensor& t = graph_.tensor(wanted);
    if (!t.is_constant() || constant->content.data != *t.data)
      throw Fault{describe(graph_, call) + ": reads the wrong constant"};
  }
  if (program_.address(view.buffer) % size_bytes(type) != 0) {
    throw Fault{fmt::format("{}: {} lies unaligned at {}", describe(graph_, call),
                            describe(graph_, wanted), program_.address(view.buffer))};
  }
}

void CallForms::check_exists(const Call& call, BufferId buffer) const {
  if (!buffer.valid() || buffer.index() >= program_.buffers.size())
    throw Fault{describe(graph_, call) + ": a view of no buffer"};
}

// What the view says of its buffer is what the buffer is, and kernels reach its memory.
void CallForms::check_buffer(const Call& call, const OperandView& view) const {
  check_exists(call, view.buffer);
  const PlacedBuffer& buffer = program_.buffers[view.buffer.index()];
  // Constants with the same bytes share them.
  const bool shown = buffer.tensor == view.tensor || program_.constant(view.buffer) != nullptr;
  if (!shown || buffer.type != view.type || buffer.ring != (view.modulus != 0)) {
    throw Fault{fmt::format("{}: shows {} otherwise than buffer {} holds it",
                            describe(graph_, call), describe(graph_, view.tensor),
                            view.buffer.value)};
  }
  const ProgramMemory& memory = program_.memory(buffer.memory);
  if (memory.kind == MemoryKind::kBlockStorage)
    throw Fault{fmt::format("{}: no kernel reaches {}", describe(graph_, call), memory.name)};
  if (buffer.ring && !info(call.kernel).rings)
    throw Fault{
        fmt::format("{}: {} takes no ring", describe(graph_, call), info(call.kernel).name)};
}

// The kernel goes along all of its axes, also where the operand has none.
void CallForms::check_broadcast(const Call& call, const OperandView& view,
                                const OperandAxes& walk) const {
  const size_t lead = walk.axes.size() - view.stride.size();
  for (size_t axis = 0; axis < view.stride.size(); ++axis) {
    if (walk.axes[lead + axis].empty() && view.stride[axis] != 0) {
      throw Fault{fmt::format("{}: {} is broadcast along axis {}, but has stride {}",
                              describe(graph_, call), describe(graph_, view.tensor), axis,
                              view.stride[axis])};
    }
  }
}

void CallForms::check_region(const Call& call, const Walk& walk, const Region& region) {
  const Region limits = limits_of(call, walk);
  Region computed;
  for (int64_t at : walk.leading) computed.push_back({at, at + 1});
  computed.insert(computed.end(), region.begin(), region.end());
  if (computed.size() != limits.size() || !contains(limits, computed)) {
    throw Fault{fmt::format("{} computes {}, beyond its part {}", describe(graph_, call),
                            to_string(computed), to_string(limits))};
  }
  for (size_t axis = 0; axis < kKernelAxes; ++axis) {
    if (!info(call.kernel).whole_axes[axis]) continue;
    if (region[axis] != limits[limits.size() - kKernelAxes + axis]) {
      throw Fault{fmt::format("{} computes {}, but its kernel does all of axis {}",
                              describe(graph_, call), to_string(computed), axis)};
    }
  }
}

Region CallForms::limits_of(const Call& call, const Walk& walk) {
  if (call.op.valid()) return uses_of(call)[static_cast<size_t>(call.use)].limits;
  const Shape& shape = graph_.tensor(call.out.tensor).shape;
  Region limits;
  for (const std::vector<int>& axis : walk.out.axes) {
    limits.push_back({0, axis.empty() ? 1 : shape[static_cast<size_t>(axis[0])]});
  }
  return limits;
}

}  // namespace thimble
