// SPDX-License-Identifier: Apache-2.0
#include "thimble/import/tflite/extents.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <optional>

#include "thimble/import/tflite/operators/slices.h"

namespace thimble {
namespace {

using tfl::BuiltinOperator;
using Extents = std::vector<int64_t>;

constexpr int64_t kMostExtents = 64;  // of one tensor
constexpr int64_t kMostFilledBytes = 1 << 20;

bool is_integer(const Tensor& tensor) {
  return tensor.type == DType::kInt32 || tensor.type == DType::kInt64;
}

bool is_whole(const Tensor& tensor) { return is_integer(tensor) || tensor.type == DType::kBool; }

/// A few integers or booleans that stand in the file, or were found here.
bool has_extents(const TfliteOp& op, size_t i) {
  return op.inputs[i].valid() && is_whole(op.input(i)) && op.input(i).is_constant() &&
         op.input(i).shape.size() <= 1 && elements(op.input(i).shape) <= kMostExtents;
}

Extents extents_in(const TfliteOp& op, size_t i) {
  if (op.input(i).type != DType::kBool) return integers(op, i, "extents");
  return {op.input(i).data->begin(), op.input(i).data->end()};
}

/// `function` of pairs of numbers, or of a number and each of several; nothing without a result.
template <class Function>
std::optional<Extents> elementwise(const Extents& a, const Extents& b, Function function) {
  const size_t count = std::max(a.size(), b.size());
  if ((a.size() != count && a.size() != 1) || (b.size() != count && b.size() != 1))
    return std::nullopt;
  Extents result;
  for (size_t i = 0; i < count; ++i) {
    const std::optional<int64_t> value =
        function(a[a.size() == 1 ? 0 : i], b[b.size() == 1 ? 0 : i]);
    if (!value) return std::nullopt;
    result.push_back(*value);
  }
  return result;
}

std::optional<int64_t> product(int64_t a, int64_t b) {
  int64_t result = 0;
  return __builtin_mul_overflow(a, b, &result) ? std::nullopt : std::optional(result);
}

std::optional<int64_t> total(int64_t a, int64_t b) {
  int64_t result = 0;
  return __builtin_add_overflow(a, b, &result) ? std::nullopt : std::optional(result);
}

std::optional<int64_t> difference(int64_t a, int64_t b) {
  int64_t result = 0;
  return __builtin_sub_overflow(a, b, &result) ? std::nullopt : std::optional(result);
}

bool can_divide(int64_t a, int64_t b) {
  return b != 0 && !(b == -1 && a == std::numeric_limits<int64_t>::min());
}

std::optional<int64_t> quotient(int64_t a, int64_t b) {
  return can_divide(a, b) ? std::optional(a / b) : std::nullopt;
}

std::optional<int64_t> floored_quotient(int64_t a, int64_t b) {
  if (!can_divide(a, b)) return std::nullopt;
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

std::optional<int64_t> floored_remainder(int64_t a, int64_t b) {
  if (!can_divide(a, b)) return std::nullopt;
  const int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

std::optional<int64_t> both(int64_t a, int64_t b) { return a & b; }
std::optional<int64_t> either(int64_t a, int64_t b) { return a | b; }

template <class Relation>
std::optional<Extents> compared(const std::vector<Extents>& in, Relation relation) {
  return elementwise(in[0], in[1], [&](int64_t a, int64_t b) -> std::optional<int64_t> {
    return relation(a, b) ? 1 : 0;
  });
}

std::optional<int64_t> greater(int64_t a, int64_t b) { return std::max(a, b); }
std::optional<int64_t> lesser(int64_t a, int64_t b) { return std::min(a, b); }

/// The extents that shapes have once they are broadcast: aligned at the last axis.
std::optional<Extents> broadcast(Extents a, Extents b) {
  if (a.size() < b.size()) std::swap(a, b);
  b.insert(b.begin(), a.size() - b.size(), 1);
  return elementwise(a, b, [](int64_t x, int64_t y) -> std::optional<int64_t> {
    if (x != y && x != 1 && y != 1) return std::nullopt;
    return x == 1 ? y : x;
  });
}

template <class Function>
std::optional<Extents> reduced(const Extents& values, Function function) {
  if (values.empty()) return std::nullopt;
  Extents result{values[0]};
  for (size_t i = 1; i < values.size(); ++i) {
    const auto value = function(result[0], values[i]);
    if (!value) return std::nullopt;
    result[0] = *value;
  }
  return result;
}

std::optional<Extents> picked(const Extents& values, const Slice& slice, int64_t count) {
  if (slice.begin.size() != 1) return std::nullopt;
  Extents result;
  for (int64_t k = 0; k < count; ++k) {
    const int64_t index = slice.begin[0] + k * slice.stride[0];
    if (index < 0 || index >= std::ssize(values)) return std::nullopt;
    result.push_back(values[static_cast<size_t>(index)]);
  }
  return result;
}

std::optional<Extents> gathered(const Extents& values, const Extents& positions) {
  Extents result;
  for (const int64_t position : positions) {
    if (position < 0 || position >= std::ssize(values)) return std::nullopt;
    result.push_back(values[static_cast<size_t>(position)]);
  }
  return result;
}

bool is_clamped(const TfliteOp& op, BuiltinOperator code) {
  const bool may_be =
      code == BuiltinOperator::ADD || code == BuiltinOperator::SUB || code == BuiltinOperator::MUL;
  const auto* options = options_if_any<tfl::ActivationOptions>(op);
  return may_be && options != nullptr && options->activation != tfl::ActivationFunctionType::NONE;
}

/// What operators make of known integers alone.
std::optional<Extents> computed(const TfliteOp& op, BuiltinOperator code,
                                const std::vector<Extents>& in) {
  switch (code) {
    case BuiltinOperator::RESHAPE:
    case BuiltinOperator::SQUEEZE:
    case BuiltinOperator::EXPAND_DIMS:
    case BuiltinOperator::CAST:
      return in[0];
    case BuiltinOperator::PACK:
    case BuiltinOperator::CONCATENATION: {
      if (op.output().shape.size() != 1) return std::nullopt;
      Extents all;
      for (const Extents& part : in) all.insert(all.end(), part.begin(), part.end());
      return all;
    }
    case BuiltinOperator::UNPACK:
      if (op.input(0).shape.size() != 1 || op.output_number >= in[0].size()) return std::nullopt;
      return Extents{in[0][op.output_number]};
    case BuiltinOperator::SLICE:
      return picked(in[0], std::get<Slice>(slice(op)), elements(op.output().shape));
    case BuiltinOperator::STRIDED_SLICE:
      return picked(in[0], strided_slice_without_new_axes(op), elements(op.output().shape));
    case BuiltinOperator::GATHER:
      return op.input(0).shape.size() == 1 ? gathered(in[0], in[1]) : std::nullopt;
    case BuiltinOperator::REDUCE_PROD:
      return reduced(in[0], product);
    case BuiltinOperator::SUM:
      return reduced(in[0], total);
    case BuiltinOperator::REDUCE_MAX:
      return reduced(in[0], greater);
    case BuiltinOperator::REDUCE_MIN:
      return reduced(in[0], lesser);
    case BuiltinOperator::ADD:
      return elementwise(in[0], in[1], total);
    case BuiltinOperator::SUB:
      return elementwise(in[0], in[1], difference);
    case BuiltinOperator::MUL:
      return elementwise(in[0], in[1], product);
    case BuiltinOperator::DIV:
      return elementwise(in[0], in[1], quotient);
    case BuiltinOperator::FLOOR_DIV:
      return elementwise(in[0], in[1], floored_quotient);
    case BuiltinOperator::FLOOR_MOD:
      return elementwise(in[0], in[1], floored_remainder);
    case BuiltinOperator::BROADCAST_ARGS:
      return broadcast(in[0], in[1]);
    case BuiltinOperator::MAXIMUM:
      return elementwise(in[0], in[1], greater);
    case BuiltinOperator::MINIMUM:
      return elementwise(in[0], in[1], lesser);
    case BuiltinOperator::LESS:
      return compared(in, std::less());
    case BuiltinOperator::LESS_EQUAL:
      return compared(in, std::less_equal());
    case BuiltinOperator::GREATER:
      return compared(in, std::greater());
    case BuiltinOperator::GREATER_EQUAL:
      return compared(in, std::greater_equal());
    case BuiltinOperator::EQUAL:
      return compared(in, std::equal_to());
    case BuiltinOperator::NOT_EQUAL:
      return compared(in, std::not_equal_to());
    case BuiltinOperator::LOGICAL_AND:
      return elementwise(in[0], in[1], both);
    case BuiltinOperator::LOGICAL_OR:
      return elementwise(in[0], in[1], either);
    case BuiltinOperator::LOGICAL_NOT:
      return compared({in[0], {0}}, std::equal_to());
    default:
      return std::nullopt;
  }
}

std::optional<Extents> extents_of(const TfliteOp& op, BuiltinOperator code) {
  if (code == BuiltinOperator::SHAPE) return op.input(0).shape;
  if (code == BuiltinOperator::RANK) return Extents{std::ssize(op.input(0).shape)};
  if (is_clamped(op, code)) return std::nullopt;
  std::vector<Extents> in;
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    if (!has_extents(op, i)) return std::nullopt;
    in.push_back(extents_in(op, i));
  }
  return computed(op, code, in);
}

template <class T>
Bytes bytes_of_extents(const Extents& values) {
  Bytes result(values.size() * sizeof(T));
  for (size_t i = 0; i < values.size(); ++i) {
    const T value = static_cast<T>(values[i]);
    std::memcpy(result.data() + i * sizeof(T), &value, sizeof(T));
  }
  return result;
}

std::optional<Bytes> filled(const TfliteOp& op) {
  const Tensor& value = op.input(1);
  const Tensor& out = op.output();
  if (!has_extents(op, 0) || !value.is_constant() || elements(value.shape) != 1 ||
      value.type != out.type || extents_in(op, 0) != out.shape ||
      out.size_bytes() > kMostFilledBytes)
    return std::nullopt;
  Bytes bytes;
  for (int64_t i = 0; i < elements(out.shape); ++i)
    bytes.insert(bytes.end(), value.data->begin(), value.data->end());
  return bytes;
}

/// Raw zeros, whatever the zero point.
std::optional<Bytes> zeros(const TfliteOp& op) {
  const Tensor& out = op.output();
  if (out.type != op.input(0).type || out.shape != op.input(0).shape ||
      out.size_bytes() > kMostFilledBytes)
    return std::nullopt;
  const bool lowered = op.was_uint8(op.outputs[0]);  // int8 that is 128 less
  return Bytes(static_cast<size_t>(out.size_bytes()), lowered ? 0x80 : 0);
}

std::optional<Bytes> value_of(const TfliteOp& op, BuiltinOperator code) {
  if (code == BuiltinOperator::FILL) return filled(op);
  if (code == BuiltinOperator::ZEROS_LIKE) return zeros(op);
  const Tensor& out = op.output();
  if (!is_whole(out) || elements(out.shape) > kMostExtents) return std::nullopt;
  const std::optional<Extents> values = extents_of(op, code);
  if (!values || std::ssize(*values) != elements(out.shape)) return std::nullopt;
  if (out.type == DType::kInt64) return bytes_of_extents<int64_t>(*values);
  if (out.type == DType::kBool) return bytes_of_extents<bool>(*values);
  const auto fits = [](int64_t v) { return v == static_cast<int32_t>(v); };
  if (!std::ranges::all_of(*values, fits)) return std::nullopt;
  return bytes_of_extents<int32_t>(*values);
}

}  // namespace

bool fold_extents(TfliteOp op, BuiltinOperator code, std::vector<Tensor>& tensors) {
  std::vector<Bytes> values;
  for (size_t k = 0; k < op.outputs.size(); ++k) {
    op.output_number = k;
    std::optional<Bytes> value = value_of(op, code);
    if (!value || value->empty()) return false;
    values.push_back(std::move(*value));
  }
  for (size_t k = 0; k < values.size(); ++k) {
    std::shared_ptr<const Bytes>& data = tensors[op.outputs[k].index()].data;
    if (data != nullptr && *data != values[k]) return false;  // two producers
    data = std::make_shared<const Bytes>(std::move(values[k]));
  }
  return true;
}

void only_extents(const TfliteOp& op, Expansion&) {
  op.refuse(
      "its values are not known when compiling, which is not supported; supported "
      "is what follows from shapes and a few constant integers");
}

}  // namespace thimble
