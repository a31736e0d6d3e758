// SPDX-License-Identifier: Apache-2.0
// LSTM, GRU and RNN: a kernel with the loop over time for each direction. Sequences are [T,B,K] in
// the file (layout 1: [B,T,K]) and [B,T,K] in the Graph; gates change their order.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "thimble/import/onnx/along_axis.h"

namespace thimble::onnx {
namespace {

constexpr size_t kSequence = 0, kWeights = 1, kRecurrent = 2, kBiases = 3, kLengths = 4,
                 kHidden = 5, kCells = 6, kPeepholes = 7;

/// What a node says of its layer, however it is computed.
struct Layer {
  int64_t directions = 1, batch = 1, times = 1, inputs = 1, units = 1;
  bool first_reversed = false;  ///< of two the second one is
  bool batch_first = false;     ///< layout 1
  /// Axes of the sequence and of states, in the Graph's order: [B,T,K] and [B,D,H].
  [[nodiscard]] Order order() const { return batch_first ? Order{0, 1, 2} : Order{1, 0, 2}; }
  [[nodiscard]] bool reversed(int64_t direction) const { return first_reversed || direction == 1; }
};

Layer layer_of(const Reading& r, size_t gates) {
  const Shape &x = r.input(kSequence).shape, &weights = r.input(kWeights).shape,
              &recurrent = r.input(kRecurrent).shape;
  const std::string direction = r.node.text("direction", "forward");
  Layer layer{.batch_first = r.node.whole("layout", 0) != 0};
  layer.first_reversed = direction == "reverse";
  layer.directions = direction == "bidirectional" ? 2 : 1;
  if (direction != "forward" && direction != "reverse" && direction != "bidirectional")
    r.node.damaged("a direction that there is not");
  if (x.size() != 3 || weights.size() != 3 || recurrent.size() != 3)
    r.node.damaged("sequence and weights of other than 3 axes");
  layer.batch = x[layer.batch_first ? 0 : 1];
  layer.times = x[layer.batch_first ? 1 : 0];
  layer.inputs = x[2];
  layer.units = recurrent[2];
  const int64_t rows = static_cast<int64_t>(gates) * layer.units;
  if (weights != Shape{layer.directions, rows, layer.inputs} ||
      recurrent != Shape{layer.directions, rows, layer.units} ||
      r.node.whole("hidden_size", layer.units) != layer.units)
    r.node.damaged(fmt::format("weights {} and {} for a sequence {}", to_string(weights),
                               to_string(recurrent), to_string(x)));
  return layer;
}

std::string in_lower_case(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char c) { return std::tolower(c); });
  return result;
}

// Names of functions, those of one direction behind those of the other.
std::vector<std::string> activations_of(const Reading& r, std::vector<std::string> otherwise) {
  const AttributeRecord* given = r.node.attribute("activations");
  if (given == nullptr || given->strings.empty()) return otherwise;
  std::vector<std::string> result;
  for (const std::string_view name : given->strings) result.push_back(in_lower_case(name));
  return result;
}

void check_common(const Reading& r, const Layer& layer) {
  if (r.input(kSequence).type != DType::kFloat32)
    r.node.refuse("is supported for float32 alone, not yet for integers");
  if (r.node.has("clip")) r.node.refuse("is not supported with 'clip'; without it it is");
  if (!r.has(kLengths)) return;
  const std::vector<int64_t> lengths = wholes(r.constant(kLengths, "lengths of sequences"));
  if (!std::ranges::all_of(lengths, [&](int64_t length) { return length == layer.times; }))
    r.node.refuse(fmt::format("is supported for sequences of full length ({}) alone", layer.times));
}

void expect_activations(const Reading& r, const Layer& layer, const std::vector<std::string>& of) {
  const std::vector<std::string> given = activations_of(r, {});
  for (size_t k = 0; k < given.size(); ++k)
    if (given.size() != of.size() * static_cast<size_t>(layer.directions) ||
        given[k] != of[k % of.size()])
      r.node.refuse(
          fmt::format("is not supported with other activations than {}", fmt::join(of, ", ")));
}

/// One of so many equal parts.
std::vector<float> part_of(const std::vector<float>& all, size_t parts, size_t part) {
  const auto size = static_cast<int64_t>(all.size() / parts);
  const auto begin = all.begin() + static_cast<int64_t>(part) * size;
  return {begin, begin + size};
}

/// The weights of a direction, [gate][unit][..] in the Graph's order of gates.
TensorId gates_of(const Reading& r, size_t input, const Layer& layer, int64_t direction,
                  const std::vector<size_t>& gates) {
  const std::vector<float> all = reals(r.constant(input, "weights"));
  std::vector<float> result;
  for (const size_t gate : gates) {
    const std::vector<float> part =
        part_of(all, static_cast<size_t>(layer.directions) * gates.size(),
                static_cast<size_t>(direction) * gates.size() + gate);
    result.insert(result.end(), part.begin(), part.end());
  }
  const int64_t depth = input == kWeights ? layer.inputs : layer.units;
  return r.network.constant(constant_of({std::ssize(gates), layer.units, depth}, result),
                            fmt::format("{}/{}", r.input(input).name, direction));
}

/// Rows of biases, [gate][unit]: each the sum of such parts of B, [Wb, Rb].
TensorId biases_of(const Reading& r, const Layer& layer, int64_t direction, size_t gates,
                   const std::vector<std::vector<size_t>>& rows) {
  std::vector<float> result;
  std::vector<float> all(static_cast<size_t>(layer.directions * 2 * layer.units) * gates, 0);
  if (r.has(kBiases)) {
    const std::vector<float> given = reals(r.constant(kBiases, "biases"));
    if (given.size() != all.size()) r.node.damaged("biases of other gates");
    all = given;
  }
  for (const std::vector<size_t>& parts : rows) {
    std::vector<float> sum(static_cast<size_t>(layer.units), 0);
    for (const size_t part : parts) {
      const std::vector<float> more =
          part_of(all, static_cast<size_t>(layer.directions) * 2 * gates,
                  static_cast<size_t>(direction) * 2 * gates + part);
      std::ranges::transform(sum, more, sum.begin(), std::plus());
    }
    result.insert(result.end(), sum.begin(), sum.end());
  }
  return r.network.constant(constant_of({std::ssize(rows), layer.units}, result),
                            fmt::format("{}/biases/{}", r.input(kWeights).name, direction));
}

/// A direction's state before the first time, [B,1,H]; zeros where none is given.
Value initial(const Reading& r, size_t input, const Layer& layer, int64_t direction) {
  const Shape shape = {layer.batch, 1, layer.units};
  if (!r.has(input)) {
    return r.known(
        constant_of(shape, std::vector<float>(static_cast<size_t>(layer.batch * layer.units), 0)));
  }
  const Value& given = r.input(input);
  const Order order = layer.order();
  if (in_order(given.shape, order) != Shape{layer.batch, layer.directions, layer.units})
    r.node.damaged(fmt::format("an initial state {}", to_string(given.shape)));
  Value all{.type = given.type, .shape = in_order(given.shape, order)};
  all.tensor = r.tensor(input, order);
  all.order = same_order(3);
  if (given.constant == nullptr) return taken(r, all, 1, {direction});
  // What is known stays known.
  const Tensor& turned = r.network[all.tensor];
  const std::vector<float> values =
      reals({.type = turned.type, .shape = turned.shape, .data = turned.data});
  std::vector<float> own;
  for (int64_t batch = 0; batch < layer.batch; ++batch) {
    const auto row = values.begin() + (batch * layer.directions + direction) * layer.units;
    own.insert(own.end(), row, row + layer.units);
  }
  return r.known(constant_of(shape, own));
}

// [B,1,H], or both parts of a state behind each other, as [B,H].
TensorId state_of(const Reading& r, const Layer& layer, const std::vector<Value>& parts) {
  const int64_t width = std::ssize(parts) * layer.units;
  const bool known =
      std::ranges::all_of(parts, [](const Value& part) { return part.constant != nullptr; });
  if (known) {
    std::vector<float> result;
    for (int64_t batch = 0; batch < layer.batch; ++batch)
      for (const Value& part : parts) {
        const std::vector<float> row = part_of(
            reals(*part.constant), static_cast<size_t>(layer.batch), static_cast<size_t>(batch));
        result.insert(result.end(), row.begin(), row.end());
      }
    return r.network.constant(constant_of({layer.batch, width}, result),
                              r.input(kWeights).name + "/state");
  }
  std::vector<TensorId> tensors;
  for (const Value& part : parts) tensors.push_back(r.network.tensor(r.node, part, same_order(3)));
  const TensorId joined = tensors.size() == 1
                              ? tensors[0]
                              : r.network.make(r.node, Concat{.axis = 2}, tensors, DType::kFloat32,
                                               {layer.batch, 1, width});
  return r.network.make(r.node, Reshape{}, {joined}, DType::kFloat32, {layer.batch, width});
}

TensorId sliced(const Reading& r, TensorId from, const Shape& begin, const Shape& shape) {
  return r.network.make(r.node,
                        Slice{.begin = begin, .stride = Shape(shape.size(), 1), .dropped = {}},
                        {from}, DType::kFloat32, shape);
}

TensorId reshaped(const Reading& r, TensorId from, const Shape& shape) {
  return r.network.make(r.node, Reshape{}, {from}, DType::kFloat32, shape);
}

/// What a direction makes: all hidden states [B,T,1,H], the last one and that of cells [B,1,H].
/// What nobody reads is not there.
struct Made {
  TensorId all, last, cells;
};

// Directions behind each other.
TensorId joined(const Reading& r, const std::vector<TensorId>& parts, int axis, Shape shape) {
  if (parts.size() == 1) return parts[0];
  shape[static_cast<size_t>(axis)] = std::ssize(parts);
  return r.network.make(r.node, Concat{.axis = axis}, parts, DType::kFloat32, shape);
}

void finish(Reading& r, const Layer& layer, const std::vector<Made>& made) {
  const auto give = [&](size_t output, TensorId Made::*part, int axis, const Order& order) {
    if (!r.wants(output)) return;
    std::vector<TensorId> parts;
    for (const Made& of : made) parts.push_back(of.*part);
    const TensorId tensor = joined(r, parts, axis, r.network[parts[0]].shape);
    Value value{.type = DType::kFloat32, .shape = r.network[tensor].shape};
    for (size_t k = 0; k < order.size(); ++k)
      value.shape[static_cast<size_t>(order[k])] = r.network[tensor].shape[k];
    value.tensor = tensor;
    value.order = order;
    r.make(output, std::move(value));
  };
  give(0, &Made::all, 2, layer.batch_first ? Order{0, 1, 2, 3} : Order{2, 0, 1, 3});
  give(1, &Made::last, 1, layer.order());
  give(2, &Made::cells, 1, layer.order());
}

int64_t last_time(const Layer& layer, int64_t direction) {
  return layer.reversed(direction) ? 0 : layer.times - 1;
}

// The operator gives all hidden states, [B,TH], then the cells.
Made lstm_of(const Reading& r, const Layer& layer, int64_t direction) {
  const std::vector<size_t> gates = {0, 2, 3, 1};  // i o f c as i f c o
  std::vector<std::vector<size_t>> biases;
  for (const size_t gate : gates) biases.push_back({gate, gates.size() + gate});
  const TensorId state = state_of(
      r, layer, {initial(r, kHidden, layer, direction), initial(r, kCells, layer, direction)});
  const int64_t units = layer.units, times = layer.times, batch = layer.batch;
  const TensorId both = r.network.make(
      r.node, Lstm{.reverse = layer.reversed(direction)},
      {r.tensor(kSequence, layer.order()), state, gates_of(r, kWeights, layer, direction, gates),
       gates_of(r, kRecurrent, layer, direction, gates),
       biases_of(r, layer, direction, gates.size(), biases)},
      DType::kFloat32, {batch, (times + 1) * units});
  const auto part = [&](size_t output, int64_t begin, int64_t width, const Shape& shape) {
    return r.wants(output) ? reshaped(r, sliced(r, both, {0, begin}, {batch, width}), shape)
                           : TensorId{};
  };
  return {
      .all = part(0, 0, times * units, {batch, times, 1, units}),
      .last = part(1, last_time(layer, direction) * units, units, {batch, 1, units}),
      .cells = part(2, times * units, units, {batch, 1, units}),
  };
}

void lstm(Reading& r) {
  const Layer layer = layer_of(r, 4);
  check_common(r, layer);
  expect_activations(r, layer, {"sigmoid", "tanh", "tanh"});
  if (r.has(kPeepholes)) r.node.refuse("is not supported with peepholes; without them it is");
  if (r.node.whole("input_forget", 0) != 0)
    r.node.refuse("is not supported with 'input_forget'; without it it is");
  std::vector<Made> made;
  for (int64_t direction = 0; direction < layer.directions; ++direction)
    made.push_back(lstm_of(r, layer, direction));
  finish(r, layer, made);
}

/// How the Graph has the gates and biases of a cell: where they are in the file.
struct Gates {
  std::vector<size_t> gates;
  std::vector<std::vector<size_t>> biases;
};

Made recurrent_of(const Reading& r, const Layer& layer, int64_t direction, Cell cell,
                  const Gates& g) {
  const int64_t units = layer.units, times = layer.times, batch = layer.batch;
  const TensorId all =
      r.network.make(r.node, Recurrent{.cell = cell, .reverse = layer.reversed(direction)},
                     {r.tensor(kSequence, layer.order()),
                      state_of(r, layer, {initial(r, kHidden, layer, direction)}),
                      gates_of(r, kWeights, layer, direction, g.gates),
                      gates_of(r, kRecurrent, layer, direction, g.gates),
                      biases_of(r, layer, direction, g.gates.size(), g.biases)},
                     DType::kFloat32, {batch, times, units});
  Made made;
  if (r.wants(0)) made.all = reshaped(r, all, {batch, times, 1, units});
  if (r.wants(1))
    made.last = sliced(r, all, {0, last_time(layer, direction), 0}, {batch, 1, units});
  return made;
}

void gru(Reading& r) {
  const Layer layer = layer_of(r, 3);
  check_common(r, layer);
  expect_activations(r, layer, {"sigmoid", "tanh"});
  const bool before = r.node.whole("linear_before_reset", 0) == 0;
  Gates gates{.gates = {0, 1, 2}, .biases = {{0, 3}, {1, 4}, {2, 5}}};
  if (!before) gates.biases = {{0, 3}, {1, 4}, {2}, {5}};
  std::vector<Made> made;
  for (int64_t direction = 0; direction < layer.directions; ++direction)
    made.push_back(
        recurrent_of(r, layer, direction, before ? Cell::kGruResetBefore : Cell::kGru, gates));
  finish(r, layer, made);
}

void rnn(Reading& r) {
  const Layer layer = layer_of(r, 1);
  check_common(r, layer);
  const std::vector<std::string> activations =
      activations_of(r, std::vector<std::string>(static_cast<size_t>(layer.directions), "tanh"));
  std::vector<Made> made;
  for (int64_t direction = 0; direction < layer.directions; ++direction) {
    if (std::ssize(activations) != layer.directions) r.node.damaged("activations of other layers");
    const std::string& activation = activations[static_cast<size_t>(direction)];
    if (activation != "tanh" && activation != "relu")
      r.node.refuse("is not supported with other activations than Tanh and Relu");
    made.push_back(recurrent_of(r, layer, direction,
                                activation == "tanh" ? Cell::kTanh : Cell::kRelu,
                                {.gates = {0}, .biases = {{0, 1}}}));
  }
  finish(r, layer, made);
}

}  // namespace

const ReadNodes& recurrent_operators() {
  static const ReadNodes all = {{"GRU", gru}, {"LSTM", lstm}, {"RNN", rnn}};
  return all;
}

}  // namespace thimble::onnx
