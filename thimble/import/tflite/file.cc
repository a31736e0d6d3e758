// SPDX-License-Identifier: Apache-2.0
#include "thimble/import/tflite/file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "thimble/import/refusal.h"
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

template <class Table>
tfl::ActivationFunctionType activation_of(const Table& from) {
  return as_code<tfl::ActivationFunctionType>(from.fused_activation_function());
}

template <class Table>
tfl::OperatorOptions convolution(const Table* from) {
  if (from == nullptr) return {};
  tfl::ConvolutionOptions result{.padding = as_code<tfl::Padding>(from->padding()),
                                 .stride_h = from->stride_h(),
                                 .stride_w = from->stride_w(),
                                 .activation = activation_of(*from)};
  if constexpr (requires { from->dilation_h_factor(); }) {
    result.dilation_h = from->dilation_h_factor();
    result.dilation_w = from->dilation_w_factor();
  }
  return result;
}

template <class Table>
tfl::OperatorOptions fused(const Table* from) {
  if (from == nullptr) return {};
  return tfl::ActivationOptions{activation_of(*from)};
}

template <class Table>
tfl::OperatorOptions along_axis(const Table* from) {
  if (from == nullptr) return {};
  tfl::AxisOptions result{.axis = from->axis()};
  if constexpr (requires { from->fused_activation_function(); })
    result.activation = activation_of(*from);
  return result;
}

template <class Table>
tfl::OperatorOptions resizing(const Table* from) {
  if (from == nullptr) return {};
  return tfl::ResizeOptions{from->align_corners(), from->half_pixel_centers()};
}

template <class Table>
tfl::OperatorOptions splitting(const Table* from) {
  if (from == nullptr) return {};
  return tfl::SplitOptions{from->num_splits()};
}

template <class Table>
tfl::OperatorOptions blocks(const Table* from) {
  if (from == nullptr) return {};
  return tfl::BlockOptions{from->block_size()};
}

/// `make` of the table, if there is one.
template <class Table, class Make>
tfl::OperatorOptions given(const Table* from, Make make) {
  if (from == nullptr) return {};
  return make(*from);
}

/// Those of the code: an operator with the options of another has none.
tfl::OperatorOptions options_of(const tflite::Operator& op, tfl::BuiltinOperator code) {
  using tfl::BuiltinOperator;
  switch (code) {
    case BuiltinOperator::CONV_2D:
      return convolution(op.builtin_options_as_Conv2DOptions());
    case BuiltinOperator::DEPTHWISE_CONV_2D:
      return convolution(op.builtin_options_as_DepthwiseConv2DOptions());
    case BuiltinOperator::TRANSPOSE_CONV:
      return convolution(op.builtin_options_as_TransposeConvOptions());
    case BuiltinOperator::AVERAGE_POOL_2D:
    case BuiltinOperator::MAX_POOL_2D:
    case BuiltinOperator::L2_POOL_2D:
      return given(op.builtin_options_as_Pool2DOptions(), [](const tflite::Pool2DOptions& o) {
        return tfl::PoolOptions{.padding = as_code<tfl::Padding>(o.padding()),
                                .stride_h = o.stride_h(),
                                .stride_w = o.stride_w(),
                                .filter_h = o.filter_height(),
                                .filter_w = o.filter_width(),
                                .activation = activation_of(o)};
      });
    case BuiltinOperator::FULLY_CONNECTED:
      return given(op.builtin_options_as_FullyConnectedOptions(),
                   [](const tflite::FullyConnectedOptions& o) {
                     return tfl::FullyConnectedOptions{
                         activation_of(o),
                         as_code<tfl::FullyConnectedOptionsWeightsFormat>(o.weights_format()),
                         o.keep_num_dims()};
                   });
    case BuiltinOperator::BATCH_MATMUL:
      return given(op.builtin_options_as_BatchMatMulOptions(),
                   [](const tflite::BatchMatMulOptions& o) {
                     return tfl::BatchMatMulOptions{o.adj_x(), o.adj_y()};
                   });
    case BuiltinOperator::ADD:
      return fused(op.builtin_options_as_AddOptions());
    case BuiltinOperator::SUB:
      return fused(op.builtin_options_as_SubOptions());
    case BuiltinOperator::MUL:
      return fused(op.builtin_options_as_MulOptions());
    case BuiltinOperator::DIV:
      return fused(op.builtin_options_as_DivOptions());
    case BuiltinOperator::L2_NORMALIZATION:
      return fused(op.builtin_options_as_L2NormOptions());
    case BuiltinOperator::CONCATENATION:
      return along_axis(op.builtin_options_as_ConcatenationOptions());
    case BuiltinOperator::PACK:
      return along_axis(op.builtin_options_as_PackOptions());
    case BuiltinOperator::UNPACK:
      return along_axis(op.builtin_options_as_UnpackOptions());
    case BuiltinOperator::GATHER:
      return given(op.builtin_options_as_GatherOptions(), [](const tflite::GatherOptions& o) {
        return tfl::GatherOptions{o.axis(), o.batch_dims()};
      });
    case BuiltinOperator::SOFTMAX:
      return given(op.builtin_options_as_SoftmaxOptions(),
                   [](const tflite::SoftmaxOptions& o) { return tfl::SoftmaxOptions{o.beta()}; });
    case BuiltinOperator::LEAKY_RELU:
      return given(op.builtin_options_as_LeakyReluOptions(), [](const tflite::LeakyReluOptions& o) {
        return tfl::LeakyReluOptions{o.alpha()};
      });
    case BuiltinOperator::GELU:
      return given(op.builtin_options_as_GeluOptions(),
                   [](const tflite::GeluOptions& o) { return tfl::GeluOptions{o.approximate()}; });
    case BuiltinOperator::CUMSUM:
      return given(op.builtin_options_as_CumsumOptions(), [](const tflite::CumsumOptions& o) {
        return tfl::CumsumOptions{o.exclusive(), o.reverse()};
      });
    case BuiltinOperator::RESIZE_BILINEAR:
      return resizing(op.builtin_options_as_ResizeBilinearOptions());
    case BuiltinOperator::RESIZE_NEAREST_NEIGHBOR:
      return resizing(op.builtin_options_as_ResizeNearestNeighborOptions());
    case BuiltinOperator::STRIDED_SLICE:
      return given(op.builtin_options_as_StridedSliceOptions(),
                   [](const tflite::StridedSliceOptions& o) {
                     return tfl::StridedSliceOptions{o.begin_mask(),       o.end_mask(),
                                                     o.ellipsis_mask(),    o.new_axis_mask(),
                                                     o.shrink_axis_mask(), o.offset()};
                   });
    case BuiltinOperator::SPLIT:
      return splitting(op.builtin_options_as_SplitOptions());
    case BuiltinOperator::SPLIT_V:
      return splitting(op.builtin_options_as_SplitVOptions());
    case BuiltinOperator::DEPTH_TO_SPACE:
      return blocks(op.builtin_options_as_DepthToSpaceOptions());
    case BuiltinOperator::SPACE_TO_DEPTH:
      return blocks(op.builtin_options_as_SpaceToDepthOptions());
    case BuiltinOperator::MIRROR_PAD:
      return given(op.builtin_options_as_MirrorPadOptions(), [](const tflite::MirrorPadOptions& o) {
        return tfl::MirrorPadOptions{as_code<tfl::MirrorPadMode>(o.mode())};
      });
    case BuiltinOperator::MEAN:
    case BuiltinOperator::SUM:
    case BuiltinOperator::REDUCE_ALL:
    case BuiltinOperator::REDUCE_ANY:
    case BuiltinOperator::REDUCE_MAX:
    case BuiltinOperator::REDUCE_MIN:
    case BuiltinOperator::REDUCE_PROD:
      return given(op.builtin_options_as_ReducerOptions(), [](const tflite::ReducerOptions& o) {
        return tfl::ReducerOptions{o.keep_dims()};
      });
    case BuiltinOperator::RESHAPE:
      return given(op.builtin_options_as_ReshapeOptions(), [](const tflite::ReshapeOptions& o) {
        return tfl::ReshapeOptions{o.new_shape() != nullptr, view_of(o.new_shape())};
      });
    case BuiltinOperator::SQUEEZE:
      return given(op.builtin_options_as_SqueezeOptions(), [](const tflite::SqueezeOptions& o) {
        return tfl::SqueezeOptions{view_of(o.squeeze_dims())};
      });
    case BuiltinOperator::SVDF:
      return given(op.builtin_options_as_SVDFOptions(), [](const tflite::SVDFOptions& o) {
        return tfl::SvdfOptions{o.rank(), activation_of(o)};
      });
    case BuiltinOperator::UNIDIRECTIONAL_SEQUENCE_LSTM:
      return given(op.builtin_options_as_UnidirectionalSequenceLSTMOptions(),
                   [](const tflite::UnidirectionalSequenceLSTMOptions& o) {
                     return tfl::LstmOptions{activation_of(o), o.cell_clip(), o.time_major(),
                                             o.diagonal_recurrent_tensors()};
                   });
    case BuiltinOperator::VAR_HANDLE:
      return given(op.builtin_options_as_VarHandleOptions(), [](const tflite::VarHandleOptions& o) {
        return tfl::VarHandleOptions{text_of(o.container()), text_of(o.shared_name())};
      });
    case BuiltinOperator::CALL_ONCE:
      return given(op.builtin_options_as_CallOnceOptions(), [](const tflite::CallOnceOptions& o) {
        return tfl::CallOnceOptions{o.init_subgraph_index()};
      });
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

size_t TfliteFile::tensor_count() const { return count_of(network_->tensors()); }

tfl::TensorRecord TfliteFile::tensor(size_t t) const {
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

size_t TfliteFile::op_count() const { return count_of(network_->operators()); }

tfl::OperatorRecord TfliteFile::op(size_t i) const {
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

std::span<const int32_t> TfliteFile::inputs() const { return view_of(network_->inputs()); }

std::span<const int32_t> TfliteFile::outputs() const { return view_of(network_->outputs()); }

size_t TfliteFile::subgraph_count() const { return count_of(model_->subgraphs()); }

TfliteFile TfliteFile::subgraph(size_t number) const {
  TfliteFile result = *this;
  result.network_ = model_->subgraphs()->Get(static_cast<uint32_t>(number));
  result.where_ = fmt::format("{}: subgraph {}", where_, number);
  result.open_shapes_ = false;
  return result;
}

bool TfliteFile::has_code(tfl::BuiltinOperator code) const {
  const auto* codes = model_->operator_codes();
  return codes != nullptr && std::any_of(codes->begin(), codes->end(), [&](const auto* c) {
           return as_code<tfl::BuiltinOperator>(c->builtin_code()) == code;
         });
}

bool TfliteFile::has_data(uint32_t buffer) const {
  if (buffer >= count_of(model_->buffers())) return false;
  const tflite::Buffer& found = *model_->buffers()->Get(buffer);
  return found.offset() > 1 || count_of(found.data()) > 0;
}

std::span<const uint8_t> TfliteFile::data(uint32_t buffer, const std::string& where) const {
  if (buffer >= count_of(model_->buffers()))
    throw Damage(where, fmt::format("there is no buffer {}", buffer));
  const tflite::Buffer& found = *model_->buffers()->Get(buffer);
  if (found.offset() > 1) {  // files above 2 GB: behind the flatbuffer
    if (found.offset() > bytes_.size() || found.size() > bytes_.size() - found.offset())
      throw Damage(where, fmt::format("buffer {} ends behind the file", buffer));
    return bytes_.subspan(found.offset(), found.size());
  }
  return view_of(found.data());
}

}  // namespace thimble
