// SPDX-License-Identifier: Apache-2.0
// Inferences' inputs from files that people have: pictures, sound, tables, arrays.
#pragma once

#include <string>
#include <vector>

#include "thimble/driver/inference_io.h"
#include "thimble/import/model_metadata.h"
#include "thimble/inputs/preprocessing.h"
#include "thimble/model/graph.h"

namespace thimble {

struct Sample {
  std::vector<Bytes> inputs;          ///< one per input port, in the caller's bytes
  std::string how;                    ///< what was done, for people; empty: nothing
  std::vector<std::string> warnings;  ///< where it may not be what the model wants
};

/// What becomes of files for a network's inputs.
class SampleReader {
 public:
  /// The graph must outlive it.
  SampleReader(const Graph& graph, const ModelMetadata& metadata, Preprocessing asked);

  /// All inferences that a file holds: one of a picture or of sound (several in turn if the network
  /// has a state), one per row or one of all rows of a .csv file, as many as .npy and .safetensors
  /// have along a leading axis. Of an array's or a table's at most `most` (0: all), from all over
  /// it. Throws CompileError.
  [[nodiscard]] std::vector<Sample> read(const std::string& file, int64_t most = 0) const;
  /// Whether the name is one of a file that read() knows.
  [[nodiscard]] static bool knows(const std::string& file);

 private:
  [[nodiscard]] const InputPort& only_port(const std::string& file) const;
  [[nodiscard]] std::vector<Sample> from_array(const std::string& file, int64_t most) const;
  [[nodiscard]] std::vector<Sample> from_sound(const std::string& file) const;
  [[nodiscard]] std::vector<Sample> from_table(const std::string& file, int64_t most) const;

  const Graph& graph_;
  Preprocessing asked_;
  std::vector<InputPort> ports_;
};

/// Samples as cases; of a network with a state each goes on with what the one before left.
[[nodiscard]] std::vector<InputCase> cases_of(const Graph& graph,
                                              const std::vector<Sample>& samples,
                                              const std::string& file);

}  // namespace thimble
