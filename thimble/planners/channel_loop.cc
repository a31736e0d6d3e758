// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/channel_loop.h"

#include <algorithm>
#include <iterator>

#include "thimble/operators/operators.h"
#include "thimble/target/kernels/kernel.h"

namespace thimble {
namespace {

bool lists(const std::vector<TensorId>& list, TensorId t) {
  return std::ranges::find(list, t) != list.end();
}

void add_once(std::vector<TensorId>& list, TensorId t) {
  if (!lists(list, t)) list.push_back(t);
}

int64_t channels(const Tensor& tensor) { return tensor.shape.empty() ? 0 : tensor.shape.back(); }

}  // namespace

ChannelLoops::ChannelLoops(const Graph& graph)
    : graph_(graph),
      consumers_(consumers(graph)),
      is_output_(graph.tensors.size(), false),
      makes_slices_(graph.tensors.size(), false) {
  for (const Port& port : graph.outputs) is_output_[port.tensor.index()] = true;
  for (const Op& op : graph.ops) {
    std::vector<TensorId>& read = activations_.emplace_back();
    std::ranges::copy_if(op.inputs, std::back_inserter(read),
                         [&](TensorId t) { return !graph.tensor(t).is_constant(); });
    relations_.push_back(relation(op));
    accumulates_.push_back(relations_.back() == Relation::kReduced &&
                           has_kernel(graph, op, Method::kAccumulate));
    makes_slices_[op.outputs[0].index()] = relations_.back() != Relation::kOther;
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

ChannelLoops::Relation ChannelLoops::relation(const Op& op) const {
  const auto constant = [&](size_t k) { return graph_.tensor(op.inputs[k]).is_constant(); };
  if (!constant(0) && relation(op, 0) == Relation::kReduced) return Relation::kReduced;
  bool reads = false;
  for (size_t k = 0; k < op.inputs.size(); ++k) {
    if (constant(k)) continue;
    if (relation(op, k) != Relation::kSame) return Relation::kOther;
    reads = true;
  }
  return reads ? Relation::kSame : Relation::kOther;
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
  const auto here = [&](OpId reader) { return std::ranges::find(ops, reader) != ops.end(); };
  for (const OpId id : ops) {
    const Op& op = graph_.op(id);
    const TensorId out = op.outputs[0];
    const std::vector<TensorId>& read = activations_[id.index()];
    const std::vector<OpId>& readers = consumers_[out.index()];
    const Relation relation = relations_[id.index()];
    const bool read_here = std::ranges::any_of(readers, here);
    const bool reads_partial =
        std::ranges::any_of(read, [&](TensorId t) { return lists(partial, t); });
    for (const TensorId t : read) {  // not finished before the loop is
      if (lists(loop.accumulated, t)) return std::nullopt;
    }
    LoopRole role = relation == Relation::kReduced ? LoopRole::kGenerate : LoopRole::kContinue;
    if (relation == Relation::kReduced && (reads_partial || !read_here)) {
      role = LoopRole::kAccumulate;
      if (!takes_part(op.inputs[0]) || !accumulates_[id.index()]) return std::nullopt;
      loop.accumulated.push_back(out);
    } else {
      const bool sliceable =
          relation != Relation::kOther && graph_.tensor(out).type == DType::kInt8;
      if (!sliceable || !takes_part(out)) return std::nullopt;
      partial.push_back(out);
      const bool read_here_alone =
          read_here && !is_output_[out.index()] && std::ranges::all_of(readers, here);
      (read_here_alone ? loop.slices : loop.concatenated).push_back(out);
    }
    for (const TensorId t : read) {
      if (lists(partial, t)) continue;
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

int64_t ChannelLoops::most_slices(TensorId t) const {
  const Tensor& tensor = graph_.tensor(t);
  const std::vector<OpId>& readers = consumers_[t.index()];
  const auto may_read = [&](OpId op) { return relations_[op.index()] != Relation::kOther; };
  const bool possible = makes_slices_[t.index()] && !is_output_[t.index()] && !readers.empty() &&
                        tensor.type == DType::kInt8 && std::ranges::all_of(readers, may_read);
  return possible ? std::max<int64_t>(channels(tensor), 1) : 1;
}

int64_t ChannelLoops::full_bytes(const ChannelLoop& loop, DType sums,
                                 const std::vector<int64_t>& size_bytes) const {
  int64_t full = 0;
  for (const TensorId t : loop.concatenated) full += size_bytes[t.index()];
  for (const TensorId t : loop.accumulated) {
    full += elements(graph_.tensor(t).shape) * thimble::size_bytes(sums);
  }
  return full;
}

int64_t ChannelLoops::slice_bytes(const ChannelLoop& loop) const {
  const auto position = [&](OpId id) { return std::ranges::find(loop.ops, id) - loop.ops.begin(); };
  std::vector<int64_t> sliced(loop.ops.size(), 0);  // bytes of slices while each operator executes
  for (size_t k = 0; k < loop.ops.size(); ++k) {
    const TensorId t = graph_.op(loop.ops[k]).outputs[0];
    if (!lists(loop.slices, t)) continue;
    const int64_t bytes = graph_.tensor(t).size_bytes() / loop.channels;
    ptrdiff_t last = static_cast<ptrdiff_t>(k);
    for (const OpId reader : consumers_[t.index()]) last = std::max(last, position(reader));
    for (auto at = static_cast<ptrdiff_t>(k); at <= last; ++at) {
      sliced[static_cast<size_t>(at)] += bytes;
    }
  }
  return *std::ranges::max_element(sliced);
}

}  // namespace thimble
