// SPDX-License-Identifier: Apache-2.0
#include "thimble/report/port_bytes.h"

namespace thimble {

PortBytes port_bytes(const Graph& graph, const Program& program,
                     const std::vector<ProgramPort>& ports) {
  PortBytes result;
  for (const ProgramPort& port : ports) {
    const MemoryId memory = program.memory_of(port.buffer);
    if (is_laid_out(memory)) continue;
    result.place = place_of(memory);
    const int64_t rows =
        memory == kStream ? graph.tensor(port.tensor).shape[size_t{kStreamAxis}] : 1;
    result.bytes += port.size_bytes / rows;
  }
  return result;
}

}  // namespace thimble
