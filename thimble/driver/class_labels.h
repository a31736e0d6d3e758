// SPDX-License-Identifier: Apache-2.0
// Names of the classes between which a network's output chooses.
#pragma once

#include <string>
#include <vector>

#include "thimble/model/graph.h"

namespace thimble {

struct ModelMetadata;

/// Names of classes, from a file.
struct ClassLabels {
  std::string file;  ///< in messages; empty: none was given
  std::vector<std::string> names;
  bool operator==(const ClassLabels&) const = default;
};

/// How many classes an output scores, 1x10: 10; 0: it is none of a classifier.
[[nodiscard]] int64_t class_count(const Graph& graph, const Port& output);
/// Whether its output is to be its input again: one of each, of one size, which is none that
/// classes are likely to have in common with it.
[[nodiscard]] bool is_autoencoder(const Graph& graph);
/// The output that scores classes: the first that does; null: none.
[[nodiscard]] const Port* class_output(const Graph& graph);
/// The names that are asked for, else the model file's. Throws CompileError where those asked for
/// are not as many as the output's classes; the file's are left out then.
[[nodiscard]] std::vector<std::string> class_labels(const Graph& graph, const ClassLabels& asked,
                                                    const ModelMetadata& metadata);

}  // namespace thimble
