// SPDX-License-Identifier: Apache-2.0
#include "thimble/target/kernels/step_program.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <span>

#include "thimble/model/error.h"
#include "thimble/operators/step_rows.h"
#include "thimble/target/kernels/kernel_uses.h"

namespace thimble {
namespace {

using runtime::StepCall;
using runtime::StepKind;

constexpr size_t kRowsAtOnce = 4;  // of weights

class Assembler {
 public:
  explicit Assembler(const Graph& step)
      : step_(step), producers_(producers(step)), ends_(step.tensors.size()) {}

  StepProgram run() {
    find_ends();
    for (const Port& port : step_.inputs) allocate(port.tensor);
    for (size_t op = 0; op < step_.ops.size(); ++op)
      if (!is_view(step_, step_.ops[op])) add(op);
    int32_t state = places_.at(step_.inputs[1].tensor);
    for (const Port& port : step_.outputs) {
      const auto count = static_cast<int32_t>(elements(step_.tensor(port.tensor).shape));
      call({runtime::kStepCopy, {place_of(port.tensor, 1), 0}, state, count});
      state += count;
    }
    return std::move(result_);
  }

 private:
  /// Behind the last operator that reads a row; states are read at the end.
  void find_ends() {
    const auto read = [&](TensorId tensor, size_t by) {
      size_t& end = ends_[step_row(step_, producers_, tensor).tensor.index()];
      end = std::max(end, by + 1);
    };
    for (size_t op = 0; op < step_.ops.size(); ++op)
      if (!is_view(step_, step_.ops[op]))
        for (const TensorId id : step_.ops[op].inputs) read(id, op);
    for (const Port& port : step_.outputs) read(port.tensor, step_.ops.size());
    for (const Port& port : step_.inputs) read(port.tensor, step_.ops.size());
  }

  int32_t allocate(TensorId tensor) {
    const auto count = static_cast<int32_t>(elements(step_.tensor(tensor).shape));
    int32_t place = 0;
    for (const auto& [begin, end] : taken()) {
      if (begin - place >= count) break;
      place = std::max(place, end);
    }
    places_[tensor] = place;
    result_.scratch_bytes = std::max(result_.scratch_bytes, place + count);
    return place;
  }

  /// What lives at the operator in hand, ascending.
  [[nodiscard]] std::vector<std::pair<int32_t, int32_t>> taken() const {
    std::vector<std::pair<int32_t, int32_t>> result;
    for (const auto& [tensor, place] : places_)
      if (ends_[tensor.index()] > now_)
        result.emplace_back(place, place + elements(step_.tensor(tensor).shape));
    std::ranges::sort(result);
    return result;
  }

  /// Where an operator goes element by element: over an operand of the same extent that ends with
  /// it.
  int32_t allocate_over_operand(const Op& op) {
    const TensorId out = op.outputs[0];
    for (const TensorId operand : op.inputs) {
      const TensorId whole = step_row(step_, producers_, operand).tensor;
      if (step_.tensor(operand).is_constant() || ends_[whole.index()] != now_ + 1 ||
          elements(step_.tensor(whole).shape) != elements(step_.tensor(out).shape))
        continue;
      const int32_t place = places_.at(whole);
      ends_[whole.index()] = 0;
      return places_[out] = place;
    }
    return allocate(out);
  }

  /// The place of a row of `count` elements, which a constant of one element has then, too.
  int32_t place_of(TensorId tensor, int64_t count) {
    const Tensor& t = step_.tensor(tensor);
    if (t.is_constant()) {
      std::vector<int8_t> values(t.data->begin(), t.data->end());
      if (values.size() == 1) values.resize(static_cast<size_t>(count), values[0]);
      return constant(values);
    }
    const StepRow row = step_row(step_, producers_, tensor);
    return places_.at(row.tensor) + static_cast<int32_t>(row.begin);
  }

  int32_t constant(const std::vector<int8_t>& values) {
    auto [known, added] =
        constants_.try_emplace(values, ~static_cast<int32_t>(size(result_.bytes)));
    if (added) result_.bytes.insert(result_.bytes.end(), values.begin(), values.end());
    return known->second;
  }

  void call(const StepCall& call) {
    ++result_.call_count;
    append(call);
    result_.elements += call.count;
  }

  template <class Struct>
  void append(const Struct& numbers) {
    const size_t begin = result_.calls.size();
    result_.calls.resize(begin + sizeof(numbers) / sizeof(int32_t));
    std::memcpy(result_.calls.data() + begin, &numbers, sizeof(numbers));
  }

  void add(size_t number) {
    now_ = number;
    const Op& op = step_.ops[number];
    const KernelUse use = kernel_uses(step_, op, Method::kCompute).at(0);
    const std::vector<PackedConstant> packed = pack(step_, op, use.kernel);
    const auto count = static_cast<int32_t>(elements(step_.tensor(op.outputs[0]).shape));
    const auto pair = [&](StepKind kind, const auto& params) {
      const int32_t a = place_of(op.inputs[0], count), b = place_of(op.inputs[1], count);
      call({kind, {a, b}, allocate_over_operand(op), count});
      append(params);
    };
    switch (info(use.kernel).family) {
      case Family::kAdd:
        return pair(runtime::kStepSum, std::get<runtime::AddParams>(use.params));
      case Family::kSub:
        return pair(runtime::kStepDifference, std::get<runtime::AddParams>(use.params));
      case Family::kMul:
        return pair(runtime::kStepProduct, std::get<runtime::MulParams>(use.params));
      case Family::kLookup: {
        const auto* table = reinterpret_cast<const int8_t*>(packed.at(0).data.data());
        const int32_t x = place_of(op.inputs[0], count),
                      at = constant({table, table + packed[0].data.size()});
        return call({runtime::kStepLookup, {x, at}, allocate_over_operand(op), count});
      }
      case Family::kConv2D:
        return add_products(op, std::get<runtime::Conv2DParams>(use.params), packed, count);
      default:
        throw InternalError(label(op) + " is no operator of a step");
    }
  }

  /// packed: weights, biases, multipliers, shifts.
  void add_products(const Op& op, const runtime::Conv2DParams& p,
                    const std::vector<PackedConstant>& packed, int32_t count) {
    const auto* first = reinterpret_cast<const int8_t*>(packed.at(0).data.data());
    std::vector<int8_t> weights(first, first + packed[0].data.size());
    const auto columns = static_cast<size_t>(p.in_per_group);
    while (weights.size() / columns % kRowsAtOnce != 0) weights.resize(weights.size() + columns);
    const int32_t x = place_of(op.inputs[0], count);
    call({runtime::kStepProducts, {x, constant(weights)}, allocate(op.outputs[0]), count});
    append(runtime::StepProducts{p.in_per_group, p.output_zero_point, p.clamp_min, p.clamp_max});
    for (size_t k = 1; k < 4; ++k) append_numbers(packed.at(k), static_cast<size_t>(count));
    result_.products += count * p.in_per_group;
  }

  void append_numbers(const PackedConstant& constant, size_t count) {
    for (size_t k = 0; k < count; ++k) {
      int32_t value = 0;
      if (constant.type == DType::kInt8)
        value = static_cast<int8_t>(constant.data.data()[k]);
      else
        std::memcpy(&value, constant.data.data() + k * sizeof(value), sizeof(value));
      result_.calls.push_back(value);
    }
  }

  static int64_t size(const std::vector<int8_t>& bytes) { return std::ssize(bytes); }

  const Graph& step_;
  const std::vector<OpId> producers_;
  std::vector<size_t> ends_;  ///< per tensor that is no view
  std::map<TensorId, int32_t> places_;
  std::map<std::vector<int8_t>, int32_t> constants_;
  size_t now_ = 0;
  StepProgram result_;
};

}  // namespace

StepProgram step_program(const Graph& step) { return Assembler(step).run(); }

}  // namespace thimble
