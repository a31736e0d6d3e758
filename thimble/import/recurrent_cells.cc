// SPDX-License-Identifier: Apache-2.0
#include "thimble/import/recurrent_cells.h"

#include <algorithm>
#include <cstring>

namespace thimble {
namespace {

constexpr int kMostSteps = 16;  // from a gate to its products
constexpr size_t kMostProducts = 2, kMostBiases = 8;

class Matcher {
 public:
  Matcher(const Graph& graph, const std::vector<OpId>& producers)
      : graph_(graph), producers_(producers) {}

  /// The operator of this kind that makes the tensor; null if another one does.
  template <class Kind>
  const Op* made_by(TensorId tensor) const {
    const OpId id = producers_[tensor.index()];
    if (!id.valid()) return nullptr;
    const Op& op = graph_.op(id);
    return std::holds_alternative<Kind>(op.attributes) ? &op : nullptr;
  }

  /// A sum or product without an activation.
  template <class Kind>
  const Op* plain(TensorId tensor) const {
    const Op* op = made_by<Kind>(tensor);
    return op != nullptr && std::get<Kind>(op->attributes).activation == Activation::kNone
               ? op
               : nullptr;
  }

  /// Adds what elements [begin, begin + units) of a tensor are the sum of.
  bool add_sum(TensorId tensor, int64_t begin, int64_t units, GateSum& sum, int steps = 0) const {
    const Tensor& t = graph_.tensor(tensor);
    if (steps == kMostSteps || begin + units > elements(t.shape) ||
        sum.products.size() > kMostProducts || sum.biases.size() > kMostBiases)
      return false;
    if (t.is_constant()) {
      sum.biases.push_back({tensor, begin});
      return true;
    }
    if (const Op* add = plain<Add>(tensor)) {
      return std::ranges::all_of(add->inputs, [&](TensorId part) {
        return elements(graph_.tensor(part).shape) == elements(t.shape) &&
               add_sum(part, begin, units, sum, steps + 1);
      });
    }
    if (const Op* reshape = made_by<Reshape>(tensor))
      return add_sum(reshape->inputs[0], begin, units, sum, steps + 1);
    if (const Op* slice = made_by<Slice>(tensor)) {
      const std::optional<int64_t> from = begin_of_run(*slice);
      return from && add_sum(slice->inputs[0], *from + begin, units, sum, steps + 1);
    }
    if (const Op* layer = plain<FullyConnected>(tensor)) return add_layer(*layer, begin, sum);
    return false;
  }

  /// Where a slice begins that is a run of elements along the last axis of a row.
  std::optional<int64_t> begin_of_run(const Op& op) const {
    const auto& slice = std::get<Slice>(op.attributes);
    const Shape& shape = graph_.tensor(op.inputs[0]).shape;
    if (shape.empty() || elements(shape) != shape.back() || slice.stride.back() != 1)
      return std::nullopt;
    return slice.begin.back();
  }

  /// 1 - the tensor that is returned.
  TensorId rest_of_one(TensorId tensor) const {
    const Op* sub = plain<Sub>(tensor);
    if (sub == nullptr || !graph_.tensor(sub->inputs[0]).is_constant()) return {};
    const Bytes& data = *graph_.tensor(sub->inputs[0]).data;
    for (size_t at = 0; at < data.size(); at += sizeof(float)) {
      float value = 0;
      std::memcpy(&value, data.data() + at, sizeof(value));
      if (value != 1) return {};
    }
    return sub->inputs[1];
  }

  bool has(TensorId tensor, int64_t count) const {
    return elements(graph_.tensor(tensor).shape) == count;
  }

  /// The sum of a gate behind its function.
  template <class Function>
  std::optional<GateSum> gate(TensorId tensor, int64_t units) const {
    const Op* function = made_by<Function>(tensor);
    GateSum sum;
    if (function == nullptr || !add_sum(function->inputs[0], 0, units, sum)) return std::nullopt;
    return sum;
  }

 private:
  /// Whether the parts of a concatenation are behind each other.
  bool is_a_row(const Op& joined) const {
    const Shape& shape = graph_.tensor(joined.outputs[0]).shape;
    const auto axis = std::get<Concat>(joined.attributes).axis;
    return std::all_of(shape.begin(), shape.begin() + axis, [](int64_t e) { return e == 1; });
  }

  bool add_layer(const Op& layer, int64_t begin, GateSum& sum) const {
    const TensorId weights = layer.inputs[1];
    const Tensor& w = graph_.tensor(weights);
    if (!w.is_constant() || w.type != DType::kFloat32 || w.shape.size() != 2) return false;
    if (layer.inputs.size() > 2) {
      if (!graph_.tensor(layer.inputs[2]).is_constant()) return false;
      sum.biases.push_back({layer.inputs[2], begin});
    }
    const Op* joined = plain<Concat>(layer.inputs[0]);
    if (joined != nullptr && !is_a_row(*joined)) joined = nullptr;
    const std::vector<TensorId> sources =
        joined != nullptr ? joined->inputs : std::vector<TensorId>{layer.inputs[0]};
    int64_t column = 0;
    for (const TensorId source : sources) {
      const int64_t columns = elements(graph_.tensor(source).shape);
      sum.products.push_back({source, weights, begin, column, columns});
      column += columns;
    }
    return column == w.shape[1];  // of one row, that is
  }

  const Graph& graph_;
  const std::vector<OpId>& producers_;
};

/// Whether each sum is of as many products.
bool have(const std::vector<GateSum>& gates, size_t products) {
  return std::ranges::all_of(gates,
                             [&](const GateSum& g) { return g.products.size() == products; });
}

template <class Function>
bool simple(const Matcher& m, RecurrentCell& cell) {
  std::optional<GateSum> sum = m.gate<Function>(cell.hidden, cell.units);
  if (!sum) return false;
  if constexpr (std::is_same_v<Function, Relu>)
    if (std::get<Relu>(m.made_by<Relu>(cell.hidden)->attributes).range != Activation::kRelu)
      return false;
  cell.gates = {std::move(*sum)};
  return have(cell.gates, 2);
}

// Both orders of the operands of an operator.
template <class Function>
bool either_way(const Op& op, Function function) {
  return function(op.inputs[0], op.inputs[1]) || function(op.inputs[1], op.inputs[0]);
}

/// tanh(sx + r sh), as two sums behind that of r.
bool candidate(const Matcher& m, TensorId tensor, RecurrentCell& cell) {
  const Op* tanh = m.made_by<Tanh>(tensor);
  const Op* sum = tanh == nullptr ? nullptr : m.plain<Add>(tanh->inputs[0]);
  return sum != nullptr && either_way(*sum, [&](TensorId of_x, TensorId of_h) {
           const Op* product = m.plain<Mul>(of_h);
           return product != nullptr && either_way(*product, [&](TensorId reset, TensorId hidden) {
                    const std::optional<GateSum> r = m.gate<Logistic>(reset, cell.units);
                    GateSum sx, sh;
                    if (!r || r->products.size() != 2 || !m.add_sum(of_x, 0, cell.units, sx) ||
                        !m.add_sum(hidden, 0, cell.units, sh) || sx.products.size() != 1 ||
                        sh.products.size() != 1)
                      return false;
                    cell.gates.resize(1);
                    cell.gates.insert(cell.gates.end(), {*r, sx, sh});
                    return true;
                  });
         });
}

/// u h + (1 - u) tanh(...)
bool gru(const Matcher& m, RecurrentCell& cell) {
  const Op* sum = m.plain<Add>(cell.hidden);
  return sum != nullptr && either_way(*sum, [&](TensorId kept, TensorId renewed) {
           const Op *keeps = m.plain<Mul>(kept), *renews = m.plain<Mul>(renewed);
           return keeps != nullptr && renews != nullptr &&
                  either_way(*keeps, [&](TensorId update, TensorId hidden) {
                    return either_way(*renews, [&](TensorId rest, TensorId value) {
                      std::optional<GateSum> u = m.gate<Logistic>(update, cell.units);
                      if (!u || u->products.size() != 2 || m.rest_of_one(rest) != update)
                        return false;
                      cell.gates = {std::move(*u)};
                      cell.hidden_before = hidden;
                      return candidate(m, value, cell);
                    });
                  });
         });
}

/// o tanh(c), where c is f c' + i tanh(g)
bool lstm(const Matcher& m, RecurrentCell& cell) {
  const Op* product = m.plain<Mul>(cell.hidden);
  return product != nullptr && either_way(*product, [&](TensorId output, TensorId squashed) {
           const std::optional<GateSum> o = m.gate<Logistic>(output, cell.units);
           const Op* tanh = m.made_by<Tanh>(squashed);
           const Op* sum = o && tanh != nullptr ? m.plain<Add>(tanh->inputs[0]) : nullptr;
           return sum != nullptr && either_way(*sum, [&](TensorId kept, TensorId added) {
                    const Op *keeps = m.plain<Mul>(kept), *adds = m.plain<Mul>(added);
                    return keeps != nullptr && adds != nullptr &&
                           either_way(*keeps, [&](TensorId forget, TensorId before) {
                             return either_way(*adds, [&](TensorId input, TensorId value) {
                               const std::optional<GateSum> f = m.gate<Logistic>(forget,
                                                                                 cell.units),
                                                            i = m.gate<Logistic>(input, cell.units),
                                                            g = m.gate<Tanh>(value, cell.units);
                               if (!f || !i || !g) return false;
                               cell.gates = {*i, *f, *g, *o};
                               cell.cell = tanh->inputs[0];
                               cell.cell_before = before;
                               return have(cell.gates, 2) && m.has(before, cell.units);
                             });
                           });
                  });
         });
}

}  // namespace

std::optional<RecurrentCell> recurrent_cell(const Graph& graph, const std::vector<OpId>& producers,
                                            size_t op) {
  const Op& last = graph.ops[op];
  if (last.outputs.size() != 1 || !is_float32(graph, last)) return std::nullopt;
  const TensorId hidden = last.outputs[0];
  const Matcher m(graph, producers);
  RecurrentCell cell{.units = elements(graph.tensor(hidden).shape), .op = op, .hidden = hidden};
  const auto is = [&](CellKind kind, bool matches) {
    cell.kind = kind;
    return matches;
  };
  if (is(CellKind::kTanh, simple<Tanh>(m, cell)) || is(CellKind::kRelu, simple<Relu>(m, cell)) ||
      is(CellKind::kGru, gru(m, cell)) || is(CellKind::kLstm, lstm(m, cell)))
    return cell;
  return std::nullopt;
}

}  // namespace thimble
