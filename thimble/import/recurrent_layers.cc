// SPDX-License-Identifier: Apache-2.0
#include "thimble/import/recurrent_layers.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <utility>

#include "thimble/import/recurrent_cells.h"
#include "thimble/import/sequence_layers.h"
#include "thimble/import/step_loops.h"

namespace thimble {
namespace {

/// Which of a sum's products are those with the hidden state before.
enum class HiddenIs : uint8_t { kFirst, kSecond };

const Products& of_hidden(const GateSum& gate, HiddenIs which) {
  return gate.products[which == HiddenIs::kFirst || gate.products.size() == 1 ? 0 : 1];
}
const Products& of_input(const GateSum& gate, HiddenIs which) {
  return gate.products[which == HiddenIs::kFirst && gate.products.size() > 1 ? 1 : 0];
}

/// A cell with its operands told apart.
struct Step {
  const RecurrentCell* cell = nullptr;
  TensorId input, hidden;
  std::vector<Products> inputs, hiddens;  ///< per gate
};

/// kGru has sums of one product, of the input and of the hidden state.
std::optional<Step> step_of(const Graph& graph, const RecurrentCell& cell, HiddenIs which) {
  Step step{.cell = &cell};
  const bool gru = cell.kind == CellKind::kGru;
  for (size_t g = 0; g < cell.gates.size(); ++g) {
    const bool has_input = !gru || g < 3, has_hidden = !gru || g != 2;
    if (has_input) step.inputs.push_back(of_input(cell.gates[g], which));
    if (has_hidden) step.hiddens.push_back(of_hidden(cell.gates[g], which));
  }
  step.input = step.inputs[0].source;
  step.hidden = step.hiddens[0].source;
  const auto is_of = [](TensorId source) {
    return [source](const Products& p) { return p.source == source; };
  };
  if (step.input == step.hidden || !std::ranges::all_of(step.inputs, is_of(step.input)) ||
      !std::ranges::all_of(step.hiddens, is_of(step.hidden)) ||
      (cell.hidden_before.valid() && cell.hidden_before != step.hidden) ||
      step.hiddens[0].columns != cell.units)
    return std::nullopt;
  for (const std::vector<Products>* all : {&step.inputs, &step.hiddens})
    for (const Products& p : *all)
      if (p.row + cell.units > graph.tensor(p.weights).shape[0]) return std::nullopt;
  return step;
}

/// What steps of one layer have in common: their constants, which may have several names.
using Signature = std::vector<std::pair<const void*, int64_t>>;

Signature signature(const Graph& graph, const Step& step) {
  Signature result{{nullptr, static_cast<int64_t>(step.cell->kind)}, {nullptr, step.cell->units}};
  for (const std::vector<Products>* all : {&step.inputs, &step.hiddens})
    for (const Products& p : *all) {
      result.emplace_back(graph.tensor(p.weights).data.get(), p.row);
      result.emplace_back(nullptr, graph.tensor(p.weights).shape[1]);
      result.emplace_back(nullptr, p.column);
      result.emplace_back(nullptr, p.columns);
    }
  for (const GateSum& gate : step.cell->gates) {
    result.emplace_back(nullptr, std::ssize(gate.biases));
    for (const Biases& b : gate.biases)
      result.emplace_back(graph.tensor(b.tensor).data.get(), b.begin);
  }
  return result;
}

class Layers {
 public:
  explicit Layers(Graph graph) : layers_(std::move(graph)) {
    for (const Tensor& t : graph_.tensors)
      if (t.is_constant()) budget_bytes_ += 2 * t.size_bytes();
  }

  Graph run() {
    for (size_t op = 0; op < graph_.ops.size(); ++op)
      if (auto cell = recurrent_cell(graph_, layers_.makers, op))
        cells_.push_back(std::move(*cell));
    taken_.resize(cells_.size());
    for (const HiddenIs which : {HiddenIs::kSecond, HiddenIs::kFirst}) find_layers(which);
    return layers_.finished();
  }

 private:
  /// Chains of steps, each of which reads what the one before it made.
  void find_layers(HiddenIs which) {
    std::vector<Step> steps;
    std::map<std::pair<Signature, TensorId>, size_t> by_hidden;
    std::vector<bool> follows;
    for (size_t c = 0; c < cells_.size(); ++c) {
      if (taken_[c]) continue;
      std::optional<Step> step = step_of(graph_, cells_[c], which);
      if (!step) continue;
      by_hidden.emplace(std::pair(signature(graph_, *step), step->hidden), steps.size());
      steps.push_back(std::move(*step));
    }
    std::vector<std::optional<size_t>> next(steps.size());
    follows.resize(steps.size());
    for (size_t s = 0; s < steps.size(); ++s) {
      const auto found = by_hidden.find({signature(graph_, steps[s]), steps[s].cell->hidden});
      if (found == by_hidden.end() || steps[found->second].cell->cell_before != steps[s].cell->cell)
        continue;
      next[s] = found->second;
      follows[found->second] = true;
    }
    for (size_t s = 0; s < steps.size(); ++s) {
      if (follows[s] || !next[s]) continue;
      std::vector<Step> chain;
      for (std::optional<size_t> at = s; at; at = next[*at]) chain.push_back(steps[*at]);
      add_layer(chain);
    }
  }

  void add_layer(const std::vector<Step>& chain) {
    std::vector<SequenceRow> rows;
    for (const Step& step : chain) {
      const std::optional<SequenceRow> row = layers_.row_of(step.input);
      if (!row) return;
      rows.push_back(*row);
    }
    const std::optional<bool> reverse = SequenceLayers::is_reverse(rows);
    if (!reverse) return;
    const Signature key = signature(graph_, chain[0]);
    if (!packed_.contains(key)) {
      if (packed_bytes(chain[0]) > budget_bytes_) return;
      budget_bytes_ -= packed_bytes(chain[0]);
    }
    for (const Step& step : chain) taken_[static_cast<size_t>(step.cell - cells_.data())] = true;
    make(chain, rows[0].sequence, *reverse);
  }

  static int64_t packed_bytes(const Step& step) {
    const int64_t units = step.cell->units, columns = step.inputs[0].columns + units + 1;
    return std::ssize(step.cell->gates) * units * columns * static_cast<int64_t>(sizeof(float));
  }

  /// The operators of a layer stand behind what makes its sequence and its states.
  void make(const std::vector<Step>& chain, TensorId sequence, bool reverse) {
    const RecurrentCell& cell = *chain[0].cell;
    const int64_t times = std::ssize(chain), units = cell.units;
    name_ = graph_.tensor(chain[0].inputs[0].weights).name;
    layers_.begin(graph_.ops[chain.back().cell->op].file_index, name_);
    const bool lstm = cell.kind == CellKind::kLstm;
    const TensorId x = layers_.seen_as(sequence, {1, times, chain[0].inputs[0].columns});
    TensorId state = layers_.seen_as(chain[0].hidden, {1, units});
    if (lstm) state = joined(state, layers_.seen_as(cell.cell_before, {1, units}), units);
    std::vector<TensorId>& packed = packed_[signature(graph_, chain[0])];
    if (packed.empty())
      packed = {weights_of(chain[0].inputs, units), weights_of(chain[0].hiddens, units),
                biases_of(cell)};
    std::vector<TensorId> operands = {x, state};
    operands.insert(operands.end(), packed.begin(), packed.end());
    const TensorId all =
        lstm ? layers_.add(Lstm{.reverse = reverse}, operands, row({1, (times + 1) * units}))
             : layers_.add(Recurrent{.cell = cell.kind == CellKind::kGru    ? Cell::kGru
                                             : cell.kind == CellKind::kTanh ? Cell::kTanh
                                                                            : Cell::kRelu,
                                     .reverse = reverse},
                           operands, row({1, times, units}));
    const TensorId flat = lstm ? all : layers_.seen_as(all, {1, times * units});
    std::vector<TensorId> hidden;
    for (int64_t k = 0; k < times; ++k) {
      const RecurrentCell& own = *chain[static_cast<size_t>(k)].cell;
      layers_.give(flat, (reverse ? times - 1 - k : k) * units, units, own.hidden);
      hidden.push_back(own.hidden);
    }
    if (lstm) layers_.give(flat, times * units, units, chain.back().cell->cell);
    if (!reverse) layers_.give_joined(flat, hidden, units);
    layers_.end({{sequence, chain[0].hidden, cell.cell_before}});
  }

  static Tensor row(Shape shape) { return {.shape = std::move(shape), .type = DType::kFloat32}; }

  /// The states of an LSTM behind each other.
  TensorId joined(TensorId hidden, TensorId cells, int64_t units) {
    const Tensor &h = graph_.tensor(hidden), &c = graph_.tensor(cells);
    if (!h.is_constant() || !c.is_constant())
      return layers_.add(Concat{.axis = 1}, {hidden, cells}, row({1, 2 * units}));
    std::vector<float> values;
    for (const TensorId id : {hidden, cells})
      for (int64_t unit = 0; unit < units; ++unit) values.push_back(value(id, unit));
    return constant({1, 2 * units}, values);
  }

  TensorId constant(Shape shape, const std::vector<float>& values) {
    Bytes bytes(values.size() * sizeof(float));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return layers_.tensor({.name = name_,
                           .shape = std::move(shape),
                           .type = DType::kFloat32,
                           .data = std::make_shared<const Bytes>(std::move(bytes))});
  }

  [[nodiscard]] float value(TensorId id, int64_t at) const {
    float result = 0;
    std::memcpy(&result, graph_.tensor(id).data->data() + static_cast<size_t>(at) * sizeof(float),
                sizeof(float));
    return result;
  }

  TensorId weights_of(const std::vector<Products>& gates, int64_t units) {
    std::vector<float> values;
    for (const Products& p : gates) {
      const int64_t width = graph_.tensor(p.weights).shape[1];
      for (int64_t unit = 0; unit < units; ++unit)
        for (int64_t k = 0; k < p.columns; ++k)
          values.push_back(value(p.weights, (p.row + unit) * width + p.column + k));
    }
    return constant({std::ssize(gates), units, gates[0].columns}, values);
  }

  TensorId biases_of(const RecurrentCell& cell) {
    std::vector<float> values;
    for (const GateSum& gate : cell.gates)
      for (int64_t unit = 0; unit < cell.units; ++unit) {
        float sum = 0;
        for (const Biases& b : gate.biases) sum += value(b.tensor, b.begin + unit);
        values.push_back(sum);
      }
    return constant({std::ssize(cell.gates), cell.units}, values);
  }

  SequenceLayers layers_;
  const Graph& graph_ = layers_.graph;
  std::vector<RecurrentCell> cells_;
  /// Weights of the input, of the hidden state, and biases: once for layers that share them, and
  /// not much more than the file has.
  std::map<Signature, std::vector<TensorId>> packed_;
  int64_t budget_bytes_ = 1 << 20;
  std::vector<bool> taken_;  ///< per cell: a layer has it
  std::string name_;         ///< of the layer in hand
};

}  // namespace

Graph with_recurrent_layers(Graph graph) { return with_step_loops(Layers(std::move(graph)).run()); }

}  // namespace thimble
