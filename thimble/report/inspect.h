// SPDX-License-Identifier: Apache-2.0
// What a network is and where its memory goes, before any planning: `thimble inspect`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "thimble/interpreter/arena.h"
#include "thimble/model/graph.h"
#include "thimble/plan/note.h"
#include "thimble/program/estimate.h"
#include "thimble/report/warning.h"

namespace thimble {

struct InspectedOp {
  int number = 0;  ///< in the graph
  int file_index = -1;
  std::string op;  ///< "CONV_2D"
  std::string input_shape, output_shape, output_name, quantization;
  int64_t macs = 0;
  int64_t weight_bytes = 0;       ///< constants that it reads
  int64_t working_set_bytes = 0;  ///< live while it executes, in the file's order, nothing in place
  std::vector<TensorId> live;     ///< what that is made of
};

struct Inspection {
  std::string model;
  std::vector<InspectedOp> ops;
  int64_t macs = 0, weight_bytes = 0;
  /// Channels that are not computed, of a graph as it is planned.
  std::optional<note::ConstantChannels> constant_channels = {};
  size_t bottleneck = 0;  ///< index into ops of the largest working set
  /// Estimate of whole operators in this order, by their number in the graph.
  std::optional<CoreEstimate> estimate = {};
  std::optional<InterpreterArena> interpreter = {};  ///< of the model's file as it is
  std::vector<Warning> warnings = {};                ///< said first

  [[nodiscard]] std::optional<double> instructions(const InspectedOp& op) const;
  /// The operator's share of an inference, in percent; 0 without an estimate.
  [[nodiscard]] double percent(const InspectedOp& op) const;
};

[[nodiscard]] Inspection inspect(const Graph& graph);

[[nodiscard]] std::string inspection_text(const Graph& graph, const Inspection& inspection);
[[nodiscard]] std::string inspection_csv(const Inspection& inspection);
[[nodiscard]] std::string inspection_json(const Graph& graph, const Inspection& inspection);

}  // namespace thimble
