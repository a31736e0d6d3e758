// SPDX-License-Identifier: Apache-2.0
#include "thimble/import/sequence_layers.h"

#include <algorithm>
#include <utility>

namespace thimble {
namespace {

/// Whether the output's elements are those of the input in the same order: axes of one index may
/// go anywhere.
bool keeps_order(const Graph& graph, const Op& op) {
  if (std::holds_alternative<Reshape>(op.attributes)) return true;
  const auto* transpose = std::get_if<Transpose>(&op.attributes);
  if (transpose == nullptr) return false;
  std::vector<int> longer;
  for (const int axis : transpose->permutation)
    if (graph.tensor(op.inputs[0]).shape[static_cast<size_t>(axis)] != 1) longer.push_back(axis);
  return std::ranges::is_sorted(longer);
}

}  // namespace

std::optional<SequenceRow> SequenceLayers::row_of(TensorId tensor) const {
  OpId made = makers[tensor.index()];
  while (made.valid() && std::holds_alternative<Reshape>(graph.op(made).attributes))
    made = makers[graph.op(made).inputs[0].index()];
  if (!made.valid()) return std::nullopt;
  const Op& op = graph.op(made);
  const auto* slice = std::get_if<Slice>(&op.attributes);
  if (slice == nullptr) return std::nullopt;
  const Shape& whole = graph.tensor(op.inputs[0]).shape;
  Shape part = graph.tensor(op.outputs[0]).shape;
  for (const int dropped : slice->dropped) part.insert(part.begin() + dropped, 1);
  size_t axis = 0;
  while (axis < whole.size() && whole[axis] == 1) ++axis;
  if (axis + 1 >= whole.size() || part.size() != whole.size() || part[axis] != 1)
    return std::nullopt;
  for (size_t a = axis + 1; a < whole.size(); ++a)
    if (part[a] != whole[a] || slice->begin[a] != 0 || slice->stride[a] != 1) return std::nullopt;
  return SequenceRow{op.inputs[0], slice->begin[axis], whole[axis]};
}

std::optional<bool> SequenceLayers::is_reverse(const std::vector<SequenceRow>& rows) {
  const int64_t times = std::ssize(rows);
  const bool reverse = rows[0].time != 0;
  for (int64_t k = 0; k < times; ++k) {
    const SequenceRow& row = rows[static_cast<size_t>(k)];
    if (row.sequence != rows[0].sequence || row.times != times ||
        row.time != (reverse ? times - 1 - k : k))
      return std::nullopt;
  }
  return reverse;
}

void SequenceLayers::begin(int file_index, std::string name) {
  file_index_ = file_index;
  name_ = std::move(name);
  made_.clear();
}

void SequenceLayers::end(std::span<const TensorId> reads) {
  size_t position = 0;
  for (const TensorId id : reads)
    if (id.valid() && makers[id.index()].valid())
      position = std::max(position, makers[id.index()].index() + 1);
  std::vector<Op>& there = behind_[position];
  there.insert(there.end(), std::make_move_iterator(made_.begin()),
               std::make_move_iterator(made_.end()));
}

void SequenceLayers::give(TensorId flat, int64_t begin, int64_t count, TensorId tensor) {
  const Slice slice{.begin = {0, begin}, .stride = {1, 1}, .dropped = {}};
  Tensor part = graph.tensor(flat);
  part.shape = {1, count};
  made_.push_back({Reshape{}, {add(slice, {flat}, std::move(part))}, {tensor}, file_index_});
  gone_.push_back(tensor);
}

void SequenceLayers::give_joined(TensorId flat, const std::vector<TensorId>& hidden,
                                 int64_t units) {
  const auto seen = [&](TensorId id) {
    for (OpId op = makers[id.index()];
         op.valid() && std::holds_alternative<Reshape>(graph.op(op).attributes);
         op = makers[id.index()])
      id = graph.op(op).inputs[0];
    return id;
  };
  TensorId all = flat;
  for (const Op& op : graph.ops) {
    if (!std::holds_alternative<Concat>(op.attributes) || op.inputs.size() != hidden.size() ||
        elements(graph.tensor(op.inputs[0]).shape) != units ||
        !std::ranges::equal(op.inputs, hidden, {}, seen))
      continue;
    const Shape& shape = graph.tensor(op.inputs[0]).shape;
    const auto axis = static_cast<size_t>(std::get<Concat>(op.attributes).axis);
    if (std::any_of(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(axis),
                    [](int64_t extent) { return extent != 1; }))
      continue;
    const auto count = static_cast<int64_t>(hidden.size()) * units;
    if (graph.tensor(all).shape[1] != count) {
      Tensor part = graph.tensor(flat);
      part.shape = {1, count};
      all = add(Slice{.begin = {0, 0}, .stride = {1, 1}, .dropped = {}}, {flat}, std::move(part));
    }
    made_.push_back({Reshape{}, {all}, {op.outputs[0]}, file_index_});
    gone_.push_back(op.outputs[0]);
  }
}

TensorId SequenceLayers::seen_as(TensorId id, Shape shape) {
  while (id.index() < makers.size()) {
    const OpId made = makers[id.index()];
    if (!made.valid() || !keeps_order(graph, graph.op(made))) break;
    id = graph.op(made).inputs[0];
  }
  if (graph.tensor(id).shape == shape) return id;
  Tensor seen = graph.tensor(id);
  seen.shape = std::move(shape);
  return seen.is_constant() ? tensor(std::move(seen)) : add(Reshape{}, {id}, std::move(seen));
}

TensorId SequenceLayers::add(Attributes attributes, std::vector<TensorId> inputs, Tensor output) {
  output.name = name_;
  const TensorId made = tensor(std::move(output));
  made_.push_back({std::move(attributes), std::move(inputs), {made}, file_index_});
  return made;
}

TensorId SequenceLayers::tensor(Tensor added) {
  graph.tensors.push_back(std::move(added));
  return TensorId{static_cast<int32_t>(graph.tensors.size()) - 1};
}

Graph SequenceLayers::finished() {
  if (behind_.empty()) return std::move(graph);
  std::vector<bool> gone(graph.tensors.size()), needed(graph.tensors.size());
  for (const TensorId id : gone_) gone[id.index()] = true;
  std::vector<Op> ops;
  for (size_t i = 0; i <= graph.ops.size(); ++i) {
    if (const auto added = behind_.find(i); added != behind_.end())
      ops.insert(ops.end(), added->second.begin(), added->second.end());
    if (i == graph.ops.size()) break;
    if (!gone[graph.ops[i].outputs[0].index()]) ops.push_back(std::move(graph.ops[i]));
  }
  for (const std::vector<Port>* ports : {&graph.inputs, &graph.outputs})
    for (const Port& port : *ports) needed[port.tensor.index()] = true;
  for (const State& state : graph.states) needed[state.out.index()] = true;
  graph.ops.clear();
  for (auto op = ops.rbegin(); op != ops.rend(); ++op) {
    if (std::ranges::none_of(op->outputs, [&](TensorId id) { return needed[id.index()]; }))
      continue;
    for (const TensorId id : op->inputs) needed[id.index()] = true;
    graph.ops.push_back(std::move(*op));
  }
  std::ranges::reverse(graph.ops);
  return std::move(graph);
}

}  // namespace thimble
