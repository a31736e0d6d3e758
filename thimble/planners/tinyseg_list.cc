// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/tinyseg_list.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "thimble/layout/layout.h"
#include "thimble/model/error.h"

namespace thimble::tinyseg {
namespace {

constexpr int64_t kAlignment = 16;  // MicroArenaBufferAlignment() of TFLM

int64_t aligned(int64_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

class Lister {
 public:
  Lister(const Graph& graph, int scratch_bits)
      : graph_(graph), scratch_bits_(scratch_bits), numbers_(graph.tensors.size(), -1) {}

  OperatorList list() {
    for (const Port& port : graph_.inputs) list_.inputs.push_back(number(port.tensor));
    for (const State& state : graph_.states) list_.inputs.push_back(number(state.in));
    for (size_t k = 0; k < graph_.ops.size(); ++k) add(OpId{static_cast<int32_t>(k)});
    for (const Port& port : graph_.outputs) list_.outputs.push_back(number(port.tensor));
    for (const State& state : graph_.states) list_.outputs.push_back(number(state.out));
    return std::move(list_);
  }

 private:
  int number(TensorId t) {
    int& number = numbers_[t.index()];
    if (number < 0) {
      const Tensor& tensor = graph_.tensor(t);
      number = static_cast<int>(list_.tensors.size());
      list_.tensors.push_back({.size_bytes = tensor.size_bytes(),
                               .channels = tensor.shape.empty() ? 1 : tensor.shape.back(),
                               .of = t});
    }
    return number;
  }

  // SHAPE, STRIDED_SLICE, PACK.
  void add_output_shape(TensorId input, ListedOp& transposed) {
    std::vector<int> reads;
    if (!graph_.tensor(input).is_constant()) reads.push_back(number(input));
    for (int k = 0; k < 3; ++k) {
      list_.tensors.push_back({.size_bytes = kAlignment, .of = {}});
      const int shape = static_cast<int>(list_.tensors.size()) - 1;
      list_.ops.push_back({.reads = std::move(reads), .writes = {shape}, .of = {}});
      reads = {shape};
    }
    transposed.reads.push_back(reads[0]);
  }

  void add(OpId id) {
    const Op& op = graph_.op(id);
    ListedOp listed{.reads = {}, .writes = {}, .of = id};
    for (const TensorId t : op.inputs) {
      if (!graph_.tensor(t).is_constant()) listed.reads.push_back(number(t));
    }
    if (std::holds_alternative<Conv2D>(op.attributes)) listed.kind = Kind::kConv;
    if (const auto* concat = std::get_if<Concat>(&op.attributes)) {
      listed.kind = Kind::kConcat;
      const size_t rank = graph_.tensor(op.outputs[0]).shape.size();
      listed.along_channels = static_cast<size_t>(concat->axis) + 1 == rank;
    }
    if (std::holds_alternative<TransposeConv>(op.attributes)) {
      listed.scratch_bytes = elements(graph_.tensor(op.outputs[0]).shape) * scratch_bits_ / 8;
      add_output_shape(op.inputs[0], listed);
    }
    for (const TensorId t : op.outputs) listed.writes.push_back(number(t));
    list_.ops.push_back(std::move(listed));
  }

  const Graph& graph_;
  int scratch_bits_;
  std::vector<int> numbers_;  // per tensor of the graph, -1: not met yet
  OperatorList list_;
};

// Per tensor; begin == end: not there.
std::vector<layout::Life> lives_of(const OperatorList& list) {
  const auto end = static_cast<int64_t>(list.ops.size());
  std::vector<layout::Life> lives(list.tensors.size());
  for (const int t : list.inputs) lives[static_cast<size_t>(t)] = {0, 1};
  for (int64_t k = 0; k < end; ++k) {
    const ListedOp& op = list.ops[static_cast<size_t>(k)];
    for (const int t : op.writes) lives[static_cast<size_t>(t)] = {k, k + 1};
    for (const int t : op.reads) {
      check(lives[static_cast<size_t>(t)].end > 0, "a listed tensor is read before it is written");
      lives[static_cast<size_t>(t)].end = k + 1;
    }
  }
  for (const int t : list.outputs) lives[static_cast<size_t>(t)].end = end;
  return lives;
}

}  // namespace

OperatorList list_of(const Graph& graph, int scratch_bits) {
  return Lister(graph, scratch_bits).list();
}

ListedArena arena_of(const OperatorList& list) {
  const std::vector<layout::Life> lives = lives_of(list);
  layout::Problem problem;
  const auto add = [&](int64_t bytes, layout::Life life) {
    if (bytes > 0 && life.begin < life.end)
      problem.buffers.push_back(
          {.size_bytes = aligned(bytes), .alignment = kAlignment, .lives = {life}, .address = {}});
  };
  for (size_t t = 0; t < lives.size(); ++t) add(list.tensors[t].size_bytes, lives[t]);
  for (size_t k = 0; k < list.ops.size(); ++k) {
    const auto at = static_cast<int64_t>(k);
    add(list.ops[k].scratch_bytes, {at, at + 1});
  }
  // greedy_by_size takes the first of equal ones.
  std::ranges::reverse(problem.buffers);
  const layout::Solution solution = layout::greedy_by_size(problem);

  ListedArena result{.bytes = solution.arena_bytes,
                     .heights = std::vector<int64_t>(list.ops.size(), 0),
                     .live = std::vector<std::vector<int>>(list.ops.size())};
  for (size_t b = 0; b < problem.buffers.size(); ++b) {
    const layout::Life& life = problem.buffers[b].lives[0];
    for (auto k = static_cast<size_t>(life.begin); k < static_cast<size_t>(life.end); ++k) {
      result.heights[k] =
          std::max(result.heights[k], solution.addresses[b] + problem.buffers[b].size_bytes);
    }
  }
  for (size_t t = 0; t < lives.size(); ++t) {
    for (auto k = static_cast<size_t>(lives[t].begin); k < static_cast<size_t>(lives[t].end); ++k)
      result.live[k].push_back(static_cast<int>(t));
  }
  return result;
}

}  // namespace thimble::tinyseg
