// SPDX-License-Identifier: Apache-2.0
// Tensors, constants and quantisation of a .tflite file.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "thimble/import/checked_size.h"
#include "thimble/import/expanded.h"
#include "thimble/import/file_limits.h"
#include "thimble/import/tflite_parts.h"
#include "thimble/model/error.h"

namespace thimble {
namespace {

/// Length of the UTF-8 sequence at text[i], or 0 if it is not one.
size_t utf8_length(std::string_view text, size_t i) {
  const auto byte = [&](size_t k) { return static_cast<uint8_t>(text[k]); };
  const uint8_t lead = byte(i);
  if (lead < 0x80) return 1;
  const size_t length = lead >= 0xC2 && lead < 0xE0   ? 2
                        : lead >= 0xE0 && lead < 0xF0 ? 3
                        : lead >= 0xF0 && lead < 0xF5 ? 4
                                                      : 0;
  if (length == 0 || length > text.size() - i) return 0;
  for (size_t k = 1; k < length; ++k) {
    if ((byte(i + k) & 0xC0) != 0x80) return 0;
  }
  // The second byte excludes overlong forms, surrogates and what is above U+10FFFF.
  const uint8_t second = byte(i + 1);
  const bool excluded = (lead == 0xE0 && second < 0xA0) || (lead == 0xED && second >= 0xA0) ||
                        (lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second >= 0x90);
  return excluded ? 0 : length;
}

std::optional<DType> dtype(tflite::TensorType type) {
  switch (type) {
    case tflite::TensorType::BOOL:
      return DType::kBool;
    case tflite::TensorType::INT8:
      return DType::kInt8;
    case tflite::TensorType::UINT8:
      return DType::kUInt8;
    case tflite::TensorType::INT16:
      return DType::kInt16;
    case tflite::TensorType::INT32:
      return DType::kInt32;
    case tflite::TensorType::UINT32:
      return DType::kUInt32;
    case tflite::TensorType::INT64:
      return DType::kInt64;
    case tflite::TensorType::UINT64:
      return DType::kUInt64;
    case tflite::TensorType::FLOAT32:
      return DType::kFloat32;
    case tflite::TensorType::FLOAT16:
    case tflite::TensorType::STRING:
    case tflite::TensorType::COMPLEX64:
    case tflite::TensorType::FLOAT64:
    case tflite::TensorType::COMPLEX128:
    case tflite::TensorType::RESOURCE:
    case tflite::TensorType::VARIANT:
    case tflite::TensorType::UINT16:
    case tflite::TensorType::INT4:
      return std::nullopt;
  }
  return std::nullopt;  // a number that the format does not know
}

DType supported_type(tflite::TensorType type, const std::string& where) {
  if (const auto known = dtype(type)) return *known;
  const std::string name = tflite::EnumNameTensorType(type);
  throw CompileError(
      where, fmt::format("type {} is not supported; supported are bool, int8, uint8, int16, int32, "
                         "uint32, int64, uint64 and float32",
                         name.empty() ? std::to_string(static_cast<int>(type)) : name));
}

Shape supported_shape(const tflite::Tensor& tensor, DType type, bool open,
                      const std::string& where) {
  Shape shape;
  if (tensor.shape() != nullptr) {
    if (tensor.shape()->size() > kMaxRank) {
      throw CompileError(where, fmt::format("has {} axes; at most {} are supported",
                                            tensor.shape()->size(), kMaxRank));
    }
    shape.assign(tensor.shape()->begin(), tensor.shape()->end());
  }
  if (open)
    std::ranges::replace_if(
        shape, [](int64_t extent) { return extent < 0; }, 1);
  if (std::ranges::any_of(shape, [](int64_t extent) { return extent < 0; })) {
    throw CompileError(
        where,
        fmt::format(
            "shape {} has a negative extent (dynamic shapes are not supported without --shape)",
            to_string(shape)));
  }
  if (!checked_size_bytes(shape, type, kMaxTensorBytes)) {
    throw CompileError(
        where, fmt::format("shape {} takes more than {} bytes", to_string(shape), kMaxTensorBytes));
  }
  return shape;
}

/// Converters leave the batch open and record 1; any other open extent makes the recorded shape a
/// guess.
void refuse_dynamic(const tflite::Tensor& tensor, const Shape& shape, const std::string& where) {
  if (tensor.shape_signature() == nullptr) return;
  const auto& signature = *tensor.shape_signature();
  for (flatbuffers::uoffset_t i = 0; i < signature.size(); ++i) {
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
std::vector<int32_t> zero_points(const tflite::QuantizationParameters& parameters, size_t count,
                                 DType type, const std::string& where) {
  std::vector<int32_t> result(count, 0);
  if (parameters.zero_point() == nullptr || parameters.zero_point()->size() == 0) return result;
  const auto& given = *parameters.zero_point();
  if (given.size() != 1 && given.size() != count) {
    throw CompileError(
        where, fmt::format("is damaged: {} scales, but {} zero points", count, given.size()));
  }
  const auto [lowest, highest] = zero_point_range(type);
  for (size_t i = 0; i < count; ++i) {
    // The verifier aligns a vector's length, to 4 bytes, but not its elements of 8.
    int64_t value = 0;
    std::memcpy(&value, given.Data() + (given.size() == 1 ? 0 : i * sizeof(value)), sizeof(value));
    if (value < lowest || value > highest) {
      throw CompileError(
          where, fmt::format("is damaged: zero point {} is outside of {}", value, name(type)));
    }
    result[i] = static_cast<int32_t>(value);
  }
  return result;
}

Quantization quantization(const tflite::Tensor& tensor, const Shape& shape, DType type,
                          const std::string& where) {
  Quantization result;
  const tflite::QuantizationParameters* parameters = tensor.quantization();
  if (parameters == nullptr || type == DType::kFloat32 || type == DType::kBool) return result;
  if (parameters->details_type() != tflite::QuantizationDetails::NONE) {
    throw CompileError(where,
                       "custom quantisation is not supported; supported is scale and zero point");
  }
  if (parameters->scale() == nullptr || parameters->scale()->size() == 0) return result;
  const size_t count = parameters->scale()->size();
  if (count > 1) {
    // Biases carry the axis of their weights, which need not exist here.
    const int64_t axis = shape.size() == 1 ? 0 : parameters->quantized_dimension();
    if (axis < 0 || axis >= static_cast<int64_t>(shape.size()) ||
        shape[static_cast<size_t>(axis)] != static_cast<int64_t>(count)) {
      throw CompileError(where, fmt::format("is damaged: {} scales do not fit axis {} of shape {}",
                                            count, axis, to_string(shape)));
    }
    result.axis = static_cast<int>(axis);
  }
  for (float scale : *parameters->scale()) {
    if (!std::isfinite(scale) || scale <= 0) {
      throw CompileError(
          where, fmt::format("scale {} is not supported; a scale is finite and above 0", scale));
    }
    result.scales.push_back(scale);
  }
  result.zero_points = zero_points(*parameters, count, type, where);
  return result;
}

bool any_handles(const TfliteFile& file) {
  const auto* codes = file.model.operator_codes();
  return codes != nullptr && std::any_of(codes->begin(), codes->end(), [](const auto* code) {
           return code->builtin_code() == tflite::BuiltinOperator::VAR_HANDLE;
         });
}

/// Copies what tensors refer to. Tables of a hostile file may be named any number of times: each
/// buffer is copied once, and everything together stays within a multiple of the file's size.
class Copier {
 public:
  explicit Copier(const TfliteFile& file)
      : file_(file),
        has_handles_(any_handles(file)),
        budget_bytes_(8 * static_cast<int64_t>(file.bytes.size())) {}

  /// Whether tensors may be handles of variables, which hold nothing.
  [[nodiscard]] bool has_handles() const { return has_handles_; }

  void spend(int64_t bytes) {
    budget_bytes_ -= bytes;
    if (budget_bytes_ < 0) {
      throw CompileError(file_.where, "is damaged: its tensors name the same data over and over");
    }
  }

  bool has_data(uint32_t index) const {
    const auto* buffers = file_.model.buffers();
    if (buffers == nullptr || index >= buffers->size()) return false;
    const tflite::Buffer& buffer = *buffers->Get(index);
    return buffer.offset() > 1 || (buffer.data() != nullptr && buffer.data()->size() > 0);
  }

  /// Constants of float16, as float32.
  std::shared_ptr<const Bytes> halves(uint32_t index, const std::string& where) {
    const std::span<const uint8_t> data = view(index, where);
    spend(2 * static_cast<int64_t>(data.size()));
    return std::make_shared<const Bytes>(from_float16(data));
  }

  /// Constants of int4, as int8.
  std::shared_ptr<const Bytes> nibbles(uint32_t index, int64_t count, const std::string& where) {
    const std::span<const uint8_t> data = view(index, where);
    spend(2 * static_cast<int64_t>(data.size()));
    return std::make_shared<const Bytes>(from_int4(data, count));
  }

  std::shared_ptr<const Bytes> buffer(uint32_t index, const std::string& where) {
    const std::span<const uint8_t> data = view(index, where);
    if (data.empty()) return nullptr;
    std::shared_ptr<const Bytes>& copy = copies_[{data.data(), data.size()}];
    if (copy == nullptr) {
      spend(static_cast<int64_t>(data.size()));
      copy = std::make_shared<const Bytes>(data.begin(), data.end());
    }
    return copy;
  }

 private:
  std::span<const uint8_t> view(uint32_t index, const std::string& where) const {
    const auto* buffers = file_.model.buffers();
    if (buffers == nullptr || index >= buffers->size()) {
      throw CompileError(where, fmt::format("is damaged: there is no buffer {}", index));
    }
    const tflite::Buffer& buffer = *buffers->Get(index);
    if (buffer.offset() > 1) {  // files above 2 GB: behind the flatbuffer
      if (buffer.offset() > file_.bytes.size() ||
          buffer.size() > file_.bytes.size() - buffer.offset()) {
        throw CompileError(where, fmt::format("is damaged: buffer {} ends behind the file", index));
      }
      return file_.bytes.subspan(buffer.offset(), buffer.size());
    }
    if (buffer.data() == nullptr) return {};
    return {buffer.data()->data(), buffer.data()->size()};
  }

  const TfliteFile& file_;
  bool has_handles_;
  int64_t budget_bytes_;
  std::map<std::pair<const uint8_t*, size_t>, std::shared_ptr<const Bytes>> copies_;
};

/// Per tensor, whether it is an operand of an operator that has variables.
std::vector<bool> operands_with_variables(const TfliteFile& file) {
  const auto* tensors = file.network.tensors();
  std::vector<bool> result(tensors == nullptr ? 0 : tensors->size());
  const auto is_variable = [](const tflite::Tensor* t) { return t->is_variable(); };
  if (tensors == nullptr || std::none_of(tensors->begin(), tensors->end(), is_variable))
    return result;
  size_t number = 0;
  for (const tflite::Operator* op : *file.network.operators()) {
    const std::string name = kind_of(file, *op, number++).name;
    if (name != "SVDF" && name != "UNIDIRECTIONAL_SEQUENCE_LSTM") continue;
    for (const TensorId id : tensor_ids(file, op->inputs(), file.where + ": " + name)) {
      if (id.valid()) result[id.index()] = true;
    }
  }
  return result;
}

Tensor read_tensor(const tflite::Tensor& from, bool open, const std::string& where, bool may_vary,
                   Copier& copier) {
  Tensor tensor;
  if (from.name() != nullptr) {
    copier.spend(from.name()->size());
    tensor.name = printable(from.name()->string_view());
  }
  const std::string here = fmt::format("{} '{}'", where, tensor.name);
  if (from.is_variable() && !may_vary) {
    throw Refusal(here,
                  "variable tensors are not supported but as states of SVDF and "
                  "UNIDIRECTIONAL_SEQUENCE_LSTM",
                  Help::kStateAsPorts);
  }
  if (from.type() == tflite::TensorType::RESOURCE && copier.has_handles()) return tensor;
  if (from.sparsity() != nullptr) throw CompileError(here, "sparse tensors are not supported");
  const bool constant = copier.has_data(from.buffer());
  const bool half = constant && from.type() == tflite::TensorType::FLOAT16;
  const bool nibble = constant && from.type() == tflite::TensorType::INT4;
  tensor.type = half ? DType::kFloat32 : nibble ? DType::kInt8 : supported_type(from.type(), here);
  tensor.shape = supported_shape(from, tensor.type, open, here);
  if (!open) refuse_dynamic(from, tensor.shape, here);
  if (from.quantization() != nullptr && from.quantization()->scale() != nullptr) {
    copier.spend(int64_t{8} * from.quantization()->scale()->size());
  }
  tensor.quantization = quantization(from, tensor.shape, tensor.type, here);
  tensor.data = half     ? copier.halves(from.buffer(), here)
                : nibble ? copier.nibbles(from.buffer(), elements(tensor.shape), here)
                         : copier.buffer(from.buffer(), here);
  if (tensor.is_constant() && static_cast<int64_t>(tensor.data->size()) != tensor.size_bytes()) {
    throw CompileError(here, fmt::format("is damaged: {} bytes of data for shape {} of {}, which "
                                         "needs {}",
                                         tensor.data->size(), to_string(tensor.shape),
                                         name(tensor.type), tensor.size_bytes()));
  }
  const auto is_neither = [](uint8_t byte) { return byte > 1; };
  if (tensor.is_constant() && tensor.type == DType::kBool &&
      std::ranges::any_of(*tensor.data, is_neither)) {
    throw CompileError(here, "is damaged: a boolean is 0 or 1");
  }
  return tensor;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string result;
  for (size_t i = 0; i < text.size();) {
    const size_t length = utf8_length(text, i);
    const bool control = static_cast<uint8_t>(text[i]) < 0x20 || text[i] == 0x7F;
    if (length == 0 || control) {
      result += '?';
      i += 1;
    } else {
      result += text.substr(i, length);
      i += length;
    }
  }
  return result;
}

TensorsAsFarAsRead read_what_tensors_can_be(const TfliteFile& file) {
  TensorsAsFarAsRead result;
  if (file.network.tensors() == nullptr) return result;
  Copier copier(file);
  const std::vector<bool> may_vary = operands_with_variables(file);
  for (const tflite::Tensor* tensor : *file.network.tensors()) {
    result.refused.emplace_back();
    result.help.emplace_back(Help::kNone);
    try {
      result.tensors.push_back(
          read_tensor(*tensor, file.open_shapes, "", may_vary[result.tensors.size()], copier));
    } catch (const CompileError& error) {
      const std::string_view what = error.what();
      result.tensors.emplace_back();
      result.help.back() = help_of(error);
      result.refused.back() = what.substr(std::min(what.find("': ") + 3, what.size()));
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
    const tflite::Tensor& tensor = *file.network.tensors()->Get(static_cast<uint32_t>(t));
    result[t] = read_tensor(tensor, file.open_shapes, fmt::format("{}: tensor {}", file.where, t),
                            may_vary[t], copier);
  }
  return result;
}

}  // namespace thimble
