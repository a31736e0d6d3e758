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

/// What the form of an operator demands that its operands leave it.
std::optional<Demands> possible_demands(const Graph& graph, OpId id, const Ranges& ranges,
                                        const QuantiseOptions& options) {
  const Op& op = graph.op(id);
  const Format format = options.formats.empty() ? Format::kInt8 : options.formats[id.index()];
  std::optional<Demands> demands = demands_of(op.attributes, op.inputs.size(), format);
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

/// Weights of 4 bits are for layers whose kernels have them so.
Format weight_format(const Op& op, Format format) {
  const bool packs = std::holds_alternative<Conv2D>(op.attributes) ||
                     std::holds_alternative<FullyConnected>(op.attributes);
  return format == Format::kInt4 && !packs ? Format::kInt8 : format;
}

/// The network in integers, operator by operator in the order of the original.
class Network {
 public:
  Network(const Graph& from, const Ranges& ranges, const DemandsOfOps& demands,
          const QuantiseOptions& options)
      : from_(from),
        demands_(demands),
        options_(options),
        groups_(from, demands, ranges),
        real_(from.tensors.size()),
        int8_(from.tensors.size()),
        int16_(from.tensors.size()) {
    to_.name = from.name;
    native_.resize(from.tensors.size());
  }

  Quantised run() {
    for (const State& state : from_.states) real_[state.in.index()] = copied(state.in);
    for (const Port& port : from_.inputs) add_input(port);
    for (size_t o = 0; o < from_.ops.size(); ++o) {
      if (demands_[o]) {
        add_integer(from_.ops[o], *demands_[o]);
      } else {
        add_real(from_.ops[o]);
      }
    }
    for (const Port& port : from_.outputs) add_output(port);
    for (const State& state : from_.states)
      to_.states.push_back(
          {real_[state.in.index()], as(state.out, DType::kFloat32), state.initial});
    std::vector<size_t> scale_groups = groups();
    return {std::move(to_), std::move(left_in_float_), std::move(native_), std::move(layers_),
            std::move(scale_groups)};
  }

  /// The operator of the original that each of run()'s is, or is converted for.
  [[nodiscard]] const std::vector<size_t>& origins() const { return origins_; }

 private:
  [[nodiscard]] std::vector<size_t> groups() const {
    std::vector<size_t> result;
    for (size_t t = 0; t < from_.tensors.size(); ++t) {
      const TensorId made = native_[t];
      const DType type = made.valid() ? to_.tensor(made).type : DType::kInt8;
      result.push_back(groups_.group(TensorId{static_cast<int32_t>(t)}, type));
    }
    return result;
  }
  TensorId add(Tensor tensor) {
    to_.tensors.push_back(std::move(tensor));
    return TensorId{static_cast<int32_t>(std::ssize(to_.tensors) - 1)};
  }
  TensorId copied(TensorId t) { return add(from_.tensor(t)); }
  TensorId integer(TensorId t, DType type, const Quantization& scale, const std::string& suffix) {
    const Tensor& tensor = from_.tensor(t);
    return add({tensor.name + suffix, tensor.shape, type, scale, nullptr});
  }
  void add_op(Attributes attributes, std::vector<TensorId> inputs, std::vector<TensorId> outputs,
              int file_index = -1) {
    to_.ops.push_back({std::move(attributes), std::move(inputs), std::move(outputs), file_index});
    origins_.push_back(origin_);
  }
  std::vector<TensorId>& forms(DType type) {
    return type == DType::kInt8 ? int8_ : type == DType::kInt16 ? int16_ : real_;
  }
  /// As its producer has it, in integers.
  TensorId add_native(TensorId t, DType type, const Quantization& scale) {
    native_[t.index()] = forms(type)[t.index()] = integer(t, type, scale, "");
    return native_[t.index()];
  }
  /// The form that there is already, of whatever type.
  TensorId known(TensorId t) {
    if (native_[t.index()].valid()) return native_[t.index()];
    check(real_[t.index()].valid(), "a tensor is read before it is computed");
    return real_[t.index()];
  }

  void add_input(const Port& port) {
    Port added = port;
    const TensorId t = port.tensor;
    if (!is_real(from_.tensor(t)) || options_.ports == DType::kFloat32) {
      added.tensor = real_[t.index()] = copied(t);
    } else if (options_.ports == DType::kUInt8) {
      added.tensor = integer(t, DType::kUInt8, unsigned_scale(t), "");
      native_[t.index()] = int8_[t.index()] =
          integer(t, DType::kInt8, groups_.of(t, DType::kInt8), "_int8");
      add_op(Quantize{}, {added.tensor}, {int8_[t.index()]});
    } else {
      added.tensor = add_native(t, options_.ports, groups_.of(t, options_.ports));
    }
    to_.inputs.push_back(added);
  }

  void add_output(const Port& port) {
    Port added = port;
    const TensorId t = port.tensor;
    if (!is_real(from_.tensor(t)) || !native_[t.index()].valid()) {
      added.tensor = as(t, DType::kFloat32);
    } else if (options_.ports == DType::kUInt8) {
      const TensorId integers = as(t, DType::kInt8);
      added.tensor = integer(t, DType::kUInt8, unsigned_scale(t), "");
      rename(t, added.tensor);
      add_op(Quantize{}, {integers}, {added.tensor});
    } else {
      added.tensor = as(t, options_.ports);
      if (added.tensor != native_[t.index()]) rename(t, added.tensor);
    }
    to_.outputs.push_back(added);
  }

  /// The caller knows the tensor by its name.
  void rename(TensorId t, TensorId port) {
    Tensor& native = to_.tensor(native_[t.index()]);
    native.name = from_.tensor(t).name + "_" + thimble::name(native.type);
    to_.tensor(port).name = from_.tensor(t).name;
  }

  Quantization unsigned_scale(TensorId t) const {
    Quantization scale = groups_.of(t, DType::kInt8);
    scale.zero_points[0] += 128;
    return scale;
  }

  /// A tensor of the original in a type, converted if it is not there yet.
  TensorId as(TensorId t, DType type) {
    TensorId& form = forms(type)[t.index()];
    if (form.valid()) return form;
    if (from_.tensor(t).is_constant()) {
      return form = type == DType::kFloat32
                        ? copied(t)
                        : add(quantised_constant(from_.tensor(t), type, groups_.of(t, type)));
    }
    const TensorId from = known(t);
    if (type == DType::kFloat32) {
      form = copied(t);
      to_.tensor(form).name += "_float32";
      add_op(Dequantize{}, {from}, {form});
    } else {
      form = integer(t, type, groups_.of(t, type), std::string("_") + thimble::name(type));
      add_op(Quantize{}, {from}, {form});
      if (!native_[t.index()].valid()) native_[t.index()] = form;
    }
    return form;
  }

  void add_real(const Op& op) {
    left_in_float_.push_back(label(op));
    std::vector<TensorId> inputs, outputs;
    for (const TensorId t : op.inputs) inputs.push_back(as(t, DType::kFloat32));
    for (const TensorId t : op.outputs) outputs.push_back(real_[t.index()] = copied(t));
    add_op(op.attributes, std::move(inputs), std::move(outputs), op.file_index);
    ++origin_;
  }

  void add_integer(const Op& op, const Demands& demands) {
    const DType type = activation_type(demands.format);
    std::vector<TensorId> inputs;
    for (size_t k = 0; k < op.inputs.size(); ++k) {
      if (demands.weighted && k > 0) break;
      const TensorId t = op.inputs[k];
      inputs.push_back(as(t, is_real(from_.tensor(t)) ? type : DType::kFloat32));
    }
    if (demands.weighted) add_weights(op, demands, inputs);

    const TensorId y = op.outputs[0];
    if (demands.output == Output::kInteger) {
      real_[y.index()] = copied(y);
      add_op(op.attributes, std::move(inputs), {real_[y.index()]}, op.file_index);
    } else if (const Quantization& scale = groups_.of(y, type);
               demands.output == Output::kFixed && demands.fixed != scale) {
      const TensorId own = integer(y, type, demands.fixed, "_own_scale");
      add_op(op.attributes, std::move(inputs), {own}, op.file_index);
      add_op(Quantize{}, {own}, {add_native(y, type, scale)});
    } else {
      const TensorId made = add_native(y, type, scale);
      add_op(in_scale(op.attributes, type, scale), std::move(inputs), {made}, op.file_index);
    }
    ++origin_;
  }

  /// Numbers that attributes have in the operands' type.
  static Attributes in_scale(Attributes attributes, DType type, const Quantization& scale) {
    if (auto* pad = std::get_if<Pad>(&attributes)) {
      float value = 0;
      std::memcpy(&value, &pad->value, sizeof(value));
      pad->value = nearest_integer(value, type, scale);
    }
    return attributes;
  }

  void add_weights(const Op& op, const Demands& demands, std::vector<TensorId>& inputs) {
    const Tensor* bias = op.inputs.size() > 2 ? &from_.tensor(op.inputs[2]) : nullptr;
    const Format format = weight_format(op, demands.format);
    QuantisedWeights made = quantised_weights(from_.tensor(op.inputs[1]), bias,
                                              {.axis = demands.weights_axis,
                                               .largest = largest_weight(format),
                                               .wide_sums = format == Format::kInt16},
                                              to_.tensor(inputs[0]).quantization.scales[0]);
    inputs.push_back(add(std::move(made.weights)));
    if (made.bias) inputs.push_back(add(std::move(*made.bias)));
    layers_.push_back({OpId{static_cast<int32_t>(origin_)},
                       OpId{static_cast<int32_t>(std::ssize(to_.ops))}, format});
  }

  const Graph& from_;
  const DemandsOfOps& demands_;
  const QuantiseOptions& options_;
  ScaleGroups groups_;
  Graph to_;
  /// By tensor of the original; invalid: not there yet.
  std::vector<TensorId> real_, int8_, int16_, native_;
  std::vector<std::string> left_in_float_;
  std::vector<MadeLayer> layers_;
  std::vector<size_t> origins_;
  size_t origin_ = 0;
};

}  // namespace

Quantised quantised(const Graph& graph, const Ranges& ranges, const QuantiseOptions& options) {
  DemandsOfOps demands;
  for (int32_t o = 0; o < std::ssize(graph.ops); ++o)
    demands.push_back(possible_demands(graph, OpId{o}, ranges, options));
  for (;;) {
    if (std::ranges::none_of(demands, [](const auto& d) { return d.has_value(); }))
      throw CompileError(graph.name, "has no operator of float32 that has a form in integers");
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
