// SPDX-License-Identifier: Apache-2.0
#include "thimble/driver/class_labels.h"

#include <fmt/format.h>

#include <algorithm>

#include "thimble/import/model_metadata.h"
#include "thimble/model/error.h"

namespace thimble {

int64_t class_count(const Graph& graph, const Port& output) {
  const Shape shape = caller_shape(graph, output);
  const auto longer = std::ranges::count_if(shape, [](int64_t extent) { return extent > 1; });
  return longer == 1 && shape.size() <= 4 ? elements(shape) : 0;
}

bool is_autoencoder(const Graph& graph) {
  constexpr int64_t kLeastElements = 32;
  if (graph.inputs.size() != 1 || graph.outputs.size() != 1) return false;
  const int64_t count = elements(graph.tensor(graph.outputs[0].tensor).shape);
  return count >= kLeastElements && count == elements(graph.tensor(graph.inputs[0].tensor).shape);
}

const Port* class_output(const Graph& graph) {
  // The four of a detector are boxes, their classes, their scores and how many there are.
  if (graph.outputs.size() > 3 || is_autoencoder(graph)) return nullptr;
  for (const Port& port : graph.outputs)
    if (class_count(graph, port) > 1) return &port;
  return nullptr;
}

std::vector<std::string> class_labels(const Graph& graph, const ClassLabels& asked,
                                      const ModelMetadata& metadata) {
  const Port* scores = class_output(graph);
  const auto count = static_cast<size_t>(scores == nullptr ? 0 : class_count(graph, *scores));
  if (!asked.names.empty()) {
    if (count != 0 && asked.names.size() != count) {
      throw CompileError(asked.file,
                         fmt::format("has {} labels; the network's output '{}' has {} "
                                     "classes, one line for each is supported",
                                     asked.names.size(), graph.tensor(scores->tensor).name, count));
    }
    return asked.names;
  }
  std::vector<std::string> of_file = labels_of(metadata);
  if (count != 0 && of_file.size() != count) return {};
  return of_file;
}

}  // namespace thimble
