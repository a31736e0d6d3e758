// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/channel_loop.h"

#include <algorithm>

#include "thimble/kernels/kernel.h"
#include "thimble/operators/operators.h"

namespace thimble {
namespace {

bool contains(const std::vector<TensorId>& list, TensorId t) {
  return std::ranges::find(list, t) != list.end();
}

void add_once(std::vector<TensorId>& list, TensorId t) {
  if (!contains(list, t)) list.push_back(t);
}

int64_t channels(const Tensor& tensor) { return tensor.shape.empty() ? 0 : tensor.shape.back(); }

}  // namespace

ChannelLoops::ChannelLoops(const Graph& graph)
    : graph_(graph), consumers_(consumers(graph)), is_output_(graph.tensors.size(), false) {
  for (const Port& port : graph.outputs) is_output_[port.tensor.index()] = true;
  for (const Op& op : graph.ops) {
    std::vector<Relation>& of_op = relations_.emplace_back();
    for (size_t k = 0; k < op.inputs.size(); ++k) of_op.push_back(relation(op, k));
  }
}

ChannelLoops::Relation ChannelLoops::relation(const Op& op, size_t input) const {
  const AccessMap map = access_map(graph_, op);
  const InputMap& from = map[input];
  const Shape& out = graph_.tensor(op.outputs[0]).shape;
  if (from.linear || from.axes.empty() || out.empty()) return Relation::kOther;
  const auto last = static_cast<int>(out.size()) - 1;
  for (size_t axis = 0; axis + 1 < from.axes.size(); ++axis) {
    const auto* affine = std::get_if<Affine>(&from.axes[axis]);
    if (affine != nullptr && affine->out_axis == last) return Relation::kOther;
  }
  const AxisMap& channel = from.axes.back();
  if (std::holds_alternative<Reduced>(channel)) return Relation::kReduced;
  return channel == AxisMap(Affine{.out_axis = last}) ? Relation::kSame : Relation::kOther;
}

std::optional<ChannelLoop> ChannelLoops::loop_of(const std::vector<OpId>& ops) const {
  ChannelLoop loop;
  std::vector<TensorId> partial;
  // Each partial tensor, made here or read from a full one, has the loop's channels.
  const auto takes_part = [&](TensorId t) {
    const int64_t count = channels(graph_.tensor(t));
    if (loop.channels == 0) loop.channels = count;
    return count == loop.channels && count > 1;
  };
  for (const OpId id : ops) {
    const Op& op = graph_.op(id);
    const std::vector<Relation>& relations = relations_[id.index()];
    bool same = false;  // what reads constants alone has no part in it
    bool first = true;
    bool reads_partial = false;
    for (size_t k = 0; k < op.inputs.size(); ++k) {
      const TensorId t = op.inputs[k];
      if (graph_.tensor(t).is_constant()) continue;
      if (contains(loop.accumulated, t)) return std::nullopt;  // not finished before the loop is
      same = (first || same) && relations[k] == Relation::kSame;
      first = false;
      reads_partial = reads_partial || contains(partial, t);
    }
    const TensorId out = op.outputs[0];
    const bool reduces =
        !graph_.tensor(op.inputs[0]).is_constant() && relations[0] == Relation::kReduced;
    const auto here = [&](OpId reader) { return std::ranges::find(ops, reader) != ops.end(); };
    const bool read_here = std::ranges::any_of(consumers_[out.index()], here);
    LoopRole role = LoopRole::kContinue;
    if (reduces && (reads_partial || !read_here)) {
      role = LoopRole::kAccumulate;
      if (!takes_part(op.inputs[0]) || !has_kernel(graph_, op, Method::kAccumulate)) {
        return std::nullopt;
      }
      loop.accumulated.push_back(out);
    } else {
      if (reduces) role = LoopRole::kGenerate;
      if ((!reduces && !same) || !takes_part(out) || graph_.tensor(out).type != DType::kInt8) {
        return std::nullopt;
      }
      partial.push_back(out);
      const bool read_elsewhere =
          is_output_[out.index()] ||
          std::ranges::any_of(consumers_[out.index()], [&](OpId reader) { return !here(reader); });
      (read_elsewhere || !read_here ? loop.concatenated : loop.slices).push_back(out);
    }
    for (const TensorId t : op.inputs) {
      if (graph_.tensor(t).is_constant() || contains(partial, t)) continue;
      if (role == LoopRole::kContinue && !takes_part(t)) return std::nullopt;
      add_once(loop.context, t);
    }
    loop.ops.push_back(id);
    loop.roles.push_back(role);
  }
  // Without a slice nothing is smaller than it was.
  if (loop.slices.empty()) return std::nullopt;
  return loop;
}

int64_t ChannelLoops::own_bytes(const ChannelLoop& loop, int64_t step) const {
  int64_t full = 0;
  for (const TensorId t : loop.concatenated) full += graph_.tensor(t).size_bytes();
  for (const TensorId t : loop.accumulated) {
    full += elements(graph_.tensor(t).shape) * size_bytes(DType::kInt32);
  }
  const auto position = [&](OpId id) { return std::ranges::find(loop.ops, id) - loop.ops.begin(); };
  std::vector<int64_t> sliced(loop.ops.size(), 0);  // bytes of slices while each operator executes
  for (size_t k = 0; k < loop.ops.size(); ++k) {
    const TensorId t = graph_.op(loop.ops[k]).outputs[0];
    if (!contains(loop.slices, t)) continue;
    const int64_t bytes = graph_.tensor(t).size_bytes() / loop.channels * step;
    ptrdiff_t last = static_cast<ptrdiff_t>(k);
    for (const OpId reader : consumers_[t.index()]) last = std::max(last, position(reader));
    for (auto at = static_cast<ptrdiff_t>(k); at <= last; ++at) {
      sliced[static_cast<size_t>(at)] += bytes;
    }
  }
  return full + *std::ranges::max_element(sliced);
}

}  // namespace thimble
