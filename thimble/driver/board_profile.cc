// SPDX-License-Identifier: Apache-2.0
#include "thimble/driver/board_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "thimble/driver/driver.h"
#include "thimble/driver/stage_functions.h"
#include "thimble/emit/working_program.h"
#include "thimble/model/error.h"
#include "thimble/program/estimate.h"
#include "thimble/program/trace_points.h"
#include "thimble/target/latency.h"

namespace thimble {
namespace {

/// Estimated instructions of a stage by the kernel that they are fitted as.
using StageEstimate = std::map<std::string, double>;

const MeasuredCycles& profile_of(const Compiled& compiled, const BoardLog& log, size_t stages,
                                 const std::string& where) {
  const std::string plan = plan_sha256(compiled);
  std::string why =
      "has no profile: compile the code with THIMBLE_HOOKS defined, call "
      "NAME_profile(0), NAME_run, and NAME_print_profile() with a function that "
      "writes a line to the log";
  for (size_t k = log.profiles.size(); k-- > 0;) {
    const MeasuredCycles& profile = log.profiles[k];
    if (!plan.starts_with(profile.origin.plan)) {
      why = fmt::format(
          "has a profile of another plan ({}, in line {}; this one is {}): name the "
          "folder that the firmware was built of",
          profile.origin.plan, profile.origin.line, plan.substr(0, profile.origin.plan.size()));
    } else if (!profile.ended || !profile.whole || profile.cycles.size() != stages ||
               profile.origin.stages != std::ssize(profile.cycles)) {
      why = fmt::format("has no profile whole: that in line {} lacks lines", profile.origin.line);
    } else if (profile.inferences == 0) {
      why = fmt::format("has a profile of no inference, in line {}", profile.origin.line);
    } else if (std::ranges::all_of(profile.cycles,
                                   [](const auto& stage) { return stage.second == 0; })) {
      why = fmt::format(
          "has a profile of a counter that stood still, in line {}: start the core's "
          "(DWT_CYCCNT wants its enable bits), or hand NAME_profile one that counts",
          profile.origin.line);
    } else {
      return profile;
    }
  }
  throw CompileError(where, why);
}

std::vector<StageEstimate> estimates(const Program& program, const std::vector<TracedStage>& stages,
                                     const LatencyModel& model) {
  std::map<const Call*, size_t> stage_of;
  for (size_t s = 0; s < stages.size(); ++s) {
    for (const Call* call : stages[s].calls) stage_of.emplace(call, s);
  }
  std::vector<StageEstimate> result(stages.size());
  for_each_call(program, [&](const Call& call, const CallShape& shape) {
    const std::optional<double> instructions = model.estimate(shape);
    if (instructions) result[stage_of.at(&call)][measured_as(info(call.kernel))] += *instructions;
  });
  return result;
}

// Factors that make the estimates of stages their cycles, least squares of what is off; those of
// kernels that always go together stay near the ratio of all cycles to all instructions.
CycleFit fitted(const std::vector<StageEstimate>& estimates, const std::vector<double>& cycles) {
  constexpr int kRounds = 500;
  constexpr double kPull = 1e-4;  // of a kernel's own weight, towards the ratio of all
  constexpr double kLeast = 0.1;  // of that ratio: noise makes no kernel free
  double all_cycles = 0, all_instructions = 0;
  std::set<std::string> kernels;
  for (size_t s = 0; s < cycles.size(); ++s) {
    if (estimates[s].empty()) continue;
    all_cycles += cycles[s];
    for (const auto& [kernel, instructions] : estimates[s]) {
      all_instructions += instructions;
      kernels.insert(kernel);
    }
  }
  CycleFit fit;
  if (all_instructions <= 0) return fit;
  fit.rest = all_cycles / all_instructions;
  for (const std::string& kernel : kernels) fit.kernels[kernel] = fit.rest;
  const auto predicted = [&](const StageEstimate& stage) {
    double sum = 0;
    for (const auto& [kernel, instructions] : stage) sum += fit.kernels[kernel] * instructions;
    return sum;
  };
  for (int round = 0; round < kRounds; ++round) {
    for (auto& [kernel, factor] : fit.kernels) {
      double weight = 0, wanted = 0;
      for (size_t s = 0; s < cycles.size(); ++s) {
        const auto its = estimates[s].find(kernel);
        if (its == estimates[s].end()) continue;
        weight += its->second * its->second;
        wanted += its->second * (cycles[s] - predicted(estimates[s]) + factor * its->second);
      }
      if (weight > 0)
        factor = std::max(kLeast * fit.rest,
                          (wanted + kPull * weight * fit.rest) / (weight * (1 + kPull)));
    }
  }
  std::vector<double> errors;
  for (size_t s = 0; s < cycles.size(); ++s) {
    if (!estimates[s].empty() && cycles[s] > 0)
      errors.push_back(std::abs(predicted(estimates[s]) / cycles[s] - 1));
  }
  std::ranges::sort(errors);
  if (!errors.empty()) {
    fit.median_error = errors[errors.size() / 2];
    fit.worst_error = errors.back();
  }
  return fit;
}

}  // namespace

ProfileReport board_profile(const Compiled& compiled, const BoardLog& log,
                            const std::string& where) {
  const Program program = working_program(compiled.program);
  const std::vector<TracedStage> stages = traced_stages(compiled.graph, program);
  const MeasuredCycles& profile = profile_of(compiled, log, stages.size(), where);
  const std::vector<std::string> functions = stage_functions(compiled.graph, program);
  const std::optional<LatencyModel> model = latency_model(compiled.target.core.name);
  const std::vector<StageEstimate> estimated =
      model ? estimates(program, stages, *model) : std::vector<StageEstimate>(stages.size());
  ProfileReport report{.core = compiled.target.core.name,
                       .clock_hz = compiled.target.clock_hz,
                       .inferences = static_cast<int>(profile.inferences),
                       .damaged_lines = log.damaged.size()};
  report.whole_cycles = static_cast<double>(*profile.whole) / profile.inferences;
  std::vector<double> cycles;
  for (size_t s = 0; s < stages.size(); ++s) {
    MeasuredStage stage{.stage = static_cast<int>(s), .function = functions[s]};
    std::set<std::string> kernels;
    for (const Call* call : stages[s].calls) {
      const std::string layer =
          call->op.valid() ? label(compiled.graph.op(call->op)) : std::string("copy");
      if (stage.layers.empty() || stage.layers.back() != layer) stage.layers.push_back(layer);
      if (!delivers(program, *call)) kernels.insert(info(call->kernel).name);
    }
    stage.kernels.assign(kernels.begin(), kernels.end());
    stage.cycles =
        static_cast<double>(profile.cycles.at(static_cast<uint32_t>(s))) / profile.inferences;
    if (!estimated[s].empty()) {
      stage.estimated_instructions = 0;
      for (const auto& [kernel, instructions] : estimated[s])
        *stage.estimated_instructions += instructions;
    }
    cycles.push_back(stage.cycles);
    report.stages.push_back(std::move(stage));
  }
  if (model) report.fit = fitted(estimated, cycles);
  return report;
}

std::string fit_json(const ProfileReport& report) {
  const std::optional<LatencyModel> counted = latency_model(report.core);
  if (!report.fit || !counted)
    throw CompileError("--fit", report.core.empty()
                                    ? "the code is for any core: compile it with --device or --core"
                                    : fmt::format("nobody estimates the instructions of {}, so "
                                                  "there is nothing to be refitted",
                                                  report.core));
  constexpr double kMost = 0.5;
  if (report.fit->median_error > kMost)
    throw CompileError(
        "--fit", fmt::format("the cycles of {} follow no estimate: half of its stages are off by "
                             "more than {:.0f} % whatever kernels take; nothing was written",
                             report.log, 100 * report.fit->median_error));
  return latency_json(measured_model(*counted, report.core, report.fit->kernels, report.fit->rest));
}

}  // namespace thimble
