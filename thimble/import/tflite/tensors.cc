// SPDX-License-Identifier: Apache-2.0
#include "thimble/import/tflite/tensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "thimble/import/checked_size.h"
#include "thimble/import/expanded.h"
#include "thimble/import/file_limits.h"
#include "thimble/import/refusal.h"
#include "thimble/import/tflite/kinds.h"
#include "thimble/import/utf8.h"

namespace thimble {
namespace {

std::optional<DType> dtype(tfl::TensorType type) {
  switch (type) {
    case tfl::TensorType::BOOL:
      return DType::kBool;
    case tfl::TensorType::INT8:
      return DType::kInt8;
    case tfl::TensorType::UINT8:
      return DType::kUInt8;
    case tfl::TensorType::INT16:
      return DType::kInt16;
    case tfl::TensorType::INT32:
      return DType::kInt32;
    case tfl::TensorType::UINT32:
      return DType::kUInt32;
    case tfl::TensorType::INT64:
      return DType::kInt64;
    case tfl::TensorType::UINT64:
      return DType::kUInt64;
    case tfl::TensorType::FLOAT32:
      return DType::kFloat32;
    case tfl::TensorType::FLOAT16:
    case tfl::TensorType::STRING:
    case tfl::TensorType::COMPLEX64:
    case tfl::TensorType::FLOAT64:
    case tfl::TensorType::COMPLEX128:
    case tfl::TensorType::RESOURCE:
    case tfl::TensorType::VARIANT:
    case tfl::TensorType::UINT16:
    case tfl::TensorType::INT4:
      return std::nullopt;
  }
  return std::nullopt;  // a number that the format does not know
}

DType supported_type(tfl::TensorType type, const std::string& where) {
  if (const auto known = dtype(type)) return *known;
  const std::string name = format_name(type);
  throw ImportError(
      where, fmt::format("type {} is not supported; supported are bool, int8, uint8, int16, int32, "
                         "uint32, int64, uint64 and float32",
                         name.empty() ? std::to_string(static_cast<int>(type)) : name));
}

Shape supported_shape(const tfl::TensorRecord& tensor, DType type, bool open,
                      const std::string& where) {
  Shape shape;
  if (tensor.shape.size() > kMaxRank) {
    throw ImportError(
        where, fmt::format("has {} axes; at most {} are supported", tensor.shape.size(), kMaxRank));
  }
  shape.assign(tensor.shape.begin(), tensor.shape.end());
  if (open)
    std::ranges::replace_if(
        shape, [](int64_t extent) { return extent < 0; }, 1);
  if (std::ranges::any_of(shape, [](int64_t extent) { return extent < 0; })) {
    throw ImportError(
        where,
        fmt::format(
            "shape {} has a negative extent (dynamic shapes are not supported without --shape)",
            to_string(shape)));
  }
  if (!checked_size_bytes(shape, type, kMaxTensorBytes)) {
    throw ImportError(
        where, fmt::format("shape {} takes more than {} bytes", to_string(shape), kMaxTensorBytes));
  }
  return shape;
}

/// Converters leave the batch open and record 1; any other open extent makes the recorded shape a
/// guess.
void refuse_dynamic(const tfl::TensorRecord& tensor, const Shape& shape, const std::string& where) {
  const std::span<const int32_t> signature = tensor.shape_signature;
  for (size_t i = 0; i < signature.size(); ++i) {
    const bool batch_of_one = i == 0 && !shape.empty() && shape[0] == 1;
    if (signature[i] < 0 && !batch_of_one) {
      throw Refusal(where,
                    fmt::format("axis {} is dynamic; only a dynamic batch is supported, "
                                "which is taken as 1: fix the input's shape with --shape",
                                i),
                    Help::kFixShapes);
    }
  }
}

std::pair<int64_t, int64_t> zero_point_range(DType type) {
  switch (type) {
    case DType::kInt8:
      return {-128, 127};
    case DType::kUInt8:
      return {0, 255};
    case DType::kInt16:
      return {-32768, 32767};
    case DType::kBool:
    case DType::kInt32:
    case DType::kUInt32:
    case DType::kInt64:
    case DType::kUInt64:
    case DType::kFloat32:
      return {std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()};
  }
  throw InternalError("unknown DType");
}

/// One zero point per scale: files may have none (all 0) or a single one for all.
std::vector<int32_t> zero_points(const tfl::TensorRecord& tensor, size_t count, DType type,
                                 const std::string& where) {
  std::vector<int32_t> result(count, 0);
  const size_t given = tensor.zero_point_count();
  if (given == 0) return result;
  if (given != 1 && given != count)
    throw Damage(where, fmt::format("{} scales, but {} zero points", count, given));
  const auto [lowest, highest] = zero_point_range(type);
  for (size_t i = 0; i < count; ++i) {
    const int64_t value = tensor.zero_point(given == 1 ? 0 : i);
    if (value < lowest || value > highest) {
      throw Damage(where, fmt::format("zero point {} is outside of {}", value, name(type)));
    }
    result[i] = static_cast<int32_t>(value);
  }
  return result;
}

Quantization quantization(const tfl::TensorRecord& tensor, const Shape& shape, DType type,
                          const std::string& where) {
  Quantization result;
  if (type == DType::kFloat32 || type == DType::kBool) return result;
  if (tensor.has_custom_quantization) {
    throw ImportError(where,
                      "custom quantisation is not supported; supported is scale and zero point");
  }
  const size_t count = tensor.scales.size();
  if (count == 0) return result;
  if (count > 1) {
    // Biases carry the axis of their weights, which need not exist here.
    const int64_t axis = shape.size() == 1 ? 0 : tensor.quantized_dimension;
    if (axis < 0 || axis >= static_cast<int64_t>(shape.size()) ||
        shape[static_cast<size_t>(axis)] != static_cast<int64_t>(count)) {
      throw Damage(where, fmt::format("{} scales do not fit axis {} of shape {}", count, axis,
                                      to_string(shape)));
    }
    result.axis = static_cast<int>(axis);
  }
  for (float scale : tensor.scales) {
    if (!std::isfinite(scale) || scale <= 0) {
      throw ImportError(
          where, fmt::format("scale {} is not supported; a scale is finite and above 0", scale));
    }
    result.scales.push_back(scale);
  }
  result.zero_points = zero_points(tensor, count, type, where);
  return result;
}

/// Copies what tensors refer to. Tables of a hostile file may be named any number of times: each
/// buffer is copied once, and everything together stays within a multiple of the file's size.
class Copier {
 public:
  explicit Copier(const TfliteFile& file)
      : file_(file),
        has_handles_(file.has_code(tfl::BuiltinOperator::VAR_HANDLE)),
        budget_bytes_(8 * file.size_bytes()) {}

  /// Whether tensors may be handles of variables, which hold nothing.
  [[nodiscard]] bool has_handles() const { return has_handles_; }

  void spend(int64_t bytes) {
    budget_bytes_ -= bytes;
    if (budget_bytes_ < 0) {
      throw Damage(file_.where(), "its tensors name the same data over and over");
    }
  }

  /// Constants of float16, as float32.
  std::shared_ptr<const Bytes> halves(uint32_t index, const std::string& where) {
    const std::span<const uint8_t> data = file_.data(index, where);
    spend(2 * static_cast<int64_t>(data.size()));
    return std::make_shared<const Bytes>(from_float16(data));
  }

  /// Constants of int4, as int8.
  std::shared_ptr<const Bytes> nibbles(uint32_t index, int64_t count, const std::string& where) {
    const std::span<const uint8_t> data = file_.data(index, where);
    spend(2 * static_cast<int64_t>(data.size()));
    return std::make_shared<const Bytes>(from_int4(data, count));
  }

  std::shared_ptr<const Bytes> buffer(uint32_t index, const std::string& where) {
    const std::span<const uint8_t> data = file_.data(index, where);
    if (data.empty()) return nullptr;
    std::shared_ptr<const Bytes>& copy = copies_[{data.data(), data.size()}];
    if (copy == nullptr) {
      spend(static_cast<int64_t>(data.size()));
      copy = std::make_shared<const Bytes>(data.begin(), data.end());
    }
    return copy;
  }

 private:
  const TfliteFile& file_;
  bool has_handles_;
  int64_t budget_bytes_;
  std::map<std::pair<const uint8_t*, size_t>, std::shared_ptr<const Bytes>> copies_;
};

/// Per tensor, whether it is an operand of an operator that has variables.
std::vector<bool> operands_with_variables(const TfliteFile& file) {
  std::vector<bool> result(file.tensor_count());
  bool any = false;
  for (size_t t = 0; t < result.size() && !any; ++t) any = file.tensor(t).is_variable;
  if (!any) return result;
  for (size_t i = 0; i < file.op_count(); ++i) {
    const std::string name = kind_of(file, i).name;
    if (name != "SVDF" && name != "UNIDIRECTIONAL_SEQUENCE_LSTM") continue;
    for (const TensorId id : tensor_ids(file, file.op(i).inputs, file.where() + ": " + name)) {
      if (id.valid()) result[id.index()] = true;
    }
  }
  return result;
}

Tensor read_tensor(const TfliteFile& file, size_t number, const std::string& where, bool may_vary,
                   Copier& copier) {
  const tfl::TensorRecord from = file.tensor(number);
  const bool open = file.open_shapes();
  Tensor tensor;
  copier.spend(std::ssize(from.name));
  tensor.name = printable(from.name);
  const std::string here = fmt::format("{} '{}'", where, tensor.name);
  if (from.is_variable && !may_vary) {
    throw Refusal(here,
                  "variable tensors are not supported but as states of SVDF and "
                  "UNIDIRECTIONAL_SEQUENCE_LSTM",
                  Help::kStateAsPorts);
  }
  if (from.type == tfl::TensorType::RESOURCE && copier.has_handles()) return tensor;
  if (from.is_sparse) throw ImportError(here, "sparse tensors are not supported");
  const bool constant = file.has_data(from.buffer);
  const bool half = constant && from.type == tfl::TensorType::FLOAT16;
  const bool nibble = constant && from.type == tfl::TensorType::INT4;
  tensor.type = half ? DType::kFloat32 : nibble ? DType::kInt8 : supported_type(from.type, here);
  tensor.shape = supported_shape(from, tensor.type, open, here);
  if (!open) refuse_dynamic(from, tensor.shape, here);
  copier.spend(8 * std::ssize(from.scales));
  tensor.quantization = quantization(from, tensor.shape, tensor.type, here);
  tensor.data = half     ? copier.halves(from.buffer, here)
                : nibble ? copier.nibbles(from.buffer, elements(tensor.shape), here)
                         : copier.buffer(from.buffer, here);
  if (tensor.is_constant() && static_cast<int64_t>(tensor.data->size()) != tensor.size_bytes()) {
    throw Damage(here, fmt::format("{} bytes of data for shape {} of {}, which "
                                   "needs {}",
                                   tensor.data->size(), to_string(tensor.shape), name(tensor.type),
                                   tensor.size_bytes()));
  }
  const auto is_neither = [](uint8_t byte) { return byte > 1; };
  if (tensor.is_constant() && tensor.type == DType::kBool &&
      std::ranges::any_of(*tensor.data, is_neither)) {
    throw Damage(here, "a boolean is 0 or 1");
  }
  return tensor;
}

}  // namespace

TensorsAsFarAsRead read_what_tensors_can_be(const TfliteFile& file) {
  TensorsAsFarAsRead result;
  Copier copier(file);
  const std::vector<bool> may_vary = operands_with_variables(file);
  for (size_t t = 0; t < file.tensor_count(); ++t) {
    TensorRefusal& refused = result.refused.emplace_back();
    try {
      result.tensors.push_back(read_tensor(file, t, "", may_vary[t], copier));
    } catch (const ImportError& error) {
      result.tensors.emplace_back();
      refused = {.reason = error.reason,
                 .help = help_of(error),
                 .damaged = dynamic_cast<const Damage*>(&error) != nullptr};
    }
  }
  return result;
}

std::vector<Tensor> read_tensors(const TfliteFile& file, const std::vector<bool>& read) {
  std::vector<Tensor> result(read.size());
  Copier copier(file);
  const std::vector<bool> may_vary = operands_with_variables(file);
  for (size_t t = 0; t < read.size(); ++t) {
    if (!read[t]) continue;
    result[t] =
        read_tensor(file, t, fmt::format("{}: tensor {}", file.where(), t), may_vary[t], copier);
  }
  return result;
}

}  // namespace thimble
