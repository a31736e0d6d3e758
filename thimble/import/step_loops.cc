// SPDX-License-Identifier: Apache-2.0
#include "thimble/import/step_loops.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "thimble/import/sequence_layers.h"
#include "thimble/operators/operators.h"
#include "thimble/operators/step_rows.h"

namespace thimble {
namespace {

constexpr size_t kLeastTimes = 3;

/// The tensors of one step, by those of the step that is its pattern.
using Instance = std::map<TensorId, TensorId>;

/// What a step computes, as the tensors and operators of its second time.
struct Pattern {
  TensorId hidden;               ///< what it makes of the first state
  std::vector<TensorId> rows;    ///< of x, each the same one
  std::vector<TensorId> before;  ///< states that it reads
  std::vector<TensorId> after;   ///< states that it makes, in the same order
  std::vector<OpId> ops;         ///< in an executable order
};

bool alike(const Tensor& a, const Tensor& b) {
  return a.shape == b.shape && a.type == b.type && a.quantization == b.quantization;
}

class Finder {
 public:
  explicit Finder(Graph graph) : layers_(std::move(graph)), readers_(consumers(layers_.graph)) {}

  Graph run() {
    std::map<std::pair<const void*, const void*>, std::vector<OpId>> by_weights;
    for (size_t op = 0; op < graph_.ops.size(); ++op) {
      const Op& layer = graph_.ops[op];
      if (!std::holds_alternative<FullyConnected>(layer.attributes) ||
          !is_step_operator(graph_, layer))
        continue;
      const auto bias = layer.inputs.size() > 2 ? graph_.tensor(layer.inputs[2]).data : nullptr;
      by_weights[{graph_.tensor(layer.inputs[1]).data.get(), bias.get()}].push_back(
          OpId{static_cast<int32_t>(op)});
    }
    std::vector<std::vector<OpId>> chains;
    for (auto& [weights, ops] : by_weights)
      if (ops.size() >= kLeastTimes) chains.push_back(std::move(ops));
    std::ranges::sort(chains);  // not by where weights happen to lie
    for (const std::vector<OpId>& chain : chains) find(chain);
    return layers_.finished();
  }

 private:
  [[nodiscard]] TensorId whole(TensorId tensor) const {
    return step_row(graph_, layers_.makers, tensor).tensor;
  }

  /// chain: the fully connected layers of the hidden state, if that is what they are.
  void find(const std::vector<OpId>& chain) {
    std::vector<TensorId> hidden;  // behind each step but the last
    for (const OpId layer : std::span(chain).subspan(1))
      hidden.push_back(whole(graph_.op(layer).inputs[0]));
    if (layers_.row_of(hidden[0])) return;  // layers of x
    std::optional<Pattern> pattern = pattern_of(hidden[0], hidden[1]);
    if (!pattern) return;
    std::vector<Instance> steps;
    for (const TensorId made : hidden) {
      std::optional<Instance> step = instance(*pattern, made);
      if (!step) return;
      steps.push_back(std::move(*step));
    }
    if (!find_states(*pattern, steps[0])) return;
    const std::optional<TensorId> last = last_hidden(*pattern, chain.back(), hidden.back());
    if (!last) return;
    hidden.push_back(*last);
    steps.push_back(*instance(*pattern, *last));
    std::vector<SequenceRow> rows;
    for (size_t k = 0; k < steps.size(); ++k) {
      if (k > 0 && !follows(*pattern, steps[k - 1], steps[k])) return;
      rows.push_back(*layers_.row_of(steps[k].at(pattern->rows[0])));
    }
    const std::optional<bool> reverse = SequenceLayers::is_reverse(rows);
    if (!reverse || !is_closed(*pattern, steps)) return;
    make(*pattern, steps, hidden, rows[0].sequence, *reverse);
  }

  /// What makes `hidden` of the state before, which is `state`, and of others that were there with
  /// it.
  std::optional<Pattern> pattern_of(TensorId state, TensorId hidden) {
    std::set<TensorId> earlier;
    add_sources(state, earlier);
    Pattern pattern{.hidden = hidden, .before = {state}};
    std::set<TensorId> seen;
    if (visits_ > kMostVisits || earlier.contains(hidden) ||
        !expand(hidden, earlier, seen, pattern) || pattern.rows.empty())
      return std::nullopt;
    return pattern;
  }

  void add_sources(TensorId tensor, std::set<TensorId>& sources) {
    std::vector<TensorId> left{tensor};
    while (!left.empty() && ++visits_ <= kMostVisits) {
      const TensorId at = left.back();
      left.pop_back();
      if (!sources.insert(at).second) continue;
      if (const OpId made = layers_.makers[at.index()]; made.valid())
        left.insert(left.end(), graph_.op(made).inputs.begin(), graph_.op(made).inputs.end());
    }
  }

  bool expand(TensorId tensor, const std::set<TensorId>& earlier, std::set<TensorId>& seen,
              Pattern& pattern) const {
    if (graph_.tensor(tensor).is_constant() || !seen.insert(tensor).second) return true;
    if (seen.size() > kMostTensors) return false;
    if (earlier.contains(tensor)) {
      if (tensor != pattern.before[0]) pattern.before.push_back(tensor);
      return is_row(graph_.tensor(tensor).shape);
    }
    if (layers_.row_of(tensor)) {
      pattern.rows.push_back(tensor);
      return alike(graph_.tensor(tensor), graph_.tensor(pattern.rows[0])) &&
             is_row(graph_.tensor(tensor).shape);
    }
    const OpId made = layers_.makers[tensor.index()];
    if (!made.valid()) return false;
    const Op& op = graph_.op(made);
    if (!is_step_operator(graph_, op) || !unsupported_reason(graph_, op).empty()) return false;
    for (const TensorId input : op.inputs)
      if (!expand(input, earlier, seen, pattern)) return false;
    pattern.ops.push_back(made);
    return true;
  }

  /// The step that makes `hidden`, if it computes what the pattern does.
  std::optional<Instance> instance(const Pattern& pattern, TensorId hidden) const {
    Instance result;
    if (!unify(pattern, pattern.hidden, hidden, result)) return std::nullopt;
    const auto row = [&](TensorId tensor) { return *layers_.row_of(result.at(tensor)); };
    const SequenceRow first = row(pattern.rows[0]);
    for (const TensorId other : pattern.rows)
      if (row(other).sequence != first.sequence || row(other).time != first.time)
        return std::nullopt;
    return result;
  }

  bool unify(const Pattern& pattern, TensorId wanted, TensorId given, Instance& known) const {
    const Tensor &a = graph_.tensor(wanted), &b = graph_.tensor(given);
    if (a.is_constant())
      return b.is_constant() && alike(a, b) && (a.data == b.data || *a.data == *b.data);
    const auto [at, added] = known.try_emplace(wanted, given);
    if (!added) return at->second == given;
    if (!alike(a, b)) return false;
    if (std::ranges::find(pattern.before, wanted) != pattern.before.end()) return true;
    if (std::ranges::find(pattern.rows, wanted) != pattern.rows.end())
      return !b.is_constant() && layers_.row_of(given).has_value();
    const OpId made = layers_.makers[given.index()];
    if (!made.valid()) return false;
    const Op &own = graph_.op(layers_.makers[wanted.index()]), &other = graph_.op(made);
    if (own.attributes != other.attributes || own.inputs.size() != other.inputs.size())
      return false;
    for (size_t k = 0; k < own.inputs.size(); ++k)
      if (!unify(pattern, own.inputs[k], other.inputs[k], known)) return false;
    return true;
  }

  /// The states that a step makes are what the second one reads: found in the first.
  bool find_states(Pattern& pattern, const Instance& first) const {
    for (const TensorId state : pattern.before) {
      const auto made = std::ranges::find(first, state, &Instance::value_type::second);
      if (made == first.end() ||
          std::ranges::find(pattern.before, made->first) != pattern.before.end())
        return false;
      pattern.after.push_back(made->first);
    }
    return pattern.after[0] == pattern.hidden;
  }

  static bool follows(const Pattern& pattern, const Instance& before, const Instance& step) {
    for (size_t k = 0; k < pattern.before.size(); ++k)
      if (before.at(pattern.after[k]) != step.at(pattern.before[k])) return false;
    return true;
  }

  /// What the last step makes, which no later one reads.
  std::optional<TensorId> last_hidden(const Pattern& pattern, OpId layer, TensorId before) {
    const Attributes& wanted = graph_.op(layers_.makers[pattern.hidden.index()]).attributes;
    for (size_t op = layer.index() + 1; op < graph_.ops.size(); ++op) {
      if (++visits_ > kMostVisits) break;
      if (graph_.ops[op].attributes != wanted) continue;
      const TensorId made = graph_.ops[op].outputs[0];
      const std::optional<Instance> step = instance(pattern, made);
      if (step && step->at(pattern.before[0]) == before) return made;
    }
    return std::nullopt;
  }

  /// Whether nothing but a step itself and the next one reads what it makes, but for the first
  /// state.
  bool is_closed(const Pattern& pattern, const std::vector<Instance>& steps) const {
    std::set<TensorId> inner;
    std::set<OpId> ops;
    for (const Instance& step : steps)
      for (const OpId op : pattern.ops) {
        const TensorId made = step.at(graph_.op(op).outputs[0]);
        ops.insert(layers_.makers[made.index()]);
        if (made != step.at(pattern.hidden)) inner.insert(made);
      }
    for (const TensorId tensor : inner)
      for (const OpId reader : readers_[tensor.index()])
        if (!ops.contains(reader)) return false;
    return !are_kept(inner);
  }

  /// Whether outputs or variables of the network are among them.
  bool are_kept(const std::set<TensorId>& tensors) const {
    return std::ranges::any_of(graph_.outputs,
                               [&](const Port& port) { return tensors.contains(port.tensor); }) ||
           std::ranges::any_of(graph_.states,
                               [&](const State& state) { return tensors.contains(state.out); });
  }

  /// Whether nothing but the next step reads the first state, but for that of the last step.
  bool is_read_last(const Pattern& pattern, const std::vector<Instance>& steps) const {
    std::set<TensorId> earlier;
    std::set<OpId> ops;
    for (const Instance& step : steps) {
      for (const OpId op : pattern.ops)
        ops.insert(layers_.makers[step.at(graph_.op(op).outputs[0]).index()]);
      if (&step != &steps.back()) earlier.insert(step.at(pattern.hidden));
    }
    return !are_kept(earlier) && std::ranges::all_of(earlier, [&](TensorId state) {
      return std::ranges::all_of(readers_[state.index()],
                                 [&](OpId reader) { return ops.contains(reader); });
    });
  }

  /// The states before the first step, behind each other; nothing if they are not all constants.
  std::optional<TensorId> states_of(const Pattern& pattern, const Instance& first) {
    const TensorId hidden = first.at(pattern.before[0]);
    const int64_t units = elements(graph_.tensor(hidden).shape);
    if (pattern.before.size() == 1) return layers_.seen_as(hidden, {1, units});
    Tensor joined = graph_.tensor(hidden);
    Bytes bytes;
    for (const TensorId state : pattern.before) {
      const Tensor& before = graph_.tensor(first.at(state));
      if (!before.is_constant()) return std::nullopt;
      bytes.insert(bytes.end(), before.data->begin(), before.data->end());
    }
    joined.shape = {1, std::ssize(bytes)};
    joined.data = std::make_shared<const Bytes>(std::move(bytes));
    return layers_.tensor(std::move(joined));
  }

  /// The pattern as a network of its own.
  std::shared_ptr<const Graph> step_of(const Pattern& pattern) const {
    Graph step;
    Instance ids;
    const auto id_of = [&](TensorId tensor) {
      const auto [at, added] =
          ids.try_emplace(tensor, TensorId{static_cast<int32_t>(step.tensors.size())});
      if (added) step.tensors.push_back(graph_.tensor(tensor));
      return at->second;
    };
    const TensorId x = id_of(pattern.rows[0]);
    for (const TensorId row : pattern.rows) ids[row] = x;
    step.inputs.push_back({x});
    for (const TensorId state : pattern.before) {
      step.inputs.push_back({id_of(state)});
      step.tensor(ids.at(state)).data = nullptr;
    }
    for (const OpId id : pattern.ops) {
      Op op = graph_.op(id);
      for (TensorId& input : op.inputs) input = id_of(input);
      op.outputs = {id_of(op.outputs[0])};
      step.ops.push_back(std::move(op));
    }
    for (const TensorId state : pattern.after) step.outputs.push_back({ids.at(state)});
    return std::make_shared<const Graph>(std::move(step));
  }

  void make(const Pattern& pattern, const std::vector<Instance>& steps,
            const std::vector<TensorId>& hidden, TensorId sequence, bool reverse) {
    const OpId last = layers_.makers[hidden.back().index()];
    layers_.begin(graph_.op(last).file_index, graph_.tensor(hidden.back()).name);
    const std::optional<TensorId> states = states_of(pattern, steps[0]);
    if (!states) return;
    const int64_t times = std::ssize(steps), units = elements(graph_.tensor(hidden[0]).shape);
    const TensorId x =
        layers_.seen_as(sequence, {1, times, elements(graph_.tensor(pattern.rows[0]).shape)});
    const bool last_alone = is_read_last(pattern, steps);
    Tensor all = graph_.tensor(hidden[0]);
    all.shape = {1, last_alone ? 1 : times, units};
    const TensorId made =
        layers_.add(StepLoop{step_of(pattern), reverse, last_alone}, {x, *states}, all);
    const TensorId flat = layers_.seen_as(made, {1, elements(all.shape)});
    if (last_alone) {
      layers_.give(flat, 0, units, hidden.back());
    } else {
      for (int64_t k = 0; k < times; ++k)
        layers_.give(flat, (reverse ? times - 1 - k : k) * units, units,
                     hidden[static_cast<size_t>(k)]);
      if (!reverse) layers_.give_joined(flat, hidden, units);
    }
    layers_.end({{sequence, steps[0].at(pattern.before[0])}});
  }

  static constexpr size_t kMostTensors = 256;  // of a step
  /// Tensors and operators that are looked at for the ends of chains: files with thousands of
  /// chains that are none would take long.
  static constexpr int64_t kMostVisits = 4'000'000;

  SequenceLayers layers_;
  const Graph& graph_ = layers_.graph;
  const std::vector<std::vector<OpId>> readers_;
  int64_t visits_ = 0;
};

}  // namespace

Graph with_step_loops(Graph graph) { return Finder(std::move(graph)).run(); }

}  // namespace thimble
