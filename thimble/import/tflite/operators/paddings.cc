// SPDX-License-Identifier: Apache-2.0
// PAD, PADV2 and MIRROR_PAD.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "thimble/import/movements.h"
#include "thimble/import/tflite/operators/lists.h"
#include "thimble/import/tflite/shape_rules.h"
#include "thimble/model/error.h"

namespace thimble {
namespace {

Pad paddings(const TfliteOp& op) {
  const Tensor& x = op.input(0);
  const Tensor& table = op.input(1);
  const auto rank = static_cast<int64_t>(x.shape.size());
  const std::vector<int64_t> counts = integers(op, 1, "paddings");
  if (table.shape != Shape{rank, 2}) {
    op.damaged(
        fmt::format("paddings of shape {} for an input of shape "
                    "{}",
                    to_string(table.shape), to_string(x.shape)));
  }
  Pad result;
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] < 0 || counts[i] > std::numeric_limits<int32_t>::max()) {
      op.refuse(fmt::format("padding {} is not supported; it is 0 to {}", counts[i],
                            std::numeric_limits<int32_t>::max()));
    }
    (i % 2 == 0 ? result.before : result.after).push_back(counts[i]);
  }
  const Quantization& quantization = op.output().quantization;
  result.value = quantization.zero_points.empty() ? 0 : quantization.zero_points[0];
  return result;
}

template <class T>
T first_as(const Bytes& bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

Attributes pad(const TfliteOp& op) { return paddings(op); }

Attributes padv2(const TfliteOp& op) {
  Pad result = paddings(op);
  const Tensor& value = op.input(2);
  if (!value.is_constant() || elements(value.shape) != 1 || value.type != op.input(0).type) {
    op.refuse("its value is not supported; supported is one constant of the input's type");
  }
  const Bytes& bytes = *value.data;
  switch (value.type) {
    case DType::kInt8:
      result.value = bytes[0] < 0x80 ? bytes[0] : bytes[0] - 0x100;
      return result;
    case DType::kUInt8:
    case DType::kBool:
      result.value = bytes[0];
      return result;
    case DType::kInt16:
      result.value = first_as<int16_t>(bytes);
      return result;
    case DType::kInt32:
    case DType::kUInt32:
    case DType::kFloat32:
      result.value = first_as<int32_t>(bytes);
      return result;
    case DType::kInt64:
    case DType::kUInt64:
      // Attributes have no room for more.
      if (std::ranges::all_of(bytes, [](uint8_t byte) { return byte == 0; })) {
        result.value = 0;
        return result;
      }
      op.refuse(fmt::format("a value other than 0 is not supported for {}", name(value.type)));
  }
  throw InternalError("unknown DType");
}

void mirror_pad(const TfliteOp& op, Expansion& steps) {
  const auto& from = options<tfl::MirrorPadOptions>(op);
  const int64_t edge = from.mode == tfl::MirrorPadMode::REFLECT ? 1 : 0;  // not repeated
  const std::vector<int64_t> table = integers(op, 1, "paddings");
  Moved x = input_of(op);
  const std::string given = fmt::format("paddings [{}]", fmt::join(table, ", "));
  if (table.size() != 2 * x.shape.size()) refuse_shapes(op, given);
  for (size_t axis = 0; axis < x.shape.size(); ++axis) {
    const int64_t before = table[2 * axis], after = table[2 * axis + 1], extent = x.shape[axis];
    if (std::min(before, after) < 0 || std::max(before, after) > extent - edge)
      refuse_shapes(op, given);
    std::vector<Moved> parts{x};
    if (before > 0)
      parts.insert(parts.begin(), sliced(steps, x, axis, before - 1 + edge, -1, before));
    if (after > 0) parts.push_back(sliced(steps, x, axis, extent - 1 - edge, -1, after));
    x = joined(steps, parts, axis);
  }
  expect_shape(op, x.shape, given);
  finish_with(steps, x);
}

Shape padded_shape(const TfliteOp& op) {
  Shape shape = shape_of(op, 0);
  const std::vector<int64_t> table = integers(op, 1, "paddings");
  if (table.size() != 2 * shape.size()) refuse_operands(op);
  for (size_t k = 0; k < table.size(); ++k) {
    if (table[k] < 0 || table[k] > INT32_MAX) refuse_operands(op);
    shape[k / 2] += table[k];
  }
  return shape;
}

}  // namespace

OperatorList padding_kinds() {
  using enum tfl::BuiltinOperator;
  using enum OperatorKind::Uint8;
  static constexpr OperatorKind kKinds[] = {
      {.code = MIRROR_PAD,
       .inputs = {2, 2},
       .expand = mirror_pad,
       .shape = padded_shape,
       .uint8 = kComputes},
      {.code = PAD,
       .inputs = {2, 2},
       .first_parameter = 1,
       .attributes = pad,
       .shape = padded_shape,
       .uint8 = kComputes},
      {.code = PADV2,
       .inputs = {3, 3},
       .first_parameter = 1,
       .attributes = padv2,
       .shape = padded_shape,
       .uint8 = kComputes},
  };
  return kKinds;
}

}  // namespace thimble
