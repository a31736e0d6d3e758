// SPDX-License-Identifier: Apache-2.0
// What a model file holds, whether or not Thimble can compile it, and all that stops it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "thimble/import/import_options.h"

namespace thimble {

struct SurveyedTensor {
  std::string name;
  std::string type;                   ///< as the format calls it: "INT8", "FLOAT16"
  std::vector<int64_t> shape;         ///< as recorded, or as it follows; -1: open
  bool unknown_rank = false;          ///< neither recorded nor followed
  std::optional<int64_t> size_bytes;  ///< nothing: open, too large, or of a type without a size
  bool constant = false;
  bool variable = false;  ///< keeps its value from one inference to the next
};

/// Tensors by their numbers; -1: an optional input that is absent.
struct SurveyedOp {
  std::string name;
  std::vector<int> inputs, outputs;
};

/// What stops the import, with everything that it stops.
struct Obstacle {
  std::string reason;        ///< "UNIDIRECTIONAL_SEQUENCE_LSTM is not supported"
  std::string help;          ///< what would work; empty: nothing is known
  std::vector<int> ops;      ///< their numbers, ascending
  std::vector<int> tensors;  ///< that are no better in any operator
};

/// The first subgraph, or the graph, in the file's order.
struct Survey {
  std::string model;
  int64_t subgraphs = 1;
  std::vector<SurveyedTensor> tensors;
  std::vector<SurveyedOp> ops;
  std::vector<int> inputs, outputs;  ///< tensors
  std::vector<Obstacle> obstacles;   ///< the most frequent first
  /// Operators that neither meet an obstacle nor need one that does, and the tensors that they
  /// leave to the others and to the caller: ImportOptions::until of a network that can be compiled.
  int64_t free_ops = 0;
  std::vector<int> until;
};

/// Throws CompileError for what is no well-formed file of its format: truncated, damaged. Obstacles
/// are those of what `options` leave of it. `where` names the bytes in messages; `name` becomes
/// Survey::model.
[[nodiscard]] Survey survey_tflite(std::span<const uint8_t> bytes, const std::string& name,
                                   const std::string& where, const ImportOptions& options = {});
/// `folder`: where external data may lie; "": nowhere.
[[nodiscard]] Survey survey_onnx(std::span<const uint8_t> bytes, const std::string& name,
                                 const std::string& where, const std::string& folder,
                                 const ImportOptions& options = {});

}  // namespace thimble
