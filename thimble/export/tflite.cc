// SPDX-License-Identifier: Apache-2.0
// Tensors, operators and the tables around them.
#include "thimble/export/tflite.h"

#include <flatbuffers/flatbuffers.h>

#include <algorithm>
#include <string_view>

#include "thimble/export/tflite_ops.h"
#include "thimble/import/file_bytes.h"
#include "thimble/import/tflite/interpreter_tensors.h"
#include "thimble/import/tflite/schema.h"
#include "thimble/model/error.h"

namespace thimble {
namespace {

class Writer {
 public:
  Writer(const Graph& graph, const TfliteOptions& options) : graph_(graph), options_(options) {
    model_.version = 3;
    model_.description = "Thimble";
    model_.buffers.push_back(std::make_unique<tflite::BufferT>());  // 0: of all activations
    model_.subgraphs.push_back(std::make_unique<tflite::SubGraphT>());
    network().name = "main";
  }

  Bytes run() {
    check_ports();
    for (const Tensor& tensor : graph_.tensors) add_tensor(tensor);
    for (const TensorId t : options_.four_bits) narrow(t);
    for (const Op& op : graph_.ops) add_op(op);
    for (const Port& port : graph_.inputs) network().inputs.push_back(port.tensor.value);
    for (const Port& port : graph_.outputs) network().outputs.push_back(port.tensor.value);
    if (!options_.offsets.empty()) add_offline_plan();
    flatbuffers::FlatBufferBuilder builder;
    builder.Finish(tflite::Model::Pack(builder, &model_), tflite::ModelIdentifier());
    return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
  }

 private:
  tflite::SubGraphT& network() { return *model_.subgraphs[0]; }

  void check_ports() const {
    if (!graph_.states.empty()) {
      throw CompileError(graph_.name, "networks with state cannot be written as .tflite");
    }
    for (const auto* ports : {&graph_.inputs, &graph_.outputs}) {
      for (const Port& port : *ports) {
        if (port.order.empty() && port.shape.empty()) continue;
        throw CompileError(graph_.name,
                           "an input or output of another shape or order of axes than its tensor's "
                           "cannot be written as .tflite; write the graph before rewrites");
      }
    }
  }

  int32_t add_tensor(const Tensor& from) {
    auto to = std::make_unique<tflite::TensorT>();
    for (const int64_t extent : from.shape) to->shape.push_back(static_cast<int32_t>(extent));
    to->type = file_type(from.type);
    to->name = from.name;
    if (from.is_constant()) {
      to->buffer = static_cast<uint32_t>(model_.buffers.size());
      model_.buffers.push_back(std::make_unique<tflite::BufferT>());
      model_.buffers.back()->data = *from.data;
    }
    to->quantization = std::make_unique<tflite::QuantizationParametersT>();
    const Quantization& q = from.quantization;
    to->quantization->scale = q.scales;
    to->quantization->zero_point.assign(q.zero_points.begin(), q.zero_points.end());
    to->quantization->quantized_dimension = q.axis;
    network().tensors.push_back(std::move(to));
    return static_cast<int32_t>(network().tensors.size()) - 1;
  }

  /// The lower half of a byte is the first of its two weights.
  void narrow(TensorId t) {
    check(graph_.tensor(t).is_constant() && graph_.tensor(t).type == DType::kInt8,
          "int4 is for constants of int8");
    tflite::TensorT& tensor = *network().tensors[t.index()];
    tensor.type = tflite::TensorType::INT4;
    std::vector<uint8_t>& bytes = model_.buffers[tensor.buffer]->data;
    for (size_t k = 0; k < bytes.size(); ++k) {
      const auto nibble = static_cast<uint8_t>(bytes[k] & 0x0F);
      bytes[k / 2] = k % 2 == 0 ? nibble : static_cast<uint8_t>(bytes[k / 2] | nibble << 4);
    }
    bytes.resize((bytes.size() + 1) / 2);
  }

  [[nodiscard]] int version_of(const Op& op, const FileOperator& made) const {
    const bool narrow =
        op.inputs.size() > 1 &&
        std::ranges::find(options_.four_bits, op.inputs[1]) != options_.four_bits.end();
    if (!narrow) return made.version;
    return made.code == BuiltinOperator::CONV_2D ? 7 : 10;
  }

  void add_op(const Op& from) {
    FileOperator made = file_operator(graph_, from);
    auto to = std::make_unique<tflite::OperatorT>();
    to->opcode_index = operator_code(made.code, version_of(from, made));
    for (const TensorId t : from.inputs) to->inputs.push_back(t.value);
    for (ExtraConstant& extra : made.extras) {
      const std::string& output = graph_.tensor(from.outputs[0]).name;
      to->inputs.push_back(add_tensor({output + '/' + extra.name,
                                       extra.shape,
                                       extra.type,
                                       {},
                                       std::make_shared<const Bytes>(std::move(extra.data))}));
    }
    if (!made.order.empty()) {
      const std::vector<int32_t> as_made = to->inputs;
      for (size_t k = 0; k < as_made.size(); ++k) to->inputs[k] = as_made[made.order[k]];
    }
    for (const TensorId t : from.outputs) to->outputs.push_back(t.value);
    to->builtin_options = std::move(made.options);
    network().operators.push_back(std::move(to));
  }

  /// Constants that operators brought along are not the graph's: the interpreter places none.
  void add_offline_plan() {
    std::vector<int32_t> words = {1, 0, static_cast<int32_t>(network().tensors.size())};
    words.insert(words.end(), options_.offsets.begin(), options_.offsets.end());
    words.resize(3 + network().tensors.size(), -1);
    auto entry = std::make_unique<tflite::MetadataT>();
    entry->name = kOfflinePlanName;
    entry->buffer = static_cast<uint32_t>(model_.buffers.size());
    model_.metadata.push_back(std::move(entry));
    model_.buffers.push_back(std::make_unique<tflite::BufferT>());
    const auto* bytes = reinterpret_cast<const uint8_t*>(words.data());
    model_.buffers.back()->data.assign(bytes, bytes + words.size() * sizeof(int32_t));
  }

  uint32_t operator_code(tflite::BuiltinOperator code, int version) {
    auto& codes = model_.operator_codes;
    const auto known = std::ranges::find_if(codes, [&](const auto& other) {
      return other->builtin_code == code && other->version == version;
    });
    if (known != codes.end()) return static_cast<uint32_t>(known - codes.begin());
    auto entry = std::make_unique<tflite::OperatorCodeT>();
    entry->builtin_code = code;
    // For interpreters from before there were more than 127 operators.
    entry->deprecated_builtin_code =
        static_cast<int8_t>(std::min<int32_t>(static_cast<int32_t>(code), 127));
    entry->version = version;
    codes.push_back(std::move(entry));
    return static_cast<uint32_t>(codes.size() - 1);
  }

  const Graph& graph_;
  const TfliteOptions& options_;
  tflite::ModelT model_;
};

}  // namespace

Bytes export_tflite(const Graph& graph, const TfliteOptions& options) {
  return Writer(graph, options).run();
}

void write_tflite(const Graph& graph, const std::filesystem::path& file) {
  const Bytes bytes = export_tflite(graph);
  const std::string_view piece(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  write_file(file, {&piece, 1});
}

}  // namespace thimble
