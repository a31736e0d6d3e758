// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/second_pass.h"

#include <algorithm>

#include "thimble/analysis/span.h"
#include "thimble/model/error.h"
#include "thimble/operators/operators.h"

namespace thimble {
namespace {

constexpr int kHeightAxis = 1;  // the axis of images, and of sequences, one by one

/// Operators that read what has been made of all rows of a tensor; per operator.
std::vector<bool> waiting_for_all_rows(const Graph& graph, const Spans& rows, TensorId tensor) {
  std::vector<bool> follows(graph.tensors.size(), false), waits(graph.tensors.size(), false);
  std::vector<bool> result(graph.ops.size(), false);
  follows[tensor.index()] = true;
  for (size_t o = 0; o < graph.ops.size(); ++o) {
    const Op& op = graph.ops[o];
    bool depends = false, all_rows = false;
    for (size_t k = 0; k < op.inputs.size(); ++k) {
      const size_t t = op.inputs[k].index();
      const OperandRows* read = rows.rows(OpId{static_cast<int32_t>(o)}, k, kHeightAxis);
      const bool by_rows = read != nullptr && read->axis == kHeightAxis;
      result[o] = result[o] || waits[t];
      depends = depends || follows[t];
      all_rows = all_rows || (follows[t] && !by_rows);
    }
    const size_t out = op.outputs[0].index();
    waits[out] = result[o] || all_rows;
    follows[out] = follows[out] || (depends && !waits[out]);
  }
  return result;
}

/// The only activation that an operator reads; invalid if it reads several.
TensorId only_activation(const Graph& graph, const Op& op) {
  TensorId result;
  for (const TensorId t : op.inputs) {
    if (graph.tensor(t).is_constant()) continue;
    if (result.valid()) return {};
    result = t;
  }
  return result;
}

void redirect(const std::vector<Node>& from, const Doubled& doubled, std::vector<Node>& to) {
  for (const Node& node : from) {
    if (const auto* loop = std::get_if<Loop>(&node.what)) {
      Loop copy{loop->id, loop->count, {}};
      redirect(loop->body, doubled, copy.body);
      to.push_back({std::move(copy)});
      continue;
    }
    Step step = std::get<Step>(node.what);
    if (step.op.valid()) {
      step.recomputes = step.recomputes || doubled.twice[step.op.index()];
      step.op = doubled.op_of[step.op.index()];
    }
    to.push_back({std::move(step)});
  }
}

}  // namespace

std::vector<SecondPass> second_passes(const Graph& graph) {
  const std::vector<OpId> producer = producers(graph);
  const auto readers = consumers(graph);
  const Spans rows(graph);
  std::vector<SecondPass> result;
  for (size_t t = 0; t < graph.tensors.size(); ++t) {
    if (readers[t].size() < 2 || !producer[t].valid()) continue;
    const std::vector<bool> waits =
        waiting_for_all_rows(graph, rows, TensorId{static_cast<int32_t>(t)});
    SecondPass pass{.ops = {}, .readers = {}, .bytes = graph.tensors[t].size_bytes()};
    for (const OpId reader : readers[t]) {
      if (waits[reader.index()]) pass.readers.push_back(reader);
    }
    const bool is_output = std::ranges::any_of(
        graph.outputs, [&](const Port& port) { return port.tensor.index() == t; });
    if (pass.readers.empty() || pass.readers.size() == readers[t].size() || is_output) continue;
    TensorId made{static_cast<int32_t>(t)};
    while (producer[made.index()].valid()) {
      const OpId op = producer[made.index()];
      const TensorId from = only_activation(graph, graph.op(op));
      if (!from.valid()) break;
      pass.ops.insert(pass.ops.begin(), op);
      pass.macs += macs(graph, graph.op(op));
      made = from;
      if (2 * graph.tensor(made).size_bytes() <= graph.tensors[t].size_bytes() ||
          readers[made.index()].size() > 1)
        break;
    }
    if (!pass.ops.empty()) result.push_back(std::move(pass));
  }
  std::ranges::stable_sort(result, std::ranges::greater{}, &SecondPass::bytes);
  return result;
}

Doubled doubled(const Graph& graph, const std::vector<SecondPass>& passes) {
  Doubled result{.graph = graph, .op_of = {}, .tensor_of = {}, .twice = {}};
  for (size_t t = 0; t < graph.tensors.size(); ++t)
    result.tensor_of.push_back(TensorId{static_cast<int32_t>(t)});
  std::vector<bool> twice(graph.ops.size(), false);
  for (const SecondPass& pass : passes) {
    for (const OpId op : pass.ops) twice[op.index()] = true;
  }
  // Inputs of operators that read a second tensor: old and new.
  std::vector<std::vector<std::pair<TensorId, TensorId>>> replaced(graph.ops.size());
  std::vector<Op> ops;
  const auto add = [&](OpId id, Op op) {
    ops.push_back(std::move(op));
    result.op_of.push_back(id);
    result.twice.push_back(twice[id.index()]);
  };
  for (size_t k = 0; k < graph.ops.size(); ++k) {
    const OpId id{static_cast<int32_t>(k)};
    for (const SecondPass& pass : passes) {
      if (*std::ranges::min_element(pass.readers) != id) continue;
      std::pair<TensorId, TensorId> last;  // what the operator at hand reads again
      for (const OpId again : pass.ops) {
        Op op = graph.op(again);
        std::ranges::replace(op.inputs, last.first, last.second);
        last = {op.outputs[0], TensorId{static_cast<int32_t>(result.graph.tensors.size())}};
        result.graph.tensors.push_back(graph.tensor(last.first));
        result.tensor_of.push_back(last.first);
        op.outputs[0] = last.second;
        add(again, std::move(op));
      }
      for (const OpId reader : pass.readers) replaced[reader.index()].push_back(last);
    }
    Op op = graph.op(id);
    for (const auto& [old_input, new_input] : replaced[k])
      std::ranges::replace(op.inputs, old_input, new_input);
    add(id, std::move(op));
  }
  result.graph.ops = std::move(ops);
  check_graph(result.graph);
  return result;
}

Schedule undoubled(const Doubled& doubled, Schedule schedule) {
  std::vector<Node> nodes;
  redirect(schedule.nodes, doubled, nodes);
  schedule.nodes = std::move(nodes);
  for (Buffer& buffer : schedule.buffers) {
    if (buffer.tensor.valid()) buffer.tensor = doubled.tensor_of[buffer.tensor.index()];
  }
  return schedule;
}

}  // namespace thimble
