// SPDX-License-Identifier: Apache-2.0
#include "thimble/cli/pipeline.h"

#include <fmt/format.h>

#include <algorithm>

#include "thimble/cli/inference_io.h"
#include "thimble/cli/limits.h"
#include "thimble/cli/progress_line.h"
#include "thimble/import/file_bytes.h"
#include "thimble/import/tflite.h"
#include "thimble/import/utf8.h"
#include "thimble/model/error.h"
#include "thimble/operators/operators.h"
#include "thimble/program/lower.h"
#include "thimble/reference/partial_sums.h"
#include "thimble/report/accumulator_notes.h"
#include "thimble/rewrites/rewrites.h"
#include "thimble/target/size.h"
#include "zoo/zoo.h"

namespace thimble {
namespace {

constexpr int64_t kMostModelBytes = int64_t{1} << 31;
constexpr int64_t kMostArenaBytes = (int64_t{1} << 31) - 1;
constexpr std::string_view kZoo = "zoo:";

// A zoo model has no file: its constants and shapes stand for it.
std::string sha256_of(const Graph& graph) {
  std::string text = graph.name;
  for (const Tensor& t : graph.tensors) {
    text += t.name + to_string(t.shape) + name(t.type);
    if (t.data) text.append(t.data->begin(), t.data->end());
  }
  return sha256(text);
}

// The name goes into files of JSON, which are UTF-8; names of files need not be.
Graph from_file(const Bytes& bytes, const std::string& model) {
  return import_tflite(bytes, valid_utf8(std::filesystem::path(model).stem().string()), model);
}

Compiled finish(Graph graph, Plan plan, Planned planned) {
  graph.accumulators = plan.accumulators;
  Compiled result{.graph = std::move(graph),
                  .plan = std::move(plan),
                  .planned = std::move(planned),
                  .program = {},
                  .verification = {},
                  .live_bytes = {},
                  .remarks = {}};
  result.program = lower(result.graph, result.plan.schedule, result.plan.placement);
  result.verification = verify(result.graph, result.program);
  return result;
}

// What reports and banners say of it.
void describe(Compiled& compiled) {
  compiled.live_bytes = live_bytes(compiled.graph, compiled.plan.schedule);
  compiled.macs = macs(compiled.graph, compiled.plan.schedule);
  compiled.recomputed_macs = compiled.macs - macs(compiled.graph);
  for (const ProgramConstant& constant : compiled.program.constants)
    compiled.weight_bytes += static_cast<int64_t>(constant.content.data.size());
}

// Unless named: the best there is, of those that can do what is asked for.
PlannerChoice planner_of(const PlanOptions& options) {
  if (!options.planner.empty()) return choose_planner(options.planner);
  const bool streams =
      options.ports.input == Place::kStreamed || options.ports.output == Place::kStreamed;
  const auto best = std::find_if(planners().rbegin(), planners().rend(),
                                 [&](const Planner& p) { return p.streams || !streams; });
  return {&*best, {}};
}

// Scales from inputs of the user's instead of bounds.
void calibrate(const Graph& graph, const PlannerChoice& choice, const std::string& file,
               Planned& planned) {
  const auto bits = choice.options.find("accumulators");
  if (bits == choice.options.end() || bits->second == "32") {
    throw CompileError("--calibration",
                       "is for sums of less than 32 bits: --planner pex:accumulators=8");
  }
  const std::vector<std::vector<Bytes>> sets = input_sets(graph, file);
  if (planned.accumulators.empty()) return;  // nothing that is lossy would gain anything
  const ProgressLine progress("calibrating");
  planned.accumulators = calibrated(graph, planned.accumulators, sets);
  planned.scale_source =
      fmt::format("measured on {} input{} of {}", sets.size(), sets.size() == 1 ? "" : "s",
                  valid_utf8(std::filesystem::path(file).filename().string()));
}

}  // namespace

Graph load_graph(const std::string& model) {
  if (model.starts_with(kZoo)) return build_zoo(model.substr(kZoo.size()));
  return from_file(read_file(model, kMostModelBytes), model);
}

Source load(const std::string& model) {
  const ProgressLine progress("reading the model");
  if (model.starts_with(kZoo)) {
    Graph graph = load_graph(model);
    std::string digest = sha256_of(graph);
    return {std::move(graph), model, std::move(digest)};
  }
  const Bytes bytes = read_file(model, kMostModelBytes);
  return {from_file(bytes, model), model, sha256(bytes)};
}

Graph prepare(const Graph& graph, const ModelOptions& options) {
  check_bytes(graph, max_bytes(options));
  Graph prepared = options.io_type == "int8" ? integer_io(graph) : graph;
  return options.rewrite ? rewrite(prepared) : prepared;
}

Graph prepare(const Source& source, const ModelOptions& options) {
  return prepare(source.graph, options);
}

PlannerAnswer plan_graph(const Graph& graph, const PlannerChoice& choice,
                         const PlanOptions& options, const TimeLimit& time) {
  const Budget limits = budget(options);
  PlannerAnswer answer = choice.planner->plan(graph,
                                              {.sram_bytes = limits.sram_bytes,
                                               .max_recompute = options.max_recompute,
                                               .in_place = options.in_place,
                                               .ports = options.ports,
                                               .time = &time},
                                              choice.options);
  if (auto* planned = std::get_if<Planned>(&answer)) {
    if (!options.calibration.empty()) calibrate(graph, choice, options.calibration, *planned);
    const Graph meant = with_accumulators(graph, planned->accumulators);
    check_graph(meant);
    if (const std::string fault = malformed(meant, planned->schedule); !fault.empty())
      throw InternalError(fmt::format("planner {}: {}", choice.planner->name, fault));
  }
  return answer;
}

Plan plan_of(const std::string& planner, const Planned& planned, Placement placement) {
  return {.planner = planner,
          .schedule = planned.schedule,
          .placement = std::move(placement),
          .accumulators = planned.accumulators,
          .scale_source = planned.accumulators.empty() ? "" : planned.scale_source};
}

Placement place_buffers(const Graph& graph, const Planned& planned, const PlanOptions& options,
                        const TimeLimit& time) {
  return place(
      with_accumulators(graph, planned.accumulators), planned.schedule,
      {.method = options.layout == "exact" ? LayoutMethod::kExact : LayoutMethod::kGreedyBySize,
       .time = &time});
}

Compiled verified(Graph graph, Plan plan, Planned planned, const std::string& where) {
  Compiled result = finish(std::move(graph), std::move(plan), std::move(planned));
  if (!result.verification.ok()) {
    throw InternalError(fmt::format("{}: the plan of {} fails verification: {}", where,
                                    result.plan.planner, result.verification.fault));
  }
  describe(result);
  result.remarks = accumulator_notes(result.graph, result.plan.scale_source);
  result.planned.notes.insert(result.planned.notes.end(), result.remarks.begin(),
                              result.remarks.end());
  return result;
}

std::variant<Compiled, Infeasible> compile_model(const Source& source, const ModelOptions& model,
                                                 const PlanOptions& options) {
  const PlannerChoice choice = planner_of(options);
  Graph graph = prepare(source, model);
  const TimeLimit time(options.time_limit_seconds);
  Planned planned;
  {
    const ProgressLine progress(fmt::format("planning ({})", choice.planner->name));
    PlannerAnswer answer = plan_graph(graph, choice, options, time);
    if (const auto* no = std::get_if<Infeasible>(&answer)) return *no;
    planned = std::get<Planned>(std::move(answer));
  }
  Placement placement;
  {
    const ProgressLine progress("placing buffers");
    placement = place_buffers(graph, planned, options, time);
  }
  Plan plan = plan_of(options.planner.empty() ? choice.planner->name : options.planner, planned,
                      std::move(placement));
  if (time.struck()) planned.notes.push_back(time_limit_note(options));
  const ProgressLine progress("verifying");
  Compiled result = verified(std::move(graph), std::move(plan), std::move(planned), source.where);
  if (time.struck()) result.remarks.push_back(time_limit_note(options));
  return result;
}

std::string time_limit_note(const PlanOptions& options) {
  return fmt::format(
      "--time-limit of {} s struck: this is the best plan so far, and may be another elsewhere",
      options.time_limit_seconds);
}

std::optional<CoreEstimate> estimate_on(const Program& program, const std::optional<Target>& device,
                                        const std::string& core) {
  if (device) return estimate_on(program, device->core.name, device->clock_hz);
  return estimate_on(program, core, 0);
}

std::string infeasible_text(const Infeasible& no) {
  return fmt::format("does not fit: {}; no plan is below {}\n", no.reason,
                     human_size(no.lower_bound_bytes));
}

Compiled check_plan(const Source& source, const ModelOptions& model, const Plan& plan,
                    const std::string& where) {
  Graph graph = with_accumulators(prepare(source, model), plan.accumulators);
  std::string fault = accumulator_fault(graph);
  if (fault.empty()) fault = malformed(graph, plan.schedule);
  if (!fault.empty()) throw CompileError(where, "not a plan of this model: " + fault);
  check_bytes(plan.schedule, max_bytes(model), where);
  Plan checked = plan;
  checked.placement.arena_bytes = 0;
  for (size_t b = 0; b < checked.schedule.buffers.size(); ++b) {
    if (checked.schedule.buffers[b].place != Place::kResident) continue;
    const int64_t address = checked.placement.addresses[b];
    const int64_t size = checked.schedule.buffers[b].size_bytes();
    if (address < 0 || address > kMostArenaBytes - size) {
      throw CompileError(where, fmt::format("buffer {} lies at {}, outside any arena", b, address));
    }
    checked.placement.arena_bytes = std::max(checked.placement.arena_bytes, address + size);
  }
  const ProgressLine progress("verifying");
  return finish(std::move(graph), std::move(checked), {});
}

Compiled described(Compiled checked) {
  describe(checked);
  return checked;
}

}  // namespace thimble
