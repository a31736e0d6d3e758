// SPDX-License-Identifier: Apache-2.0
// A model as it comes, and the graph of it that is planned.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "thimble/certify/certify.h"
#include "thimble/import/model_metadata.h"
#include "thimble/import/tflite.h"
#include "thimble/model/graph.h"
#include "thimble/plan/note.h"

namespace thimble {

/// A model as it came.
struct Source {
  Graph graph;         ///< as imported, nothing rewritten
  std::string where;   ///< the file, for messages
  std::string sha256;  ///< of the file and what it was imported with; of the graph's description
  ModelMetadata metadata = {};  ///< of the graph's inputs and outputs
};

/// A .tflite file in memory.
struct ModelBytes {
  std::string name;  ///< of the network, and in messages
  Bytes bytes;
};

/// A path or "zoo:NAME:key=value,...", the bytes of a file, or a network that is there already.
using ModelSource = std::variant<std::string, ModelBytes, Source>;

/// Throws CompileError for what cannot be read, uses what is not supported, or has not got what
/// the options name. Networks of the zoo refuse those that are for files; a Source is as it is.
[[nodiscard]] Source load(const ModelSource& model, const ImportOptions& options = {});
/// A network made in memory: its constants and shapes stand for the file.
[[nodiscard]] Source source_of(Graph graph);

/// What is done to a graph before it is planned.
struct GraphOptions {
  bool rewrite = true;                     ///< to fewer operators, outputs identical
  bool keep_channels = false;              ///< even those that are the same for every input
  bool int8_io = false;                    ///< without a quantize or dequantize at the edge
  int64_t max_bytes = int64_t{128} << 20;  ///< of activations: larger networks are refused
};

/// The graph that is planned: certified to compute what the file's does, InternalError if not.
/// Throws CompileError if its activations have more bytes than allowed.
[[nodiscard]] Graph prepare(const Graph& graph, const GraphOptions& options);
/// What prepare() goes by.
[[nodiscard]] Certification certification(const Graph& graph, const GraphOptions& options);
/// The channels that `prepared` lacks, if it lacks any.
[[nodiscard]] std::optional<note::ConstantChannels> constant_channels(const Graph& graph,
                                                                      const GraphOptions& options,
                                                                      const Graph& prepared);

}  // namespace thimble
