// SPDX-License-Identifier: Apache-2.0
#include "thimble/plan/port_alignment.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "thimble/model/division.h"
#include "thimble/plan/layout_problems.h"
#include "thimble/schedule/records.h"

namespace thimble {
namespace {

std::set<BufferId> placed_ports(const Schedule& schedule) {
  std::set<BufferId> result;
  for (const std::vector<BufferId>* ports : {&schedule.inputs, &schedule.outputs}) {
    for (const BufferId id : *ports) {
      if (is_laid_out(schedule.buffers[id.index()].memory)) result.insert(id);
    }
  }
  return result;
}

int64_t rounded(int64_t bytes, int64_t alignment) { return ceil_div(bytes, alignment) * alignment; }

/// Bytes of a memory that are one's own at the beginning or the end of an inference.
struct Own {
  MemoryId memory;
  int64_t begin = 0, end = 0;
  bool port = false;
};

// Ports with the whole lines that they lie in, and variables.
std::vector<Own> at_border(const PlacedPlan& plan, const std::vector<BufferId>& ports,
                           BufferId StateBuffers::*state) {
  const Schedule& schedule = plan.schedule;
  std::vector<Own> result;
  const auto add = [&](BufferId id, bool port) {
    const Buffer& buffer = schedule.buffers[id.index()];
    if (!is_laid_out(buffer.memory)) return;
    const int64_t begin = plan.placement.addresses[id.index()];
    const int64_t bytes = placed_bytes(schedule, buffer);
    result.push_back(
        {buffer.memory, begin, begin + (port ? rounded(bytes, plan.port_alignment) : bytes), port});
  };
  std::set<BufferId> seen;  // a port may be several
  for (const BufferId id : ports) {
    if (seen.insert(id).second) add(id, true);
  }
  for (const StateBuffers& kept : schedule.states) add(kept.*state, false);
  return result;
}

std::string border_fault(const std::vector<Own>& all, const char* when) {
  for (size_t a = 0; a < all.size(); ++a) {
    for (size_t b = 0; b < all.size(); ++b) {
      if (a == b || !all[a].port || all[a].memory != all[b].memory) continue;
      if (all[a].begin < all[b].end && all[b].begin < all[a].end)
        return fmt::format(
            "the port at {} shares its last bytes with what is at {} at the {} of an "
            "inference",
            all[a].begin, all[b].begin, when);
    }
  }
  return "";
}

}  // namespace

bool has_placed_ports(const Schedule& schedule) { return !placed_ports(schedule).empty(); }

int64_t most_alignment_bytes(const Graph& graph, int64_t bytes) {
  const auto ports = static_cast<int64_t>(graph.inputs.size() + graph.outputs.size());
  return bytes <= 1 ? 0 : 2 * ports * bytes;
}

void align_ports(const Graph& graph, int64_t bytes, const PlacementOptions& options,
                 PlacedPlan& plan) {
  plan.port_alignment = bytes;
  Schedule& schedule = plan.schedule;
  const std::set<BufferId> ports = placed_ports(schedule);
  std::set<MemoryId> memories;
  for (const BufferId id : ports) memories.insert(schedule.buffers[id.index()].memory);
  for (const MemoryId memory : memories) {
    int64_t& alignment = schedule.memories[memory.index()].alignment;
    alignment = std::max(alignment, bytes);
    layout::Problem problem = layout_problem(graph, schedule, false, memory);
    for (const BufferId id : ports) {
      layout::Buffer& port = problem.buffers[id.index()];
      if (port.size_bytes == 0) continue;
      port.size_bytes = rounded(port.size_bytes, bytes);
      port.alignment = std::max(port.alignment, bytes);
    }
    const int64_t peak = plan.placement.memory(memory).peak_bytes;
    MemoryPlacement& placed = plan.placement.memories[memory.index()];
    placed = lay_out(problem, options, plan.placement.addresses);
    placed.peak_bytes = peak;  // of bytes that are used
  }
  for (const StateBuffers& state : schedule.states)
    plan.placement.addresses[state.out.index()] = plan.placement.addresses[state.in.index()];
}

void add_port_bytes(PlacedPlan& plan) {
  if (plan.port_alignment <= 1) return;
  for (const BufferId id : placed_ports(plan.schedule)) {
    const Buffer& buffer = plan.schedule.buffers[id.index()];
    int64_t& size_bytes = plan.placement.memories[buffer.memory.index()].size_bytes;
    size_bytes =
        std::max(size_bytes, plan.placement.addresses[id.index()] +
                                 rounded(placed_bytes(plan.schedule, buffer), plan.port_alignment));
  }
}

std::string port_alignment_fault(const PlacedPlan& plan) {
  if (plan.port_alignment <= 1) return "";
  for (const BufferId id : placed_ports(plan.schedule)) {
    const MemoryId memory = plan.schedule.buffers[id.index()].memory;
    const int64_t address = plan.placement.addresses[id.index()];
    if (plan.schedule.memory(memory).alignment % plan.port_alignment != 0 ||
        address % plan.port_alignment != 0)
      return fmt::format("a port at {} is not aligned to the {} bytes that the plan says", address,
                         plan.port_alignment);
  }
  const std::string fault =
      border_fault(at_border(plan, plan.schedule.inputs, &StateBuffers::in), "beginning");
  return fault.empty()
             ? border_fault(at_border(plan, plan.schedule.outputs, &StateBuffers::out), "end")
             : fault;
}

}  // namespace thimble
