// SPDX-License-Identifier: Apache-2.0
#include "thimble/import/onnx/islands.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <set>

#include "thimble/import/constants.h"
#include "thimble/import/onnx/movement.h"

namespace thimble::onnx {
namespace {

class Islands {
 public:
  Islands(Steps network, const std::map<TensorId, Constant>& integers,
          const std::vector<TensorId>& ports, Arithmetic arithmetic)
      : arithmetic_(arithmetic), steps_(std::move(network.steps)), integers_(integers) {
    graph_.tensors = std::move(network.tensors);
    for (const TensorId port : ports) ports_.insert(port);
  }

  Steps run() {
    move_forwards();
    move_backwards();
    count_readers();
    for (size_t k = 0; k < steps_.size(); ++k) look_at(k);
    remove_unread();
    return {std::move(steps_), std::move(graph_.tensors)};
  }

 private:
  [[nodiscard]] Tensor& tensor(TensorId id) { return graph_.tensors[id.index()]; }

  TensorId add(const Tensor& like, DType type, Quantization quantization) {
    const TensorId id = {static_cast<int32_t>(graph_.tensors.size())};
    Tensor made = like;
    made.name += "/" + std::to_string(id.value);
    made.type = type;
    made.quantization = std::move(quantization);
    made.data = nullptr;
    graph_.tensors.push_back(std::move(made));
    return id;
  }

  /// The integers that a tensor of numbers stands for; invalid: none.
  [[nodiscard]] TensorId integer_of(TensorId numbers) const {
    const auto found = integer_of_.find(numbers);
    return found == integer_of_.end() ? TensorId() : found->second;
  }

  // ---- What only moves elements

  /// DEQUANTIZE, then a movement    becomes    the movement, then DEQUANTIZE
  void move_forwards() {
    std::vector<Step> result;
    for (Step& step : steps_) {
      if (std::holds_alternative<Dequantize>(step.op.attributes))
        integer_of_[step.op.outputs[0]] = step.op.inputs[0];
      std::optional<Op> moved;
      if (is_movement(step.op.attributes)) moved = of_integers(step.op);
      if (!moved) {
        result.push_back(std::move(step));
        continue;
      }
      const TensorId numbers = step.op.outputs[0], integers = moved->outputs[0];
      result.push_back({std::move(*moved), step.where});
      result.push_back({{Dequantize{}, {integers}, {numbers}, step.op.file_index}, step.where});
      integer_of_[numbers] = integers;
    }
    steps_ = std::move(result);
  }

  /// A movement of the integers that its inputs stand for; nothing: they are of several kinds.
  std::optional<Op> of_integers(const Op& op) {
    Op moved = op;
    const TensorId first = integer_of(op.inputs[0]);
    if (!first.valid()) return std::nullopt;
    const bool all = std::holds_alternative<Concat>(op.attributes);
    for (size_t k = 0; k < (all ? op.inputs.size() : 1); ++k) {
      const TensorId integers = integer_of(op.inputs[k]);
      if (!integers.valid() || tensor(integers).type != tensor(first).type ||
          tensor(integers).quantization != tensor(first).quantization)
        return std::nullopt;
      moved.inputs[k] = integers;
    }
    if (auto* pad = std::get_if<Pad>(&moved.attributes)) {
      float value = 0;
      std::memcpy(&value, &pad->value, sizeof value);
      const Quantization& as = tensor(first).quantization;
      const float integer = value / as.scales[0] + static_cast<float>(as.zero_points[0]);
      if (std::abs(integer - std::nearbyint(integer)) > 1e-3F || std::abs(integer) > 127)
        return std::nullopt;
      pad->value = static_cast<int32_t>(std::nearbyint(integer));
    }
    const Tensor like = tensor(op.outputs[0]);
    moved.outputs = {add(like, tensor(first).type, tensor(first).quantization)};
    return moved;
  }

  /// A movement, then QUANTIZE    becomes    QUANTIZE, then the movement
  void move_backwards() {
    std::map<TensorId, size_t> maker;
    std::map<TensorId, int> reads;
    std::vector<size_t> joins;  // quantisations of what was joined
    for (size_t k = 0; k < steps_.size(); ++k) {
      for (const TensorId id : steps_[k].op.outputs) maker[id] = k;
      for (const TensorId id : steps_[k].op.inputs) ++reads[id];
    }
    for (size_t k = steps_.size(); k-- > 0;) {
      const Op quantize = steps_[k].op;
      if (!std::holds_alternative<Quantize>(quantize.attributes)) continue;
      const TensorId numbers = quantize.inputs[0];
      const auto made = maker.find(numbers);
      if (made == maker.end() || reads[numbers] != 1 || ports_.contains(numbers)) continue;
      Op& movement = steps_[made->second].op;
      if (std::holds_alternative<Concat>(movement.attributes)) joins.push_back(k);
      const bool moves = moves_one(movement.attributes);
      if (!moves || tensor(movement.inputs[0]).type != DType::kFloat32) continue;
      const Tensor like = tensor(movement.inputs[0]);
      const Tensor integers = tensor(quantize.outputs[0]);
      Op last = movement;
      const TensorId between = add(like, integers.type, integers.quantization);
      last.inputs[0] = between;
      last.outputs = quantize.outputs;
      movement = {Quantize{}, {movement.inputs[0]}, {between}, movement.file_index};
      steps_[k].op = std::move(last);
      maker[between] = made->second;
    }
    if (arithmetic_ == Arithmetic::kOnnx) quantise_before(joins, maker);
  }

  /// CONCATENATION, then QUANTIZE    becomes    QUANTIZE of each input, then CONCATENATION
  void quantise_before(const std::vector<size_t>& quantize_steps,
                       const std::map<TensorId, size_t>& maker) {
    std::map<size_t, std::vector<Step>> before;
    for (const size_t k : quantize_steps) {
      const Op quantize = steps_[k].op;
      const size_t at = maker.at(quantize.inputs[0]);
      Op& joins = steps_[at].op;
      const Tensor integers = tensor(quantize.outputs[0]);
      if (std::ranges::any_of(joins.inputs, [&](TensorId id) {
            return tensor(id).type != DType::kFloat32 || tensor(id).is_constant();
          }))
        continue;
      Op last = joins;
      for (TensorId& id : last.inputs) {
        const Tensor like = tensor(id);
        const TensorId rounded = add(like, integers.type, integers.quantization);
        before[k].push_back({{Quantize{}, {id}, {rounded}, joins.file_index}, steps_[at].where});
        id = rounded;
      }
      last.outputs = quantize.outputs;
      steps_[k].op = std::move(last);
    }
    std::vector<Step> result;  // what nothing reads any more is removed later
    for (size_t k = 0; k < steps_.size(); ++k) {
      for (Step& step : before[k]) result.push_back(std::move(step));
      result.push_back(std::move(steps_[k]));
    }
    steps_ = std::move(result);
  }

  static bool moves_one(const Attributes& attributes) {
    return std::holds_alternative<Reshape>(attributes) ||
           std::holds_alternative<Transpose>(attributes) ||
           std::holds_alternative<Slice>(attributes) ||
           std::holds_alternative<MaxPool2D>(attributes);
  }

  // ---- Operators

  void count_readers() {
    integer_of_.clear();
    for (size_t k = 0; k < steps_.size(); ++k) {
      for (const TensorId id : steps_[k].op.inputs) readers_[id].push_back(k);
    }
  }

  void look_at(size_t k) {
    Op& op = steps_[k].op;
    for (TensorId& id : op.inputs) {
      const auto other = instead_.find(id);
      if (other != instead_.end()) id = other->second;
    }
    if (std::holds_alternative<Dequantize>(op.attributes)) {
      integer_of_[op.outputs[0]] = op.inputs[0];
    } else if (std::holds_alternative<Quantize>(op.attributes)) {
      const TensorId integers = integer_of(op.inputs[0]);
      if (!integers.valid()) return;
      if (arithmetic_ == Arithmetic::kOnnx) {
        if (tensor(integers).type != DType::kInt8 || tensor(op.outputs[0]).type != DType::kInt8)
          return;
        op.attributes.arithmetic = Arithmetic::kOnnx;
      }
      op.inputs[0] = integers;  // from one scale to another
    } else if (op.outputs.size() == 1 && tensor(op.outputs[0]).type == DType::kFloat32) {
      make_whole(k);
    }
  }

  /// Whether the operator is computed in integers, in this arithmetic.
  [[nodiscard]] bool is_computed(const Op& op) {
    if (arithmetic_ != Arithmetic::kOnnx) return true;
    const auto is_of_onnx = []<class Operator>(const Operator&) { return kIsOfOnnx<Operator>; };
    return std::visit(is_of_onnx, op.attributes);
  }

  /// Whether the bounds of its activation are no ties, which kernels round away from zero.
  [[nodiscard]] static bool has_plain_bounds(const Op& op, const Tensor& output) {
    const auto plain = [&](float bound) {
      const float steps = std::abs(bound / output.quantization.scales.at(0));
      return steps - std::floor(steps) != 0.5F;
    };
    return std::visit(
        [&]<class Operator>(const Operator& a) {
          if constexpr (requires { a.activation; }) {
            if (a.activation == Activation::kRelu6) return plain(6);
            if (a.activation == Activation::kReluN1To1 || a.activation == Activation::kRelu0To1)
              return plain(1);
          }
          return true;
        },
        op.attributes);
  }

  /// Whether doubles hold each sum of an ADD (runtime/portable/rounded_number.h).
  [[nodiscard]] bool adds_exactly(const Op& op, const Tensor& output) {
    constexpr float kLeast = 0x1p-16F, kMost = 0x1p8F;
    if (!std::holds_alternative<Add>(op.attributes)) return true;
    return std::ranges::all_of(op.inputs, [&](TensorId id) {
      const float ratio = tensor(id).quantization.scales.at(0) / output.quantization.scales.at(0);
      return kLeast <= ratio && ratio <= kMost;
    });
  }

  /// The operator at k in integers, if all around it are.
  void make_whole(size_t k) {
    if (!is_computed(steps_[k].op)) return;
    const TensorId numbers = steps_[k].op.outputs[0];
    const std::vector<size_t> readers = readers_[numbers];
    if (readers.empty() || ports_.contains(numbers)) return;
    const TensorId integers = steps_[readers[0]].op.outputs[0];
    for (const size_t reader : readers) {
      const Op& other = steps_[reader].op;
      if (!std::holds_alternative<Quantize>(other.attributes) ||
          tensor(other.outputs[0]).quantization != tensor(integers).quantization ||
          tensor(other.outputs[0]).type != DType::kInt8)
        return;
    }
    std::optional<Op> whole = with_integer_inputs(steps_[k].op);
    if (!whole) return;
    const Tensor wanted = tensor(integers);
    if (arithmetic_ == Arithmetic::kOnnx &&
        (!has_plain_bounds(*whole, wanted) || !adds_exactly(*whole, wanted)))
      return;
    whole->attributes.arithmetic = arithmetic_;
    for (const Quantization& as : quantizations(*whole, wanted.quantization)) {
      const bool direct = as == wanted.quantization;
      whole->outputs = {direct ? integers : add(wanted, DType::kInt8, as)};
      Op checked = *whole;
      if (!refusal_of(checked, graph_).empty()) continue;
      steps_[k].op = std::move(checked);
      for (const size_t reader : readers) {
        Op& quantize = steps_[reader].op;
        if (direct) {
          if (quantize.outputs[0] != integers) instead_[quantize.outputs[0]] = integers;
          removed_.insert(reader);
        } else {
          quantize.inputs[0] = whole->outputs[0];
        }
      }
      return;
    }
  }

  /// What an operator may have to make: the wanted, that of its input, or a fixed one.
  std::vector<Quantization> quantizations(const Op& op, const Quantization& wanted) {
    constexpr float kProbability = 1.0F / 256, kTanh = 1.0F / 128, kLogarithm = 16.0F / 256;
    if (arithmetic_ == Arithmetic::kOnnx) return {wanted};
    std::vector<Quantization> result = {wanted, tensor(op.inputs[0]).quantization};
    result.push_back({.scales = {kProbability}, .zero_points = {-128}, .axis = 0});
    result.push_back({.scales = {kTanh}, .zero_points = {0}, .axis = 0});
    result.push_back({.scales = {kLogarithm}, .zero_points = {127}, .axis = 0});
    return result;
  }

  std::optional<Op> with_integer_inputs(const Op& op) {
    Op whole = op;
    const std::optional<int> axis = axis_of_outputs(op);
    const size_t summed = axis ? 3 : 0;
    for (size_t k = 0; k < op.inputs.size(); ++k) {
      TensorId id = integer_of(op.inputs[k]);
      if (id.valid() && tensor(id).type != DType::kInt8) return std::nullopt;
      if (!id.valid() && tensor(op.inputs[k]).is_constant()) {
        if (k == 1 && k < summed)
          id = integer_weights(op.inputs[k], *axis);
        else if (k == 2 && k < summed)
          id = integer_bias(op.inputs[k], whole);
        else
          id = integer_operand(op.inputs[k]);
      }
      if (!id.valid()) return std::nullopt;
      whole.inputs[k] = id;
    }
    return whole;
  }

  /// The axis of weights that has an index per output; nothing: there are no weights.
  static std::optional<int> axis_of_outputs(const Op& op) {
    if (std::holds_alternative<DepthwiseConv2D>(op.attributes)) return 3;
    if (std::holds_alternative<Conv2D>(op.attributes) ||
        std::holds_alternative<TransposeConv>(op.attributes) ||
        std::holds_alternative<FullyConnected>(op.attributes))
      return 0;
    return std::nullopt;
  }

  [[nodiscard]] static std::vector<float> numbers_of(const Tensor& t) {
    return reals({.type = t.type, .shape = t.shape, .data = t.data});
  }

  TensorId add_constant(const Tensor& like, const std::vector<int64_t>& values, DType type,
                        Quantization quantization) {
    const TensorId made = add(like, type, std::move(quantization));
    tensor(made).data = constant_of(like.shape, values, type).data;
    return made;
  }

  /// The integers that constants were; invalid: they were none, or have a zero point of their own.
  TensorId integer_weights(TensorId id, int axis) {
    const auto known = integers_.find(id);
    const Tensor from = tensor(id);
    if (known == integers_.end() || from.type != DType::kFloat32) return {};
    const std::vector<float>& scales = known->second.scales;
    const auto channels = static_cast<size_t>(from.shape[static_cast<size_t>(axis)]);
    if (scales.size() != 1 && scales.size() != channels) return {};
    size_t inner = 1;
    for (size_t k = static_cast<size_t>(axis) + 1; k < from.shape.size(); ++k)
      inner *= static_cast<size_t>(from.shape[k]);
    const std::vector<float> numbers = numbers_of(from);
    std::vector<int64_t> values(numbers.size());
    for (size_t k = 0; k < values.size(); ++k) {
      const float scale = scales.size() == 1 ? scales[0] : scales[k / inner % channels];
      values[k] = std::llrint(numbers[k] / scale);
      if (values[k] < -128 || values[k] > 127) return {};
    }
    return add_constant(
        from, values, DType::kInt8,
        {.scales = scales, .zero_points = std::vector<int32_t>(scales.size(), 0), .axis = axis});
  }

  /// By the scales of the integers that are multiplied, which are there already.
  TensorId integer_bias(TensorId id, const Op& op) {
    const Tensor from = tensor(id);
    const float x = tensor(op.inputs[0]).quantization.scales.at(0);
    std::vector<float> scales = tensor(op.inputs[1]).quantization.scales;
    for (float& scale : scales) scale *= x;
    const std::vector<float> numbers = numbers_of(from);
    if (scales.size() != 1 && scales.size() != numbers.size()) return {};
    std::vector<int64_t> values(numbers.size());
    for (size_t k = 0; k < values.size(); ++k) {
      const double ratio =
          static_cast<double>(numbers[k]) / static_cast<double>(scales[scales.size() == 1 ? 0 : k]);
      if (!(std::abs(ratio) < INT32_MAX)) return {};
      values[k] = std::llrint(ratio);
      const double rest = std::abs(ratio - static_cast<double>(values[k]));
      if (arithmetic_ == Arithmetic::kOnnx && !integers_.contains(id) && rest > 1e-3) return {};
    }
    const std::vector<int32_t> zeros(scales.size(), 0);
    return add_constant(from, values, DType::kInt32,
                        {.scales = std::move(scales), .zero_points = zeros, .axis = 0});
  }

  TensorId integer_operand(TensorId id) {
    const Tensor from = tensor(id);
    if (from.type != DType::kFloat32) return {};
    const std::vector<float> numbers = numbers_of(from);
    if (numbers.empty()) return {};
    float scale = std::abs(numbers[0]);
    int32_t zero = 0;
    if (const auto known = integers_.find(id); known != integers_.end()) {
      if (known->second.scales.size() != 1) return {};
      scale = known->second.scales[0];
      zero = known->second.zero_point;
    } else if (scale == 0 ||
               std::ranges::any_of(numbers, [&](float n) { return n != numbers[0]; })) {
      return {};  // one number is 1 or -1 of a scale of its own
    }
    std::vector<int64_t> values(numbers.size());
    for (size_t k = 0; k < values.size(); ++k) {
      values[k] = std::llrint(numbers[k] / scale) + zero;
      if (values[k] < -128 || values[k] > 127) return {};
    }
    return add_constant(from, values, DType::kInt8,
                        {.scales = {scale}, .zero_points = {zero}, .axis = 0});
  }

  // ---- What is left over

  void remove_unread() {
    std::set<TensorId> read(ports_);
    std::vector<Step> kept;
    for (size_t k = steps_.size(); k-- > 0;) {
      const Op& op = steps_[k].op;
      const bool wanted =
          std::ranges::any_of(op.outputs, [&](TensorId t) { return read.contains(t); });
      if (removed_.contains(k) || !wanted) continue;
      read.insert(op.inputs.begin(), op.inputs.end());
      kept.push_back(std::move(steps_[k]));
    }
    std::ranges::reverse(kept);
    steps_ = std::move(kept);
  }

  Arithmetic arithmetic_;
  std::vector<Step> steps_;
  Graph graph_;  ///< tensors alone
  const std::map<TensorId, Constant>& integers_;
  std::set<TensorId> ports_;
  std::map<TensorId, TensorId> integer_of_, instead_;
  std::map<TensorId, std::vector<size_t>> readers_;
  std::set<size_t> removed_;
};

}  // namespace

Steps in_numbers(Steps network) {
  std::vector<Step> result;
  for (Step& step : network.steps) {
    const bool rounds = std::holds_alternative<Quantize>(step.op.attributes) &&
                        network.tensors[step.op.inputs.at(0).index()].type == DType::kFloat32;
    const Tensor* integers = rounds ? &network.tensors[step.op.outputs[0].index()] : nullptr;
    if (rounds && integers->type == DType::kInt8) {
      step.op.attributes.arithmetic = Arithmetic::kOnnx;
    } else if (rounds) {
      const TensorId x = step.op.inputs[0];
      const float scale = integers->quantization.scales.at(0);
      const auto add = [&](Tensor made) {
        made.name += "/" + std::to_string(network.tensors.size());
        network.tensors.push_back(std::move(made));
        return TensorId{static_cast<int32_t>(network.tensors.size()) - 1};
      };
      const Tensor like = network.tensors[x.index()];
      const Constant one_scale = constant_of(Shape(like.shape.size(), 1), std::vector{scale});
      const TensorId by = add({.name = like.name + "/scale",
                               .shape = one_scale.shape,
                               .type = DType::kFloat32,
                               .data = one_scale.data});
      const TensorId steps = add(like), whole = add(like), again = add(like);
      const int number = step.op.file_index;
      result.push_back({{Div{}, {x, by}, {steps}, number}, step.where});
      result.push_back({{Elementwise{Function::kRound}, {steps}, {whole}, number}, step.where});
      result.push_back({{Mul{}, {whole, by}, {again}, number}, step.where});
      step.op.inputs[0] = again;
    }
    result.push_back(std::move(step));
  }
  network.steps = std::move(result);
  return network;
}

Steps in_integers(Steps network, const std::map<TensorId, Constant>& integers,
                  const std::vector<TensorId>& ports, Arithmetic arithmetic) {
  return Islands(std::move(network), integers, ports, arithmetic).run();
}

}  // namespace thimble::onnx
