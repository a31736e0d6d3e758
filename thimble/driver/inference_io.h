// SPDX-License-Identifier: Apache-2.0
// Inputs and outputs of inferences: from files, from a seed, from golden data.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "thimble/import/tensor_file.h"
#include "thimble/model/graph.h"
#include "thimble/reference/tensor_values.h"

namespace thimble {

/// One inference: its inputs, and what is expected, if anything is.
struct InputCase {
  std::string name;                                ///< "seed 1", "seed2 of the golden"
  std::vector<Bytes> inputs;                       ///< one per input port, in the caller's bytes
  std::vector<Bytes> outputs;                      ///< expected; empty if unknown
  std::map<std::pair<int, int>, NamedTensor> ops;  ///< expected: {operator, output} -> value
  bool goes_on = false;  ///< variables are as the case before left them, not reset
};

/// Noise for every input.
[[nodiscard]] InputCase seeded_case(const Graph& graph, uint64_t seed);
/// A file of read_tensors(): .npy of networks with one input; others have "input.0", ..., or the
/// inputs' names. Throws
/// CompileError if types or sizes do not fit. A tensor may hold several inferences along a leading
/// axis if the network has variables: each goes on with what the one before left.
[[nodiscard]] std::vector<InputCase> file_cases(const Graph& graph, const std::string& file);
/// Golden data in the format of shared/README.md: the first case has operators, those of further
/// seeds have outputs; of networks with variables, the seeds in turn come last.
[[nodiscard]] std::vector<InputCase> golden_cases(const Graph& graph, const std::string& file);

/// Inputs alone, a list per inference with one entry per port. A tensor may hold several inferences
/// along a leading axis of its own (6x96x96x1 for a network that takes 1x96x96x1, or 6x1x96x96x1);
/// the inputs of golden data are found, too. `file` is where they are from. Throws CompileError as
/// file_case.
[[nodiscard]] std::vector<std::vector<Bytes>> input_sets(const Graph& graph,
                                                         const TensorFile& content,
                                                         const std::string& file);

/// The values of the output ports, in the caller's bytes.
[[nodiscard]] std::vector<Bytes> caller_outputs(const Graph& graph, const TensorValues& values);

/// Throws CompileError unless write_outputs will know the format.
void check_output_name(const Graph& graph, const std::string& file);
/// .npy for one output, .safetensors otherwise ("output.0", ...).
void write_outputs(const Graph& graph, const std::vector<Bytes>& outputs, const std::string& file);

}  // namespace thimble
