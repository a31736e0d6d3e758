// SPDX-License-Identifier: Apache-2.0
#include "thimble/analysis/traffic.h"

#include <algorithm>

#include "thimble/schedule/reads.h"

namespace thimble {

// A kernel with windows reads an element once for each of them, but for what it keeps in registers
// or in scratch; caches make the difference small.
std::vector<int64_t> traffic(const Graph& graph, const Schedule& schedule) {
  const std::vector<AccessMap> maps = access_maps(graph);
  std::vector<int64_t> bytes(schedule.buffers.size());
  execute_steps(schedule, [&](const Step& step, Position, const Counters& counters) {
    if (schedule.buffer(step.out).packed.valid()) return;
    const Shape& shape = graph.tensor(written_tensor(graph, schedule, step)).shape;
    const Region out = evaluate(step.region, counters, shape);
    if (empty(out)) return;
    const auto bytes_of = [&](BufferId buffer, const Region& region) {
      return elements(region) * size_bytes(schedule.buffer(buffer).type);
    };
    bytes[step.out.index()] += bytes_of(step.out, out);
    for (size_t k = 0; k < step.in.size(); ++k) {
      if (!step.in[k].valid()) continue;
      const Region read = read_region(graph, maps, step, k, out, counters);
      const auto parts = static_cast<int64_t>(step.in[k].from.size());
      for (const BufferId part : step.in[k].from)
        bytes[part.index()] += bytes_of(part, read) / parts;
    }
    if (step.scratch.valid())
      bytes[step.scratch.index()] += 2 * schedule.buffer(step.scratch).size_bytes();
  });
  return bytes;
}

std::vector<MemoryWaits> memory_waits(const Graph& graph, const Schedule& schedule) {
  const auto waits = [&](MemoryId memory) {
    return is_laid_out(memory) && schedule.memory(memory).wait_cycles > 0;
  };
  std::vector<MemoryWaits> result;
  for (const Buffer& buffer : schedule.buffers) {
    if (waits(buffer.memory) &&
        std::ranges::find(result, buffer.memory, &MemoryWaits::memory) == result.end())
      result.push_back({.memory = buffer.memory});
  }
  if (result.empty()) return result;
  std::ranges::sort(result, {}, &MemoryWaits::memory);
  const std::vector<int64_t> touched = traffic(graph, schedule);
  for (MemoryWaits& of : result) {
    int64_t all = 0;
    for (size_t b = 0; b < touched.size(); ++b) {
      const MemoryId memory = schedule.buffers[b].memory;
      if (memory == of.memory) of.touched_bytes += touched[b];
      if (is_laid_out(memory)) all += touched[b];
    }
    const double cycles = schedule.memory(of.memory).wait_cycles;
    of.cycles = static_cast<double>(of.touched_bytes) * cycles;
    of.cycles_if_all = static_cast<double>(all) * cycles;
  }
  return result;
}

double wait_cycles(const Graph& graph, const Schedule& schedule) {
  double sum = 0;
  for (const MemoryWaits& of : memory_waits(graph, schedule)) sum += of.cycles;
  return sum;
}

}  // namespace thimble
