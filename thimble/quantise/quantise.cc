// SPDX-License-Identifier: Apache-2.0
#include "thimble/quantise/quantise.h"

#include <algorithm>
#include <cstring>

#include "thimble/model/error.h"
#include "thimble/operators/operators.h"
#include "thimble/quantise/demands.h"
#include "thimble/quantise/scale_groups.h"
#include "thimble/quantise/scales.h"
#include "thimble/reference/real_values.h"

namespace thimble {
namespace {

using Output = Demands::Output;

bool is_real(const Tensor& tensor) { return tensor.type == DType::kFloat32; }

/// Masks of minus infinity, and what becomes of them, do not.
bool has_scale(const Graph& graph, const Ranges& ranges, TensorId t) {
  const Tensor& tensor = graph.tensor(t);
  if (!is_real(tensor)) return true;
  if (!tensor.is_constant()) return ranges[t.index()].is_finite();
  return range_of(dequantised(tensor, *tensor.data)).is_finite();
}

/// The form of an operator in int8 that its operands leave.
std::optional<Demands> possible_demands(const Graph& graph, const Op& op, const Ranges& ranges,
                                        const QuantiseOptions& options) {
  std::optional<Demands> demands = int8_demands(op.attributes, op.inputs.size());
  if (!demands || op.outputs.size() != 1) return std::nullopt;
  const bool of_reals =
      std::ranges::any_of(op.inputs, [&](const TensorId t) { return is_real(graph.tensor(t)); });
  if (!of_reals) return std::nullopt;
  for (const auto* operands : {&op.inputs, &op.outputs})
    for (const TensorId t : *operands)
      if (!has_scale(graph, ranges, t)) return std::nullopt;
  if (!demands->weighted) return demands;
  demands->weighted = graph.tensor(op.inputs[1]).is_constant();
  if (!demands->weighted) return op.inputs.size() == 2 ? demands : std::nullopt;
  if (op.inputs.size() > 2 && !graph.tensor(op.inputs[2]).is_constant()) return std::nullopt;
  const bool dense = std::holds_alternative<FullyConnected>(op.attributes);
  if (dense && !options.dense_per_channel) demands->weights_axis.reset();
  return demands;
}

/// The network in int8, operator by operator in the order of the original.
class Network {
 public:
  Network(const Graph& from, const Ranges& ranges, const DemandsOfOps& demands,
          const QuantiseOptions& options)
      : from_(from),
        demands_(demands),
        options_(options),
        groups_(from, demands, ranges),
        real_(from.tensors.size()),
        int8_(from.tensors.size()) {
    to_.name = from.name;
  }

  Quantised run() {
    for (const State& state : from_.states) real_[state.in.index()] = copied(state.in);
    for (const Port& port : from_.inputs) add_input(port);
    for (size_t o = 0; o < from_.ops.size(); ++o) {
      if (demands_[o]) {
        add_int8(from_.ops[o], *demands_[o]);
      } else {
        add_real(from_.ops[o]);
      }
    }
    for (const Port& port : from_.outputs) add_output(port);
    for (const State& state : from_.states)
      to_.states.push_back({real_[state.in.index()], real(state.out), state.initial});
    return {std::move(to_), std::move(left_in_float_), std::move(int8_)};
  }

  /// The operator of the original that each of run()'s is, or is converted for.
  [[nodiscard]] const std::vector<size_t>& origins() const { return origins_; }

 private:
  TensorId add(Tensor tensor) {
    to_.tensors.push_back(std::move(tensor));
    return TensorId{static_cast<int32_t>(std::ssize(to_.tensors) - 1)};
  }
  TensorId copied(TensorId t) { return add(from_.tensor(t)); }
  TensorId integer(TensorId t, const Quantization& scale, const char* suffix = "") {
    const Tensor& tensor = from_.tensor(t);
    return add({tensor.name + suffix, tensor.shape, DType::kInt8, scale, nullptr});
  }
  void add_op(Attributes attributes, std::vector<TensorId> inputs, std::vector<TensorId> outputs,
              int file_index = -1) {
    to_.ops.push_back({std::move(attributes), std::move(inputs), std::move(outputs), file_index});
    origins_.push_back(origin_);
  }

  void add_input(const Port& port) {
    const size_t t = port.tensor.index();
    Port added = port;
    if (is_real(from_.tensor(port.tensor)) && options_.ports == PortType::kInt8) {
      int8_[t] = integer(port.tensor, groups_.of(port.tensor));
      added.tensor = int8_[t];
    } else {
      real_[t] = copied(port.tensor);
      added.tensor = real_[t];
    }
    to_.inputs.push_back(added);
  }

  void add_output(const Port& port) {
    Port added = port;
    const bool integers = is_real(from_.tensor(port.tensor)) && options_.ports == PortType::kInt8 &&
                          int8_[port.tensor.index()].valid();
    added.tensor = integers ? int8_[port.tensor.index()] : real(port.tensor);
    if (!integers && int8_[port.tensor.index()].valid()) rename(port.tensor);
    to_.outputs.push_back(added);
  }

  /// The caller knows the tensor of float32 by its name.
  void rename(TensorId t) {
    const std::string& name = from_.tensor(t).name;
    to_.tensor(int8_[t.index()]).name = name + "_int8";
    to_.tensor(real_[t.index()]).name = name;
  }

  /// As the original has it.
  TensorId real(TensorId t) {
    TensorId& known = real_[t.index()];
    if (known.valid()) return known;
    if (from_.tensor(t).is_constant()) return known = copied(t);
    check(int8_[t.index()].valid(), "a tensor is read before it is computed");
    known = copied(t);
    to_.tensor(known).name += "_float32";
    add_op(Dequantize{}, {int8_[t.index()]}, {known});
    return known;
  }

  TensorId int8(TensorId t) {
    TensorId& known = int8_[t.index()];
    if (known.valid()) return known;
    const Quantization& scale = groups_.of(t);
    if (from_.tensor(t).is_constant())
      return known = add(quantised_constant(from_.tensor(t), scale));
    check(real_[t.index()].valid(), "a tensor is read before it is computed");
    known = integer(t, scale, "_int8");
    add_op(Quantize{}, {real_[t.index()]}, {known});
    return known;
  }

  void add_real(const Op& op) {
    left_in_float_.push_back(label(op));
    std::vector<TensorId> inputs, outputs;
    for (const TensorId t : op.inputs) inputs.push_back(real(t));
    for (const TensorId t : op.outputs) outputs.push_back(real_[t.index()] = copied(t));
    add_op(op.attributes, std::move(inputs), std::move(outputs), op.file_index);
    ++origin_;
  }

  void add_int8(const Op& op, const Demands& demands) {
    std::vector<TensorId> inputs;
    for (size_t k = 0; k < op.inputs.size(); ++k) {
      if (demands.weighted && k > 0) break;
      const TensorId t = op.inputs[k];
      inputs.push_back(is_real(from_.tensor(t)) ? int8(t) : real(t));
    }
    if (demands.weighted) add_weights(op, demands, inputs);

    const TensorId y = op.outputs[0];
    if (demands.output == Output::kInteger) {
      real_[y.index()] = copied(y);
      add_op(op.attributes, std::move(inputs), {real_[y.index()]}, op.file_index);
    } else if (const Quantization& scale = groups_.of(y);
               demands.output == Output::kFixed && demands.fixed != scale) {
      const TensorId own = integer(y, demands.fixed, "_own_scale");
      add_op(op.attributes, std::move(inputs), {own}, op.file_index);
      add_op(Quantize{}, {own}, {int8_[y.index()] = integer(y, scale)});
    } else {
      int8_[y.index()] = integer(y, scale);
      add_op(in_scale(op.attributes, scale), std::move(inputs), {int8_[y.index()]}, op.file_index);
    }
    ++origin_;
  }

  /// Numbers that attributes have in the operands' type.
  static Attributes in_scale(Attributes attributes, const Quantization& scale) {
    if (auto* pad = std::get_if<Pad>(&attributes)) {
      float value = 0;
      std::memcpy(&value, &pad->value, sizeof(value));
      pad->value = nearest_int8(value, scale);
    }
    return attributes;
  }

  void add_weights(const Op& op, const Demands& demands, std::vector<TensorId>& inputs) {
    const Tensor* bias = op.inputs.size() > 2 ? &from_.tensor(op.inputs[2]) : nullptr;
    QuantisedWeights made =
        quantised_weights(from_.tensor(op.inputs[1]), bias, demands.weights_axis,
                          to_.tensor(inputs[0]).quantization.scales[0]);
    inputs.push_back(add(std::move(made.weights)));
    if (made.bias) inputs.push_back(add(std::move(*made.bias)));
  }

  const Graph& from_;
  const DemandsOfOps& demands_;
  const QuantiseOptions& options_;
  ScaleGroups groups_;
  Graph to_;
  std::vector<TensorId> real_, int8_;  ///< by tensor of the original; invalid: not there yet
  std::vector<std::string> left_in_float_;
  std::vector<size_t> origins_;
  size_t origin_ = 0;
};

}  // namespace

Quantised quantised(const Graph& graph, const Ranges& ranges, const QuantiseOptions& options) {
  DemandsOfOps demands;
  for (const Op& op : graph.ops) demands.push_back(possible_demands(graph, op, ranges, options));
  for (;;) {
    if (std::ranges::none_of(demands, [](const auto& d) { return d.has_value(); }))
      throw CompileError(graph.name, "has no operator of float32 that has a form in int8");
    Network network(graph, ranges, demands, options);
    Quantised result = network.run();
    // What a kernel does not take in int8 after all stays in float32, which changes who ties what.
    bool changed = false;
    for (size_t o = 0; o < result.graph.ops.size(); ++o) {
      std::optional<Demands>& made = demands[network.origins()[o]];
      if (result.graph.ops[o].file_index < 0 && !made) continue;
      if (!made || unsupported_reason(result.graph, result.graph.ops[o]).empty()) continue;
      made.reset();
      changed = true;
    }
    if (changed) continue;
    check_graph(result.graph);
    return result;
  }
}

}  // namespace thimble
