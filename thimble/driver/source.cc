// SPDX-License-Identifier: Apache-2.0
#include "thimble/driver/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "thimble/driver/byte_limits.h"
#include "thimble/import/c_array.h"
#include "thimble/import/model_file.h"
#include "thimble/import/model_metadata.h"
#include "thimble/import/sha256.h"
#include "thimble/import/utf8.h"
#include "thimble/model/error.h"
#include "thimble/report/inspect.h"
#include "thimble/rewrites/rewrites.h"
#include "thimble/rewrites/sliding_window.h"
#include "zoo/zoo.h"

namespace thimble {
namespace {

constexpr int64_t kMostModelBytes = int64_t{1} << 31;
constexpr std::string_view kZoo = "zoo:";

std::string sha256_of(const Graph& graph) {
  std::string text = graph.name;
  for (const Tensor& t : graph.tensors) {
    text += t.name + to_string(t.shape) + name(t.type);
    if (t.data) text.append(t.data->begin(), t.data->end());
  }
  return sha256(text);
}

// Whether an .onnx has the key of external data anywhere.
bool may_have_weights_beside(const Bytes& bytes) {
  constexpr std::string_view kKey = "location";
  return std::ranges::search(bytes, kKey).begin() != bytes.end();
}

// The name goes into files of JSON, which are UTF-8; names of files need not be.
Source imported(const Bytes& bytes, const std::string& name, const std::string& where,
                const ImportOptions& options) {
  std::string digest = sha256(bytes);
  for (const std::string& tensor : options.until) digest = sha256(digest + " until " + tensor);
  for (const NamedShape& s : options.shapes)
    digest = sha256(fmt::format("{} shape {} {}", digest, s.input, to_string(s.shape)));
  const bool is_onnx = format_of(bytes, where) == ModelFormat::kOnnx;
  if (!is_onnx && options.quantised == QuantisedAs::kFloat)
    throw CompileError("--arithmetic", fmt::format("float is for .onnx files; {} is none", where));
  if (is_onnx && options.port_layout != PortLayout::kOfTheFile) digest = sha256(digest + " nhwc");
  if (is_onnx && options.quantised != QuantisedAs::kOnnx)
    digest = sha256(fmt::format("{} arithmetic {}", digest, static_cast<int>(options.quantised)));
  Source source{import_model(bytes, valid_utf8(name), where, options), where, {}, {}};
  source.sha256 = is_onnx && may_have_weights_beside(bytes)
                      ? sha256(digest + sha256_of(source.graph))
                      : std::move(digest);
  if (!is_onnx) source.metadata = read_metadata(bytes, where);
  if (!options.until.empty()) source.metadata = {};  // that of other outputs
  return source;
}

Source named(const std::string& model, const ImportOptions& options) {
  if (model.starts_with(kZoo)) {
    for (const auto& [option, none] :
         {std::pair{"--until", options.until.empty()}, {"--shape", options.shapes.empty()}}) {
      if (!none) throw CompileError(option, fmt::format("is for files, not for {}", model));
    }
    Source source = source_of(build_zoo(model.substr(kZoo.size())));
    source.where = model;
    return source;
  }
  return imported(read_model_file(model, kMostModelBytes),
                  std::filesystem::path(model).stem().string(), model, options);
}

Source slid(Source whole, const Hop& hop) {
  whole.graph = sliding_window(whole.graph, hop);
  const Shape& rows = whole.graph.tensor(whole.graph.inputs[0].tensor).shape;
  whole.sha256 = sha256(fmt::format("{} hop {}", whole.sha256, to_string(rows)));
  return whole;
}

/// Outputs of convolutions and fully connected layers.
int64_t summed_channels(const Graph& graph) {
  int64_t sum = 0;
  for (const Op& op : graph.ops) {
    if (std::holds_alternative<Conv2D>(op.attributes) ||
        std::holds_alternative<DepthwiseConv2D>(op.attributes) ||
        std::holds_alternative<FullyConnected>(op.attributes))
      sum += graph.tensor(op.outputs[0]).shape.back();
  }
  return sum;
}

Interface interface_of(const GraphOptions& options) {
  return options.int8_io ? Interface::kIntegers : Interface::kOfTheFile;
}

RewrittenGraph rewritten(const Graph& graph, const GraphOptions& options) {
  Graph with_ports = options.int8_io ? integer_io(graph) : graph;
  if (!options.rewrite) return {std::move(with_ports), {}};
  return rewrite_with_certificate(std::move(with_ports), options.keep_channels
                                                             ? ConstantChannels::kKept
                                                             : ConstantChannels::kRemoved);
}

}  // namespace

Source source_of(Graph graph) {
  std::string digest = sha256_of(graph), where = graph.name;
  return {std::move(graph), std::move(where), std::move(digest), {}};
}

Source load(const ModelSource& model, const ImportOptions& options) {
  if (const auto* source = std::get_if<Source>(&model)) return *source;
  if (options.hop.axis && options.hop.rows == 0) throw CompileError("--hop-axis", "is for --hop");
  const auto* file = std::get_if<ModelBytes>(&model);
  Source whole = file != nullptr ? imported(file->bytes, file->name, file->name, options)
                                 : named(std::get<std::string>(model), options);
  if (options.hop.rows != 0) whole = slid(std::move(whole), options.hop);
  return whole;
}

Graph prepare(const Graph& graph, const GraphOptions& options) {
  check_bytes(graph, options.max_bytes);
  if (!options.rewrite && !options.int8_io) return graph;
  RewrittenGraph prepared = rewritten(graph, options);
  const Certification proof = certify(graph, prepared, interface_of(options));
  if (!proof.ok())
    throw InternalError(
        fmt::format("{}: a rewrite changed the network: {}", graph.name, proof.fault));
  return std::move(prepared.graph);
}

Certification certification(const Graph& graph, const GraphOptions& options) {
  return certify(graph, rewritten(graph, options), interface_of(options));
}

std::optional<note::ConstantChannels> constant_channels(const Graph& graph,
                                                        const GraphOptions& options,
                                                        const Graph& prepared) {
  if (!options.rewrite || options.keep_channels) return std::nullopt;
  if (summed_channels(graph) == summed_channels(prepared)) return std::nullopt;  // as they were
  GraphOptions keeping = options;
  keeping.keep_channels = true;
  const Graph whole = rewritten(graph, keeping).graph;
  const int64_t before = summed_channels(whole), after = summed_channels(prepared);
  if (before == after) return std::nullopt;
  const Inspection inspected_before = inspect(whole), inspected = inspect(prepared);
  return note::ConstantChannels{.removed = before - after,
                                .of = before,
                                .macs_before = inspected_before.macs,
                                .macs = inspected.macs,
                                .weight_bytes_before = inspected_before.weight_bytes,
                                .weight_bytes = inspected.weight_bytes};
}

}  // namespace thimble
