// SPDX-License-Identifier: Apache-2.0
#include "tests/support/mixed_network.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>
#include <variant>
#include <vector>

#include "tests/support/random_op.h"
#include "thimble/model/error.h"
#include "thimble/operators/operators.h"
#include "zoo/random.h"

namespace thimble::testing {
namespace {

constexpr uint64_t kOperatorKinds = std::variant_size_v<AnyOperator>;
/// Operators of a kind whose shapes do not fit what there is are drawn again.
constexpr int kDrawsOfAKind = 60;
constexpr int64_t kMostElements = 4000;

TensorId added(Graph& graph, Tensor tensor) {
  const auto id = TensorId{static_cast<int32_t>(graph.tensors.size())};
  tensor.name = fmt::format("t{}", id.value);
  graph.tensors.push_back(std::move(tensor));
  return id;
}

// The shape that follows is what is left to be set once all else is right.
bool is_taken(Graph& graph, const Op& op) {
  std::string reason = unsupported_reason(graph, op);
  if (reason.find("shape that follows") != std::string::npos) {
    try {
      graph.tensor(op.outputs[0]).shape = output_shape(graph, op);
    } catch (const InternalError&) {  // of a mean, which has two
      return false;
    }
    reason = unsupported_reason(graph, op);
  }
  return reason.empty() && elements(graph.tensor(op.outputs[0]).shape) <= kMostElements;
}

class Splice {
 public:
  Splice(const Graph& graph, const Graph& drawn, zoo::Random& random)
      : graph_(graph), drawn_(drawn), random_(random) {}

  /// With one input (`fed`) from the graph, and now and then the others; the output as drawn, or
  /// quantised as that input is.
  bool connect(size_t fed, TensorId source, bool like_source) {
    Graph joined = graph_;
    Op op = drawn_.ops[0];
    for (size_t k = 0; k < op.inputs.size(); ++k) {
      const Tensor& wanted = drawn_.tensor(op.inputs[k]);
      const bool computed = !wanted.is_constant();
      if (k == fed) {
        op.inputs[k] = source;
      } else if (computed && wanted.type == graph_.tensor(source).type && random_.chance(0.5)) {
        op.inputs[k] = random_.chance(0.5) ? source : pick();
      } else {
        op.inputs[k] = added(joined, wanted);
        if (computed) joined.inputs.push_back({op.inputs[k], {}});
      }
    }
    Tensor out = drawn_.tensor(op.outputs[0]);
    if (like_source) {
      out.type = graph_.tensor(source).type;
      out.quantization = graph_.tensor(source).quantization;
    }
    op.outputs[0] = added(joined, out);
    if (!is_taken(joined, op)) return false;
    joined.ops.push_back(std::move(op));
    graph_ = std::move(joined);
    return true;
  }

  /// So many operators of one source, with constants in common.
  bool connect(int siblings) {
    const Op& op = drawn_.ops[0];
    const TensorId source = pick();
    for (size_t k = 0; k < op.inputs.size(); ++k) {
      if (drawn_.tensor(op.inputs[k]).is_constant()) continue;
      for (const bool like_source : {false, true}) {
        if (!connect(k, source, like_source)) continue;
        for (int more = 1; more < siblings; ++more) connect(k, source, like_source);
        return true;
      }
    }
    return false;
  }

  [[nodiscard]] const Graph& graph() const { return graph_; }

 private:
  // Something computed, or an input; the last ones more often.
  TensorId pick() {
    std::vector<TensorId> all;
    for (const Port& port : graph_.inputs) all.push_back(port.tensor);
    for (const Op& op : graph_.ops) all.push_back(op.outputs[0]);
    const auto last = static_cast<int64_t>(all.size()) - 1;
    const int64_t at = random_.chance(0.6) ? last : random_.between(0, last);
    return all[static_cast<size_t>(at)];
  }

  Graph graph_;
  const Graph& drawn_;
  zoo::Random& random_;
};

Graph drawn(uint64_t kind, zoo::Random& random, bool as_float) {
  const uint64_t seed = kind + kOperatorKinds * (random.next() >> 40);
  Graph graph = random_op_graph(seed);
  if (!as_float) return graph;
  Graph floats = in_float32(graph, seed);
  return floats.ops.empty() ? graph : floats;
}

void step(Graph& graph, uint64_t seed, int siblings) {
  zoo::Random random(seed);
  const uint64_t kind = random.next() % kOperatorKinds;
  const bool as_float = random.chance(0.2);
  for (int draw = 0; draw < kDrawsOfAKind; ++draw) {
    const Graph one = drawn(kind, random, as_float);
    if (graph.ops.empty()) {
      if (elements(one.tensor(one.ops[0].outputs[0]).shape) > kMostElements) continue;
      graph = one;
      graph.outputs.clear();
      return;
    }
    Splice splice(graph, one, random);
    if (splice.connect(siblings)) {
      graph = splice.graph();
      return;
    }
  }
}

}  // namespace

Graph mixed_network(uint64_t seed, const std::set<int>& left_out) {
  const int siblings = seed % 5 == 0 ? 2 : 1;
  Graph graph;
  for (int k = 0; k < kMixedSteps; ++k) {
    if (!left_out.contains(k)) step(graph, seed * kMixedSteps + static_cast<uint64_t>(k), siblings);
  }
  graph.name = fmt::format("mixed_{}", seed);
  std::set<int32_t> read;
  for (const Op& op : graph.ops) {
    for (const TensorId t : op.inputs) read.insert(t.value);
  }
  for (const Op& op : graph.ops) {
    if (!read.contains(op.outputs[0].value)) graph.outputs.push_back({op.outputs[0], {}});
  }
  return graph;
}

std::set<int> shrunk(uint64_t seed, const NetworkFault& fault) {
  std::set<int> left_out;
  for (int k = kMixedSteps - 1; k >= 0; --k) {
    left_out.insert(k);
    const Graph graph = mixed_network(seed, left_out);
    if (graph.ops.empty() || fault(graph).empty()) left_out.erase(k);
  }
  return left_out;
}

std::string as_test(uint64_t seed, const std::set<int>& left_out) {
  const Graph graph = mixed_network(seed, left_out);
  std::string text = fmt::format("  EXPECT_EQ(fault(mixed_network({}, {{{}}})), \"\");\n", seed,
                                 fmt::join(left_out, ", "));
  for (const Op& op : graph.ops) {
    text += fmt::format("  // {}:", name(op.attributes));
    for (const TensorId t : op.inputs)
      text += fmt::format(" {} {}{}", name(graph.tensor(t).type), to_string(graph.tensor(t).shape),
                          graph.tensor(t).is_constant() ? " constant," : ",");
    const Tensor& out = graph.tensor(op.outputs[0]);
    text += fmt::format(" -> {} {}\n", name(out.type), to_string(out.shape));
  }
  return text;
}

}  // namespace thimble::testing
