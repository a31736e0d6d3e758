// SPDX-License-Identifier: Apache-2.0
#include "thimble/driver/interpreter_export.h"

#include "thimble/driver/byte_limits.h"
#include "thimble/export/tflite.h"
#include "thimble/import/c_array.h"
#include "thimble/import/file_limits.h"
#include "thimble/import/model_file.h"
#include "thimble/model/error.h"
#include "thimble/rewrites/rewrites.h"

namespace thimble {

InterpreterFile export_for_interpreter(const Source& source, const GraphOptions& graph,
                                       const InterpreterOptions& options) {
  check_bytes(source.graph, graph.max_bytes);
  const Graph with_ports = graph.int8_io ? integer_io(source.graph) : source.graph;
  if (!graph.rewrite) return file_for_interpreter(with_ports, with_ports, options);
  return file_for_interpreter(with_ports,
                              rewritten_for_interpreter(with_ports, graph.keep_channels), options);
}

std::optional<InterpreterArena> arena_as_given(const std::string& model,
                                               const ImportOptions& options) {
  if (!options.until.empty() || !options.shapes.empty()) return std::nullopt;
  try {
    if (model.starts_with("zoo:"))
      return interpreter_arena(export_tflite(load(model).graph), model);
    const Bytes file = read_model_file(model, kMaxFileBytes);
    if (format_of(file, model) != ModelFormat::kTflite) return std::nullopt;
    return interpreter_arena(file, model);
  } catch (const CompileError&) {
    return std::nullopt;  // no file can say it, or its sizes are open
  }
}

}  // namespace thimble
