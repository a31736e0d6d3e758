// SPDX-License-Identifier: Apache-2.0
#include "thimble/emit/code_estimate.h"

#include <algorithm>
#include <cmath>

#include "thimble/emit/working_program.h"

namespace thimble {
namespace {

double dot(const CodeCounts& counts, const CodeCounts& coefficients) {
  double sum = 0;
  for (size_t k = 0; k < counts.size(); ++k) sum += counts[k] * coefficients[k];
  return sum;
}

EstimatedBytes estimated(double bytes, double share, int64_t least_margin) {
  const auto whole = static_cast<int64_t>(std::ceil(bytes));
  return {whole, std::max(static_cast<int64_t>(std::ceil(bytes * share)), least_margin)};
}

int64_t stack_of(const std::set<KernelId>& kernels, const CodeModel& model) {
  int64_t deepest = 0;
  for (const KernelId id : kernels) {
    const auto found = model.kernel_stack.find(info(id).name);
    if (found != model.kernel_stack.end()) deepest = std::max(deepest, found->second);
  }
  return deepest;
}

// The sizes of runtime::InFlight and runtime::Transfers where pointers have 32 bits (asserted in
// tests/firmware/storage/compressed_trip.cc).
constexpr int64_t kInFlightBytes = 44, kTransfersBytes = 16;

double bytes_of(const CodePart& part, const std::set<std::string>& used) {
  double bytes = part.bytes;
  for (const auto& [use, more] : part.uses) {
    if (used.contains(use)) bytes += more;
  }
  return std::max(0.0, bytes);
}

}  // namespace

std::set<KernelId> ProgramCode::kernels() const {
  std::set<KernelId> all = tabled;
  for (const std::set<KernelId>& stage : called) all.insert(stage.begin(), stage.end());
  return all;
}

ProgramCode program_code(const Graph& graph, const Program& program) {
  const Program working = working_program(program);
  ProgramCode code;
  at(code.counts, CodeFeature::kProgram) = 1;
  code.transfer_bytes =
      program.token_count * kInFlightBytes + std::ssize(storages(program)) * kTransfersBytes;
  at(code.counts, CodeFeature::kState) = static_cast<double>(program.states.size());
  for (const auto* ports : {&program.inputs, &program.outputs}) {
    at(code.counts, CodeFeature::kPort) += static_cast<double>(std::ranges::count_if(
        *ports, [&](const ProgramPort& port) { return program.memory_of(port.buffer) != kArena; }));
  }
  ViewConstants constants(graph, working);
  for (const Stage& stage : stages(graph, working, "data", constants)) {
    for (size_t k = 0; k < kCodeFeatures; ++k) code.counts[k] += stage.code[k];
    if (stage.row >= 0) {
      code.tabled.insert(stage.kernels.begin(), stage.kernels.end());
    } else {
      code.frames.push_back(stage.code);
      code.called.push_back(stage.kernels);
      code.stage_names.push_back(stage.name);
    }
  }
  return code;
}

CodeEstimate estimate_code(std::span<const ProgramCode> programs, const std::set<std::string>& used,
                           const CodeModel& model) {
  std::set<std::string> kernels{kAnyProgram};
  double bytes = 0, deepest_of_all = 0;
  for (const ProgramCode& program : programs) {
    double deepest = 0;
    for (const KernelId id : program.kernels()) kernels.insert(info(id).name);
    bytes += dot(program.counts, model.emitted);
    for (size_t s = 0; s < program.frames.size(); ++s) {
      deepest = std::max(deepest, dot(program.frames[s], model.frames) +
                                      static_cast<double>(stack_of(program.called[s], model)));
    }
    if (!program.tabled.empty()) {
      deepest = std::max(
          deepest, static_cast<double>(model.table_stack_bytes + stack_of(program.tabled, model)));
    }
    deepest_of_all =
        std::max(deepest_of_all, deepest + static_cast<double>(program.transfer_bytes));
  }
  for (const CodePart& part : model.parts) {
    if (std::ranges::any_of(part.kernels, [&](const auto& k) { return kernels.contains(k); }))
      bytes += bytes_of(part, used);
  }
  CodeEstimate estimate{
      .code = estimated(bytes, model.error.code_share, model.error.code_bytes),
      .stack = estimated(deepest_of_all + static_cast<double>(model.entry_stack_bytes),
                         model.error.stack_share, model.error.stack_bytes),
      .left_out = {}};
  kernels.erase(kAnyProgram);
  for (const std::string& kernel : kernels) {
    if (!model.kernel_stack.contains(kernel)) estimate.left_out.insert(kernel);
  }
  return estimate;
}

}  // namespace thimble
