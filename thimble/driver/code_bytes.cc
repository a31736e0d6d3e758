// SPDX-License-Identifier: Apache-2.0
#include "thimble/driver/code_bytes.h"

#include <algorithm>

#include "thimble/driver/banks.h"
#include "thimble/driver/storage.h"
#include "thimble/emit/uses.h"
#include "thimble/emit/working_program.h"
#include "thimble/report/port_bytes.h"

namespace thimble {
namespace {

// Bytes of memory that is SRAM: arenas, with states in them.
int64_t sram_arena_bytes(const Program& program) {
  int64_t sum = 0;
  for (const ProgramMemory& memory : program.memories) {
    if (on_chip(memory.kind)) sum += memory.size_bytes;
  }
  return sum;
}

// Whether a bank has so much beside what lies there.
bool leaves_room(const Program& program, const Target& target, int64_t bytes) {
  std::vector<int64_t> runs = on_chip_runs(target);
  const auto use = [&](int64_t capacity, int64_t size) {
    const auto run = std::ranges::find(runs, capacity);
    if (run != runs.end()) *run -= size;
    return size <= capacity;
  };
  if (runs.empty() || !use(runs.front(), program.arena_bytes())) return false;
  for (size_t m = kFirstFurtherMemory.index(); m < program.memories.size(); ++m) {
    const ProgramMemory& memory = program.memories[m];
    if (!on_chip(memory.kind)) continue;
    const int64_t any = *std::ranges::max_element(runs);
    if (!use(memory.capacity_bytes.value_or(any), memory.size_bytes)) return false;
  }
  return std::ranges::max(runs) >= bytes;
}

}  // namespace

std::optional<CodeModel> code_model_of(const Target& target) {
  return code_model(target.core.name.empty() ? "cortex-m4" : target.core.name);
}

std::set<std::string> parts_of(const Compiled& compiled) {
  const Program working = working_program(compiled.program);
  const Program* const programs[] = {&working};
  return used_parts(programs);
}

std::optional<CodeBytes> code_bytes_of(std::span<const Compiled> models,
                                       const std::set<std::string>& also_used) {
  const std::optional<CodeModel> model = code_model_of(models.front().target);
  if (!model) return std::nullopt;
  std::set<std::string> used = also_used;
  std::vector<ProgramCode> codes;
  for (const Compiled& compiled : models) {
    used.merge(parts_of(compiled));
    codes.push_back(program_code(compiled.graph, compiled.program));
  }
  const CodeEstimate estimate = estimate_code(codes, used, *model);
  if (!estimate.left_out.empty()) return std::nullopt;
  return CodeBytes{.code = estimate.code, .stack = estimate.stack, .core = model->core};
}

Verdict verdict_of(const Compiled& compiled, const Request& request) {
  const Program& program = compiled.program;
  Verdict verdict{.arena_bytes = sram_arena_bytes(program),
                  .weight_bytes = compiled.cost.weight_bytes,
                  .sram_limit_bytes = request.sram_limit_bytes(),
                  .flash_limit_bytes = request.flash_limit_bytes()};
  if (verdict.flash_limit_bytes) *verdict.flash_limit_bytes -= flash_taken_bytes(program, request);
  for (const auto* ports : {&program.inputs, &program.outputs})
    verdict.caller_bytes += port_bytes(compiled.graph, program, *ports).bytes;
  verdict.code = code_bytes_of(
      {&compiled, 1}, request.emission ? request.emission->also_used : std::set<std::string>());
  verdict.arena_fits = !beyond_capacity(compiled.plan.schedule, compiled.plan.placement);
  // The stack may lie in a bank of its own; the arena may not be cut.
  if (!request.sram_bytes && !request.target.memories.empty()) {
    verdict.arena_fits =
        verdict.arena_fits && leaves_room(program, request.target, beside_bytes(verdict));
    verdict.sram_limit_bytes = request.target.sram_bytes();
  }
  return verdict;
}

int64_t beside_bytes(const Verdict& verdict) { return verdict.sram_bytes() - verdict.arena_bytes; }

int64_t most_beside_bytes(const Graph& graph, const Request& request) {
  const auto brought = [&](Place place, const std::vector<Port>& ports) {
    int64_t bytes = 0;
    for (const Port& port : ports) {
      const Tensor& tensor = graph.tensor(port.tensor);
      const bool rows = place == Place::kStreamed && tensor.shape.size() > size_t{kStreamAxis};
      if (place != Place::kResident)
        bytes += tensor.size_bytes() / (rows ? tensor.shape[size_t{kStreamAxis}] : 1);
    }
    return bytes;
  };
  int64_t bytes =
      brought(request.ports.input, graph.inputs) + brought(request.ports.output, graph.outputs);
  const std::optional<CodeModel> model = code_model_of(request.target);
  if (!model) return bytes;
  int64_t kernel = 0;
  for (const Op& op : graph.ops) {
    if (!has_kernel(graph, op, Method::kCompute)) continue;
    for (const KernelUse& use : kernel_uses(graph, op, Method::kCompute)) {
      for (const Candidate& candidate : candidates(use, request.target.core)) {
        const auto found = model->kernel_stack.find(info(candidate.kernel).name);
        if (found != model->kernel_stack.end()) kernel = std::max(kernel, found->second);
      }
    }
  }
  const double stack =
      static_cast<double>(model->entry_stack_bytes + model->table_stack_bytes + kernel);
  return bytes + static_cast<int64_t>(stack * (1 + model->error.stack_share)) +
         model->error.stack_bytes;
}

}  // namespace thimble
