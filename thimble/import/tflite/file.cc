// SPDX-License-Identifier: Apache-2.0
#include "thimble/import/tflite/file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "thimble/import/refusal.h"
#include "thimble/import/tflite/flat_network.h"
#include "thimble/import/tflite/schema.h"

namespace thimble {
namespace {

constexpr uint32_t kSchemaVersion = 3;
/// The flatbuffers verifier's limits: real models have depth 6 and some thousand tables.
constexpr flatbuffers::uoffset_t kMaxDepth = 16, kMaxTables = 1'000'000;

std::string wrong_format(std::span<const uint8_t> bytes) {
  struct Known {
    std::string_view start, what;
  };
  static constexpr Known kKnown[] = {
      {"\x89PNG", "a PNG image"},
      {"\x89HDF", "an HDF5 file (Keras .h5): convert it with tf.lite.TFLiteConverter"},
      {"PK\x03\x04", "a zip archive (Keras .keras or PyTorch): convert it to .tflite"},
      {"\x08", "perhaps an .onnx file or a SavedModel: convert it to .tflite"},
      {"\x1f\x8b", "a gzip archive: unpack it"},
      {"version https://git-lfs", "a pointer of git-lfs: `git lfs pull` fetches the file itself"},
      {"<!DOCTYPE html", "a page of the web: perhaps the one about the file"},
  };
  const std::string_view begin(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  std::string message = "is not a TensorFlow Lite model: bytes 4 to 7 are not \"TFL3\"";
  for (const Known& known : kKnown) {
    if (begin.starts_with(known.start)) return fmt::format("{} ({})", message, known.what);
  }
  return message;
}

const tflite::Model& verified_model(std::span<const uint8_t> bytes, const std::string& where) {
  if (bytes.empty()) throw ImportError(where, "is empty");
  if (bytes.size() < 8 || std::memcmp(bytes.data() + 4, tflite::ModelIdentifier(), 4) != 0)
    throw ImportError(where, wrong_format(bytes));
  // Above 2 GB only buffers follow, which are checked where they are read.
  const size_t size = std::min<size_t>(bytes.size(), FLATBUFFERS_MAX_BUFFER_SIZE - 1);
  flatbuffers::Verifier verifier(bytes.data(), size, kMaxDepth, kMaxTables);
  if (!tflite::VerifyModelBuffer(verifier)) {
    throw ImportError(
        where, fmt::format("is truncated or damaged: its {} bytes are not a well-formed flatbuffer",
                           bytes.size()));
  }
  const tflite::Model& model = *tflite::GetModel(bytes.data());
  if (model.version() != kSchemaVersion) {
    throw ImportError(where, fmt::format("schema version {} is not supported; supported is {}",
                                         model.version(), kSchemaVersion));
  }
  return model;
}

template <class Vector>
size_t count_of(const Vector* vector) {
  return vector == nullptr ? 0 : vector->size();
}

template <class T>
std::span<const T> view_of(const flatbuffers::Vector<T>* vector) {
  if (vector == nullptr) return {};
  return {vector->data(), vector->size()};
}

std::string_view text_of(const flatbuffers::String* text) {
  return text == nullptr ? std::string_view() : text->string_view();
}

/// An enumeration of the schema as that of codes.h, which is made of the same text.
template <class Code, class Generated>
Code as_code(Generated value) {
  static_assert(sizeof(Code) == sizeof(Generated));
  return static_cast<Code>(value);
}

/// Fields of options.def, each as what its table has.
template <class T>
void set(T& field, T given) {
  field = given;
}
template <class Code, class Generated>
requires std::is_enum_v<Generated>
void set(Code& field, Generated given) { field = as_code<Code>(given); }
void set(std::span<const int32_t>& field, const flatbuffers::Vector<int32_t>* given) {
  field = view_of(given);
}
void set(bool& field, const flatbuffers::Vector<int32_t>* given) { field = given != nullptr; }
void set(std::string_view& field, const flatbuffers::String* given) { field = text_of(given); }

// read(table, options) of all structs of options.def
#define OPERATOR(code, Table)
#define FIELD(type, name, initial, accessor) set(to.name, from.accessor());
#define FIELD_OF_SOME(type, name, initial, accessor) \
  if constexpr (requires { from.accessor(); }) set(to.name, from.accessor());
#define OPTIONS(Struct, operators, fields)        \
  template <class Table>                          \
  void read(const Table& from, tfl::Struct& to) { \
    fields                                        \
  }
#include "thimble/import/tflite/options.def"
#undef FIELD_OF_SOME
#undef FIELD
#undef OPERATOR

/// Nothing if there is no such table.
template <class Options, class Table>
tfl::OperatorOptions options_in(const Table* from) {
  if (from == nullptr) return {};
  Options result;
  read(*from, result);
  return result;
}

/// Options of the code: an operator with the options of another has none.
tfl::OperatorOptions options_of(const tflite::Operator& op, tfl::BuiltinOperator code) {
  switch (code) {
#define OPERATOR(code, Table)      \
  case tfl::BuiltinOperator::code: \
    return options_in<Options>(op.builtin_options_as_##Table());
#define OPTIONS(Struct, operators, fields) \
  {                                        \
    using Options = tfl::Struct;           \
    operators                              \
  }
#include "thimble/import/tflite/options.def"
#undef OPERATOR
    default:
      return {};
  }
}

/// Files from before code 127 have only the deprecated field, later ones both.
tfl::BuiltinOperator code_of(const tflite::OperatorCode& code) {
  return static_cast<tfl::BuiltinOperator>(
      std::max<int32_t>(code.deprecated_builtin_code(), static_cast<int32_t>(code.builtin_code())));
}

}  // namespace

int64_t tfl::TensorRecord::zero_point(size_t i) const {
  // The verifier aligns a vector's length, to 4 bytes, but not its elements of 8.
  int64_t value = 0;
  std::memcpy(&value, zero_points.data() + i * sizeof(value), sizeof(value));
  return value;
}

int64_t element_bits(tfl::TensorType type) {
  switch (type) {
    case tfl::TensorType::INT4:
      return 4;
    case tfl::TensorType::BOOL:
    case tfl::TensorType::INT8:
    case tfl::TensorType::UINT8:
      return 8;
    case tfl::TensorType::FLOAT16:
    case tfl::TensorType::INT16:
    case tfl::TensorType::UINT16:
      return 16;
    case tfl::TensorType::FLOAT32:
    case tfl::TensorType::INT32:
    case tfl::TensorType::UINT32:
      return 32;
    case tfl::TensorType::FLOAT64:
    case tfl::TensorType::INT64:
    case tfl::TensorType::UINT64:
    case tfl::TensorType::COMPLEX64:
      return 64;
    case tfl::TensorType::COMPLEX128:
      return 128;
    case tfl::TensorType::STRING:
    case tfl::TensorType::RESOURCE:
    case tfl::TensorType::VARIANT:
      return 0;
  }
  return 0;
}

const char* format_name(tfl::TensorType type) {
  return tflite::EnumNameTensorType(as_code<tflite::TensorType>(type));
}

const char* format_name(tfl::BuiltinOperator code) {
  return tflite::EnumNameBuiltinOperator(as_code<tflite::BuiltinOperator>(code));
}

const char* format_name(tfl::ActivationFunctionType type) {
  return tflite::EnumNameActivationFunctionType(as_code<tflite::ActivationFunctionType>(type));
}

TfliteFile::TfliteFile(std::span<const uint8_t> bytes, const std::string& where, bool open_shapes)
    : bytes_(bytes),
      model_(&verified_model(bytes, where)),
      where_(where),
      open_shapes_(open_shapes) {
  if (subgraph_count() == 0) throw Damage(where, "it has no subgraph");
  network_ = model_->subgraphs()->Get(0);
  if (op_count() == 0) throw ImportError(where, "has no operators");
}

int64_t TfliteFile::size_bytes() const {
  return static_cast<int64_t>(bytes_.size()) + (flat_ == nullptr ? 0 : flat_->size_bytes);
}

size_t TfliteFile::tensor_count() const {
  return flat_ != nullptr ? flat_->tensors.size() : count_of(network_->tensors());
}

tfl::TensorRecord TfliteFile::tensor(size_t t) const {
  if (flat_ != nullptr) return flat_->tensors[t];
  const tflite::Tensor& from = *network_->tensors()->Get(static_cast<uint32_t>(t));
  tfl::TensorRecord result{.name = text_of(from.name()),
                           .type = as_code<tfl::TensorType>(from.type()),
                           .shape = view_of(from.shape()),
                           .shape_signature = view_of(from.shape_signature()),
                           .has_rank = from.has_rank(),
                           .is_variable = from.is_variable(),
                           .is_sparse = from.sparsity() != nullptr,
                           .buffer = from.buffer()};
  if (const tflite::QuantizationParameters* q = from.quantization()) {
    result.scales = view_of(q->scale());
    if (q->zero_point() != nullptr)
      result.zero_points = {q->zero_point()->Data(), q->zero_point()->size() * sizeof(int64_t)};
    result.quantized_dimension = q->quantized_dimension();
    result.has_custom_quantization = q->details_type() != tflite::QuantizationDetails::NONE;
  }
  return result;
}

size_t TfliteFile::op_count() const {
  return flat_ != nullptr ? flat_->ops.size() : count_of(network_->operators());
}

tfl::OperatorRecord TfliteFile::op(size_t i) const {
  if (flat_ != nullptr) return flat_->ops[i];
  const tflite::Operator& from = *network_->operators()->Get(static_cast<uint32_t>(i));
  tfl::OperatorRecord result{.code_index = from.opcode_index(),
                             .inputs = view_of(from.inputs()),
                             .outputs = view_of(from.outputs()),
                             .custom_options = view_of(from.custom_options())};
  if (result.code_index >= count_of(model_->operator_codes())) return result;
  const tflite::OperatorCode& code = *model_->operator_codes()->Get(result.code_index);
  result.code = code_of(code);
  result.custom_name = text_of(code.custom_code());
  result.options = options_of(from, *result.code);
  return result;
}

std::span<const int32_t> TfliteFile::inputs() const {
  return flat_ != nullptr ? flat_->inputs : view_of(network_->inputs());
}

std::span<const int32_t> TfliteFile::outputs() const {
  return flat_ != nullptr ? flat_->outputs : view_of(network_->outputs());
}

size_t TfliteFile::subgraph_count() const { return count_of(model_->subgraphs()); }

TfliteFile TfliteFile::subgraph(size_t number) const {
  TfliteFile result = *this;
  result.network_ = model_->subgraphs()->Get(static_cast<uint32_t>(number));
  result.flat_ = nullptr;
  result.where_ = fmt::format("{}: subgraph {}", where_, number);
  result.open_shapes_ = false;
  return result;
}

TfliteFile TfliteFile::with(std::shared_ptr<const FlatNetwork> network) const {
  TfliteFile result = *this;
  result.flat_ = std::move(network);
  return result;
}

std::vector<uint32_t> TfliteFile::metadata_buffers(std::string_view name) const {
  std::vector<uint32_t> buffers;
  for (uint32_t k = 0; k < count_of(model_->metadata()); ++k) {
    const tflite::Metadata& entry = *model_->metadata()->Get(k);
    if (text_of(entry.name()) == name) buffers.push_back(entry.buffer());
  }
  return buffers;
}

bool TfliteFile::has_code(tfl::BuiltinOperator code) const {
  const auto* codes = model_->operator_codes();
  return codes != nullptr && std::any_of(codes->begin(), codes->end(), [&](const auto* c) {
           return as_code<tfl::BuiltinOperator>(c->builtin_code()) == code;
         });
}

size_t TfliteFile::buffer_count() const { return count_of(model_->buffers()); }

bool TfliteFile::has_data(uint32_t buffer) const {
  if (flat_ != nullptr && buffer >= flat_->first_constant)
    return buffer - flat_->first_constant < flat_->constants.size();
  if (buffer >= buffer_count()) return false;
  const tflite::Buffer& found = *model_->buffers()->Get(buffer);
  return found.offset() > 1 || count_of(found.data()) > 0;
}

std::span<const uint8_t> TfliteFile::data(uint32_t buffer, const std::string& where) const {
  if (flat_ != nullptr && buffer == FlatNetwork::kNoBuffer) return {};
  if (flat_ != nullptr && buffer >= flat_->first_constant &&
      buffer - flat_->first_constant < flat_->constants.size())
    return flat_->constants[buffer - flat_->first_constant];
  if (buffer >= buffer_count()) throw Damage(where, fmt::format("there is no buffer {}", buffer));
  const tflite::Buffer& found = *model_->buffers()->Get(buffer);
  if (found.offset() > 1) {  // files above 2 GB: behind the flatbuffer
    if (found.offset() > bytes_.size() || found.size() > bytes_.size() - found.offset())
      throw Damage(where, fmt::format("buffer {} ends behind the file", buffer));
    return bytes_.subspan(found.offset(), found.size());
  }
  return view_of(found.data());
}

std::optional<std::span<const uint8_t>> TfliteFile::metadata(std::string_view name) const {
  const std::vector<uint32_t> buffers = metadata_buffers(name);
  if (buffers.empty()) return std::nullopt;
  return data(buffers[0], where_);
}

}  // namespace thimble
