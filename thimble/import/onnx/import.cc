// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "thimble/import/file_bytes.h"
#include "thimble/import/file_limits.h"
#include "thimble/import/network_builder.h"
#include "thimble/import/onnx.h"
#include "thimble/import/onnx/few_axes.h"
#include "thimble/import/onnx/patterns.h"
#include "thimble/import/onnx/reader.h"
#include "thimble/import/unsupported.h"
#include "thimble/import/utf8.h"

namespace thimble {
namespace onnx {
namespace {

void refuse_unsupported(const Reader& reader, const std::vector<const NodeRecord*>& nodes) {
  UnsupportedOps unsupported;
  for (const NodeRecord* node : nodes) {
    const std::string name = reader.unknown(*node);
    if (!name.empty()) unsupported.add(name, reader.number_of(*node));
  }
  if (!unsupported.empty()) unsupported.refuse(reader.where(), nodes.size(), Help::kNone);
}

/// The type that the file says an output has; nothing: none.
std::optional<DType> declared_type(const ModelRecord& model, std::string_view name) {
  for (const ValueRecord& output : model.graph.outputs)
    if (output.name == name && output.is_tensor) return type_of(output.type);
  return std::nullopt;
}

/// The inputs that a part of the network reads.
std::vector<TensorId> inputs_read(Reader& reader, std::vector<TensorId> inputs) {
  std::erase_if(inputs, [&](TensorId id) { return !reader.is_read(reader.network()[id].name); });
  return inputs;
}

/// A tensor with the value of each output, as the file has it.
std::vector<TensorId> output_tensors(const ModelRecord& model, Reader& reader,
                                     const std::vector<std::string_view>& outputs,
                                     const ImportOptions& options) {
  std::vector<TensorId> tensors;
  NodeRecord end;
  end.op = "output";
  const Node node{
      .record = &end, .opset = 0, .number = -1, .where = reader.where() + ": network outputs"};
  Network& network = reader.network();
  for (const std::string_view output : outputs) {
    const Value* value = reader.find(output);
    if (value == nullptr)
      throw ImportError(
          options.until.empty() ? node.where : "--until",
          fmt::format("no operator of {} computes '{}'", reader.where(), printable(output)));
    if (value->list != nullptr)
      node.refuse(fmt::format("'{}' is a sequence, which is not supported", printable(output)));
    TensorId tensor = network.tensor(node, *value, port_order(value->rank(), options.port_layout));
    // Indices are counted in int32.
    if (value->type == DType::kInt32 && declared_type(model, output) == DType::kInt64)
      tensor = network.make(node, Cast{}, {tensor}, DType::kInt64, network[tensor].shape);
    if (network.is_shifted(tensor)) {  // the file's uint8
      Quantization as = network[tensor].quantization;
      for (int32_t& zero : as.zero_points) zero += 128;
      tensor = network.make(node, Quantize{}, {tensor}, DType::kUInt8, network[tensor].shape);
      network.quantise(tensor, as);
    }
    network.name_if_new(tensor, std::string(output));
    tensors.push_back(tensor);
  }
  return tensors;
}

bool is_quantised(const Step& step) {
  return std::holds_alternative<Quantize>(step.op.attributes) ||
         std::holds_alternative<Dequantize>(step.op.attributes);
}

/// In the arithmetic that is asked for.
Steps computed(Network& read, QuantisedAs as, const std::vector<TensorId>& outputs) {
  Steps network{std::move(read.steps()), read.take_tensors()};
  if (std::ranges::none_of(network.steps, is_quantised)) return network;
  if (as == QuantisedAs::kFloat) return in_numbers(std::move(network));
  const bool onnx = as == QuantisedAs::kOnnx;
  network = in_integers(std::move(network), read.integers(), outputs,
                        onnx ? Arithmetic::kOnnx : Arithmetic::kTflite);
  return onnx ? in_numbers(std::move(network)) : network;
}

Graph built(const std::string& name, const std::string& where, Steps read,
            const std::vector<TensorId>& inputs, const std::vector<TensorId>& outputs) {
  std::vector<Step> steps = std::move(read.steps);
  NetworkBuilder network(name, where, std::move(read.tensors), inputs, outputs);
  std::vector<bool> made(network.tensors().size());
  for (const Step& step : steps)
    for (const TensorId id : step.op.outputs) made[id.index()] = true;
  network.begin(std::move(made));
  for (Step& step : steps) {
    const FileOp from{.where = step.where,
                      .number = step.op.file_index,
                      .tensors = network.tensors(),
                      .inputs = step.op.inputs,
                      .outputs = step.op.outputs};
    network.add({.ops = {std::move(step.op)}, .states = {}, .variables = {}}, from);
  }
  network.check_outputs();
  return network.finish();
}

}  // namespace

std::vector<std::string_view> wanted_outputs(const ModelRecord& model,
                                             const ImportOptions& options) {
  std::vector<std::string_view> outputs(options.until.begin(), options.until.end());
  if (outputs.empty())
    for (const ValueRecord& output : model.graph.outputs) outputs.push_back(output.name);
  return outputs;
}

Graph graph_of(ModelRecord model, const std::string& name, const std::string& where,
               const std::string& folder, const ImportOptions& options) {
  recognise_patterns(model.graph);
  const std::vector<std::string_view> outputs = wanted_outputs(model, options);
  Reader reader(model, where, folder);
  std::vector<TensorId> inputs = reader.begin(options);
  const std::vector<const NodeRecord*> nodes = reader.nodes(outputs);
  if (!options.until.empty()) inputs = inputs_read(reader, std::move(inputs));
  refuse_unsupported(reader, nodes);
  for (const NodeRecord* node : nodes) reader.read(*node);
  const std::vector<TensorId> ports = output_tensors(model, reader, outputs, options);
  Steps steps = computed(reader.network(), options.quantised, ports);
  return built(name, where, with_few_axes(std::move(steps)), inputs, ports);
}

}  // namespace onnx

Graph import_onnx(std::span<const uint8_t> bytes, const std::string& name, const std::string& where,
                  const std::string& folder, const ImportOptions& options) {
  return onnx::graph_of(onnx::read_model(bytes, where), name, where, folder, options);
}

Graph import_onnx(const std::filesystem::path& file, const ImportOptions& options) {
  const Bytes bytes = read_file(file, kMaxFileBytes);
  const std::filesystem::path folder = file.parent_path();
  return import_onnx(bytes, file.stem().string(), file.string(),
                     folder.empty() ? "." : folder.string(), options);
}

}  // namespace thimble
