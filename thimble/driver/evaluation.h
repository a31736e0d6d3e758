// SPDX-License-Identifier: Apache-2.0
// A network on samples whose truth is known.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "thimble/driver/labelled_set.h"
#include "thimble/driver/samples.h"
#include "thimble/model/graph.h"
#include "thimble/report/evaluation_report.h"

namespace thimble {

/// Inputs of inferences in turn, of which a network with a state has several; outputs likewise.
using InTurn = std::vector<std::vector<Bytes>>;

struct EvaluationRequest {
  const Graph& graph;  ///< that is executed
  const SampleReader& reader;
  LabelledSet set;
  std::string set_name;                     ///< as the user named it
  std::vector<std::string> labels = {};     ///< of the network's classes; empty: not known
  std::optional<EvaluationTask> task = {};  ///< nothing: what the output and the labels suggest
  std::string positive = {};                ///< the class that AUC is of; empty: the second
  double threshold = 0.5;                   ///< of kScore: from there on it is the second class
  int64_t limit = 0;                        ///< most samples; 0: all
  int jobs = 1;                             ///< calls of execute at a time
  size_t chunk = 1;                         ///< samples of a call
  std::function<std::vector<InTurn>(const std::vector<InTurn>& samples)> execute;
  std::function<void(size_t done, size_t of)> progress = {};  ///< from any thread
};

/// Whatever the number of threads, the same figures. Of a file with several inferences each counts,
/// but for kAnomaly, where their mean does, and networks with a state, where the last does. Throws
/// CompileError where samples, labels and network do not go together.
[[nodiscard]] Evaluation evaluation_of(const EvaluationRequest& request);

}  // namespace thimble
