// SPDX-License-Identifier: Apache-2.0
#include "thimble/interpreter/for_interpreter.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "thimble/certify/certify.h"
#include "thimble/export/tflite.h"
#include "thimble/import/tensor_file.h"
#include "thimble/import/tflite.h"
#include "thimble/interpreter/best_splits.h"
#include "thimble/model/error.h"
#include "thimble/operators/operators.h"
#include "thimble/reference/interpreter.h"
#include "thimble/rewrites/rewrites.h"

namespace thimble {
namespace {

/// MACs that comparing under the reference may take; one inference of each at the least.
constexpr int64_t kComparedMacs = 200'000'000;
constexpr int64_t kMostInferences = 3;

/// Without tensors that nothing uses, numbered as they are met: the interpreter has a structure for
/// each.
Graph compact(const Graph& graph) {
  Graph result = graph;
  result.tensors.clear();
  std::vector<int32_t> numbers(graph.tensors.size(), -1);
  const auto renumber = [&](TensorId& t) {
    int32_t& number = numbers[t.index()];
    if (number < 0) {
      number = static_cast<int32_t>(result.tensors.size());
      result.tensors.push_back(graph.tensor(t));
    }
    t = {number};
  };
  for (Port& port : result.inputs) renumber(port.tensor);
  for (Op& op : result.ops) {
    for (TensorId& t : op.inputs) renumber(t);
    for (TensorId& t : op.outputs) renumber(t);
  }
  for (Port& port : result.outputs) renumber(port.tensor);
  return result;
}

struct Written {
  Graph graph;
  Bytes bytes;
  InterpreterArena arena;
  bool has_plan = false;
};

Written written(const Graph& graph, bool with_plan) {
  Written result{.graph = compact(graph), .bytes = {}, .arena = {}};
  result.bytes = export_tflite(result.graph);
  result.arena = interpreter_arena(result.bytes, graph.name);
  if (!with_plan) return result;
  const std::vector<int32_t> offsets = offline_plan(result.bytes, graph.name);
  Bytes planned = export_tflite(result.graph, {.offsets = offsets, .four_bits = {}});
  const InterpreterArena arena = interpreter_arena(planned, graph.name);
  // Where it gains nothing the interpreter had better be free to place what its kernels want.
  if (arena.tensor_bytes() >= result.arena.greedy_bytes) return result;
  result.bytes = std::move(planned);
  result.arena = arena;
  result.has_plan = true;
  return result;
}

std::vector<Bytes> outputs_of(const Graph& graph, const std::vector<Bytes>& inputs) {
  const TensorValues values = interpret(graph, inputs);
  std::vector<Bytes> outputs;
  for (const Port& port : graph.outputs) outputs.push_back(values[port.tensor.index()]);
  return outputs;
}

/// The file, read again, beside the network as imported.
int64_t compare(const Graph& source, const Bytes& file) {
  const Graph back = import_tflite(file, source.name, source.name);
  check(back.inputs.size() == source.inputs.size() && back.outputs.size() == source.outputs.size(),
        "an exported network has other ports");
  const int64_t both = macs(source) + macs(back);
  const int64_t inferences =
      std::clamp<int64_t>(both == 0 ? kMostInferences : kComparedMacs / both, 1, kMostInferences);
  for (int64_t k = 0; k < inferences; ++k) {
    std::vector<Bytes> inputs;
    for (size_t i = 0; i < source.inputs.size(); ++i) {
      const Tensor& tensor = source.tensor(source.inputs[i].tensor);
      inputs.push_back(
          random_bytes(tensor.type, elements(tensor.shape), static_cast<uint64_t>(k) * 64 + i + 1));
    }
    check(outputs_of(source, inputs) == outputs_of(back, inputs),
          "an exported network has other outputs");
  }
  return inferences;
}

}  // namespace

Graph rewritten_for_interpreter(const Graph& graph, bool keep_channels) {
  RewrittenGraph rewritten{remove_no_ops(fold_constants(graph)), {}};
  if (!keep_channels) {
    const std::vector<ValueRanges> bounds = channel_bounds(rewritten.graph);
    rewritten = remove_constant_channels(remove_idle_clamps(rewritten.graph, bounds), bounds);
  }
  rewritten.graph = remove_dead_ops(std::move(rewritten.graph));
  const Certification certification = certify(graph, rewritten);
  check(certification.ok(), certification.fault.c_str());
  return std::move(rewritten.graph);
}

InterpreterFile file_for_interpreter(const Graph& source, const Graph& graph,
                                     const InterpreterOptions& options) {
  InterpreterFile result;
  Written best = written(graph, false);
  result.as_rewritten = best.arena;
  Graph now = graph;
  const auto take_if_smaller = [&](Graph next) {
    Written made = written(next, options.offline_plan);
    const bool smaller = made.arena.bytes() < best.arena.bytes();
    if (smaller) {
      best = std::move(made);
      now = std::move(next);
    }
    return smaller;
  };
  take_if_smaller(reordered(graph));
  result.as_reordered = best.arena;
  result.macs = macs(graph);
  if (options.split) {
    const BestSplits found = best_splits(
        now, static_cast<int64_t>(options.max_recompute * static_cast<double>(result.macs)));
    const Graph unsplit = now;
    if (!found.splits.empty() && take_if_smaller(with_splits(now, found.splits))) {
      result.more_macs = found.more_macs;
      for (const Split& split : found.splits) {
        result.splits.push_back({label(unsplit.ops[static_cast<size_t>(split.begin)]),
                                 label(unsplit.ops[static_cast<size_t>(split.end - 1)]), split.axis,
                                 split.parts, split.end - split.begin});
      }
    }
  }
  result.as_split = best.arena;
  result.final = best.arena;
  result.has_plan = best.has_plan;
  result.operators = static_cast<int64_t>(best.graph.ops.size());
  std::set<std::string> kinds;
  for (const Op& op : best.graph.ops) kinds.insert(name(op.attributes));
  result.kinds.assign(kinds.begin(), kinds.end());
  result.bytes = std::move(best.bytes);
  result.inferences = compare(source, result.bytes);
  return result;
}

}  // namespace thimble
