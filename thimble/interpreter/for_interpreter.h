// SPDX-License-Identifier: Apache-2.0
// A network as a .tflite file for TensorFlow Lite Micro that needs less of its arena: rewritten
// (outputs identical), in another order, split, with an offline plan. Standard operators only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "thimble/interpreter/arena.h"
#include "thimble/interpreter/split.h"
#include "thimble/model/graph.h"

namespace thimble {

struct InterpreterOptions {
  double max_recompute = 0.1;  ///< MACs of elements computed again, as a ratio of the network's
  bool split = true;
  bool offline_plan = true;
};

/// A split as a reader finds it.
struct SplitWords {
  std::string first, last;  ///< "CONV_2D #3"
  int axis = 1, parts = 2;
  int64_t operators = 0;  ///< of the run, before
};

struct InterpreterFile {
  Bytes bytes;
  InterpreterArena as_rewritten, as_reordered, as_split, final;  ///< step by step
  std::vector<SplitWords> splits;
  int64_t operators = 0, macs = 0, more_macs = 0;
  bool has_plan = false;
  std::vector<std::string> kinds;  ///< of operators in the file, ascending
  int64_t inferences = 0;          ///< executed by the reference of both, all outputs equal
};

/// source: as imported; graph: what is written, the same or rewritten (certified by the caller).
/// Each step that does not lower the arena is left out. Throws CompileError for what a .tflite file
/// cannot say, InternalError if an output differs under the reference.
[[nodiscard]] InterpreterFile file_for_interpreter(const Graph& source, const Graph& graph,
                                                   const InterpreterOptions& options);

/// Rewrites that a .tflite file can say: constants folded, no-ops and clamps that nothing needs
/// left out, and channels that are the same for every input. Certified; InternalError if not.
[[nodiscard]] Graph rewritten_for_interpreter(const Graph& graph, bool keep_channels);

}  // namespace thimble
