// SPDX-License-Identifier: Apache-2.0
// Classes and boxes in the outputs of a network.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "thimble/model/graph.h"
#include "thimble/report/predictions.h"

namespace thimble {

/// The scores of a classifier's output, one per class. Empty: no output scores classes.
[[nodiscard]] std::vector<float> class_scores(const Graph& graph,
                                              const std::vector<Bytes>& outputs);

/// Which outputs of a detector are what.
struct DetectorOutputs {
  size_t boxes = 0, classes = 0, scores = 0;
  std::optional<size_t> count = {};
};
/// The boxes of a network that ends in TFLite_Detection_PostProcess. imported: as the file has it,
/// nothing rewritten. Nothing: it does not.
[[nodiscard]] std::optional<DetectorOutputs> detector_outputs(const Graph& imported);
/// With a score of at least `least`, in the network's order. graph: whose outputs these are.
[[nodiscard]] std::vector<Detection> detections_in(const Graph& graph, const DetectorOutputs& which,
                                                   const std::vector<Bytes>& outputs,
                                                   const std::vector<std::string>& labels,
                                                   float least);

}  // namespace thimble
