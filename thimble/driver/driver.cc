// SPDX-License-Identifier: Apache-2.0
#include "thimble/driver/driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "thimble/driver/byte_limits.h"
#include "thimble/driver/chosen_plan.h"
#include "thimble/driver/code_bytes.h"
#include "thimble/driver/device_memories.h"
#include "thimble/driver/inference_io.h"
#include "thimble/driver/memory_plans.h"
#include "thimble/driver/quick_no.h"
#include "thimble/driver/reports.h"
#include "thimble/driver/smaller_weights.h"
#include "thimble/driver/storage.h"
#include "thimble/emit/emit.h"
#include "thimble/emit/identifier.h"
#include "thimble/emit/names.h"
#include "thimble/import/sha256.h"
#include "thimble/import/utf8.h"
#include "thimble/operators/operators.h"
#include "thimble/plan/port_alignment.h"
#include "thimble/planners/registry.h"
#include "thimble/program/lower.h"
#include "thimble/reference/partial_sums.h"
#include "thimble/report/accumulator_notes.h"
#include "thimble/report/estimate_words.h"
#include "thimble/report/tensor_text.h"
#include "thimble/search/parallel.h"
#include "thimble/target/size.h"

namespace thimble {
namespace {

constexpr int64_t kMostArenaBytes = (int64_t{1} << 31) - 1;

/// Where a compilation is, and whether it may go on.
class Phases {
 public:
  explicit Phases(const PhaseCallback& progress) : progress_(progress) {}
  [[nodiscard]] bool enter(Phase phase) {
    phase_ = phase;
    return go_on();
  }
  [[nodiscard]] bool go_on() {
    if (!cancelled_ && progress_) cancelled_ = !progress_(phase_);
    return !cancelled_;
  }
  [[nodiscard]] bool cancelled() const { return cancelled_; }
  [[nodiscard]] Cancelled answer() const { return {phase_}; }

 private:
  const PhaseCallback& progress_;
  Phase phase_ = Phase::kReading;
  bool cancelled_ = false;
};

class Stopwatch {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// Scales from inputs of the user's, or learnt ones, instead of bounds.
void calibrate(const Graph& graph, const PlannerChoice& choice, const Calibration& calibration,
               Planned& planned) {
  const auto bits = choice.options.find("accumulators");
  if (bits == choice.options.end() || bits->second == "32") {
    throw CompileError("--calibration",
                       "is for sums of less than 32 bits: --planner pex:accumulators=8");
  }
  std::vector<Accumulator>& accumulators = planned.front[planned.chosen].realised.plan.accumulators;
  const std::string file = valid_utf8(std::filesystem::path(calibration.name).filename().string());
  if (const auto* scales = std::get_if<AccumulatorScales>(&calibration.from)) {
    if (accumulators.empty()) return;
    const size_t set = set_scales(graph, *scales, calibration.name, accumulators);
    if (set < accumulators.size()) {
      throw CompileError(calibration.name,
                         fmt::format("has scales for {} of the {} tensors that the plan sums in "
                                     "less than 32 bits",
                                     set, accumulators.size()));
    }
    planned.scale_source = "learnt, of " + file;
    return;
  }
  const std::vector<std::vector<Bytes>> sets =
      input_sets(graph, std::get<TensorFile>(calibration.from), calibration.name);
  if (accumulators.empty()) return;  // nothing that is lossy would gain anything
  accumulators = calibrated(graph, accumulators, sets);
  planned.scale_source =
      fmt::format("measured on {} input{} of {}", sets.size(), sets.size() == 1 ? "" : "s", file);
}

// port_bytes: what aligning the ports of a plan may add to its arena.
Limits limits_of(const Request& request, int64_t port_bytes, const TimeLimit& time) {
  // What throws comes first: GCC 12 destroys members that were not yet initialised.
  const std::optional<RequestedStorage> storage = requested_storage(request);
  Core core = estimated_core(request.target.core);
  const double latency = max_latency(request);
  std::optional<int64_t> arena_limit = request.arena_limit_bytes();
  if (arena_limit) *arena_limit -= port_bytes;
  return {.sram_bytes = arena_limit,
          .memories = {},
          .storage = storage ? std::optional(storage->memory) : std::nullopt,
          .storage_cycles = storage ? storage_cycles(storage->figures, request.target.clock_hz)
                                    : TransferCycles{},
          .storage_energy = storage ? storage_energy(storage->figures) : std::nullopt,
          .storage_chunk_bytes = storage ? storage->chunk_bytes : 0,
          .max_recompute = request.max_recompute,
          .in_place = request.in_place,
          .ports = request.ports,
          .time = &time,
          .core = std::move(core),
          .layout = request.layout,
          .any_weights = !request.weights,
          .jobs = request.jobs == 0 ? all_cores() : request.jobs,
          .max_latency = latency,
          .effort = request.effort};
}

// `limits` become what it was planned within.
PlannerAnswer planned_by(const PlannerChoice& choice, const Graph& graph, const Request& request,
                         Limits& limits, Phases& phases) {
  if (limits.storage && choice.planner->spills == Spills::kNever)
    throw CompileError("--storage",
                       fmt::format("planner {} spills nothing; auto, tinyseg and swapnn do",
                                   choice.planner->name));
  AnswerWithin found = planned_in_memories(choice, graph, limits, usable_memories(request),
                                           [&] { return !phases.cancelled(); });
  limits = std::move(found.limits);
  PlannerAnswer answer = std::move(found.answer);
  auto* planned = std::get_if<Planned>(&answer);
  if (planned != nullptr && request.calibration && !phases.cancelled() &&
      phases.enter(Phase::kCalibrating))
    calibrate(graph, choice, *request.calibration, *planned);
  return answer;
}

Compiled lowered(const Source& source, const GraphOptions& options, Graph graph, PlacedPlan plan) {
  graph.accumulators = plan.accumulators;
  Compiled result{.where = source.where,
                  .sha256 = source.sha256,
                  .target = {},
                  .sram_limit_bytes = {},
                  .flash_limit_bytes = {},
                  .graph = std::move(graph),
                  .plan = std::move(plan),
                  .origin = plan_origin(source, options),
                  .decided = {}};
  result.inputs = source.metadata.inputs;
  result.program = lower(result.graph, result.plan.schedule, result.plan.placement);
  result.verification = verify(result.graph, result.program);
  return result;
}

Compiled proven(const Source& source, const GraphOptions& options, Graph graph, PlacedPlan plan) {
  const Graph meant = with_accumulators(graph, plan.accumulators);
  check_graph(meant);
  if (const std::string fault = malformed(meant, plan.schedule); !fault.empty())
    throw InternalError(fmt::format("planner {}: {}", plan.planner, fault));
  Compiled result = lowered(source, options, std::move(graph), std::move(plan));
  if (result.verification.too_wide) {
    throw CompileError(source.where,
                       result.verification.fault +
                           ", which kernels compute with; smaller tensors and windows "
                           "are supported");
  }
  if (!result.verification.ok()) {
    throw InternalError(fmt::format("{}: the plan of {} fails verification: {}", source.where,
                                    result.plan.planner, result.verification.fault));
  }
  return described(std::move(result));
}

// What concerns whoever has the code only.
std::vector<std::string> remarks(const Compiled& compiled) {
  std::vector<std::string> lines = accumulator_notes(compiled.graph, compiled.plan.scale_source);
  for (const Note& note : compiled.notes) {
    if (std::holds_alternative<note::TimeLimitStruck>(note) ||
        std::holds_alternative<note::ConstantChannels>(note))
      lines.push_back(sentence(note, compiled.graph));
  }
  return lines;
}

std::string estimated_text(const EstimatedBytes& bytes, const std::string& core) {
  return fmt::format("{} on {}, by estimate; {} more at most", with_separators(bytes.bytes), core,
                     with_separators(bytes.margin_bytes));
}

std::vector<PixelMeaning> pixel_meanings(const Compiled& compiled) {
  std::vector<PixelMeaning> result;
  for (const TensorMetadata& input : compiled.inputs) {
    const bool divides =
        std::ranges::all_of(input.std, [](float std) { return std::isnormal(std); });
    result.push_back(divides ? PixelMeaning{input.mean, input.std} : PixelMeaning{});
  }
  return result;
}

/// A model on its way: what all plans of it have in common.
struct Prepared {
  Source source;
  Graph graph;
  std::optional<note::ConstantChannels> channels;
};

// The plan that the request chooses, placed and proven.
Answer proven_choice(const Prepared& model, const Request& request, const PlannerChoice& choice,
                     const Planned& planned, Phases& phases) {
  if (!phases.enter(Phase::kPlacing)) return phases.answer();
  const Stopwatch placing;
  ChosenPlan chosen = chosen_plan(model.graph, choice, planned, request);
  const double layout_seconds = placing.seconds();
  if (phases.cancelled() || !phases.enter(Phase::kVerifying)) return phases.answer();
  Compiled result = proven(model.source, request.graph, model.graph, std::move(chosen.plan));
  result.decided = std::move(chosen.decided);
  result.target = request.target;
  result.sram_limit_bytes = request.sram_limit_bytes();
  result.layout_seconds = layout_seconds;
  if (model.channels) result.notes.emplace_back(*model.channels);
  result.notes.insert(result.notes.end(), chosen.notes.begin(), chosen.notes.end());
  result.front = std::move(chosen.front);
  result.verdict = verdict_of(result, request);
  result.flash_limit_bytes = result.verdict.flash_limit_bytes;
  return result;
}

// Planned, placed and proven, with what the request leaves beside the arena. How much of flash is
// left for weights is known when there is code for a plan: weights of other formats, where they are
// more.
Answer proven_plan(const Prepared& model, const Request& request, const PlannerChoice& choice,
                   const TimeLimit& time, Phases& phases) {
  constexpr int kMostFormats = 3;
  constexpr int64_t kAboutCode = 48 << 10;  // until there is some to be counted
  constexpr int64_t kLittleFlash = 8 << 10;
  if (!phases.enter(Phase::kPlanning)) return phases.answer();
  const Stopwatch planning;
  Limits limits = limits_of(request, most_alignment_bytes(model.graph, request.align_ports), time);
  const std::optional<int64_t> flash = request.flash_limit_bytes();
  // A part of the chip's flash has no more room than the rest of it.
  const std::optional<RequestedStorage> storage = requested_storage(request);
  const bool brings =
      flash && storage && !storage->figures.part_of_flash && choice.planner == &planners().back();
  if (brings && least_weight_bytes({&model.graph, 1}) > *flash)
    limits.weight_bytes = std::max<int64_t>(*flash - kAboutCode, 0);
  PlannerAnswer answer = planned_by(choice, model.graph, request, limits, phases);
  if (limits.weight_bytes && std::holds_alternative<Infeasible>(answer) && !phases.cancelled()) {
    // With as many as there can be, perhaps.
    limits.weight_bytes = *flash;
    answer = planned_by(choice, model.graph, request, limits, phases);
  }
  const double plan_seconds = planning.seconds();
  if (phases.cancelled()) return phases.answer();
  if (const auto* no = std::get_if<Infeasible>(&answer)) return *no;
  auto& planned = std::get<Planned>(answer);
  Answer best = proven_choice(model, request, choice, planned, phases);
  const bool has_formats = !limits.weight_bytes && !request.weights &&
                           has_smaller_weights(model.graph, request.target.core);
  for (int n = 0; n < kMostFormats && has_formats; ++n) {
    const auto* result = std::get_if<Compiled>(&best);
    if (result == nullptr || result->verdict.fits_flash()) break;
    const int64_t beside = result->verdict.flash_bytes() - result->verdict.weight_bytes;
    const int64_t left = *result->flash_limit_bytes - beside;
    planned = with_weights(model.graph, limits, std::move(planned), left);
    best = proven_choice(model, request, choice, planned, phases);
    if (auto* mixed = std::get_if<Compiled>(&best)) mixed->mixed_weights = true;
  }
  for (int n = 0; n < kMostFormats && brings; ++n) {
    // As many as there is room for, which is known when there is code.
    const auto* result = std::get_if<Compiled>(&best);
    if (result == nullptr) break;
    const bool fits = result->verdict.fits_flash();
    const int64_t beside = result->verdict.flash_bytes() - result->verdict.weight_bytes;
    // What else lies among the weights counts, too.
    const int64_t more =
        limits.weight_bytes
            ? std::max<int64_t>(result->verdict.weight_bytes - *limits.weight_bytes, 0)
            : 0;
    const int64_t left = std::max<int64_t>(*flash - beside - more, 0);
    if (fits && (!limits.weight_bytes || left - *limits.weight_bytes < kLittleFlash)) break;
    limits.weight_bytes = left;
    answer = planned_by(choice, model.graph, request, limits, phases);
    if (phases.cancelled()) return phases.answer();
    const auto* found = std::get_if<Planned>(&answer);
    if (found == nullptr && fits) break;
    if (found == nullptr) return std::get<Infeasible>(answer);
    Answer next = proven_choice(model, request, choice, *found, phases);
    const auto* other = std::get_if<Compiled>(&next);
    if (fits && (other == nullptr || !other->verdict.fits_flash())) break;
    best = std::move(next);
  }
  if (auto* result = std::get_if<Compiled>(&best)) {
    result->plan_seconds = plan_seconds;
    if (time.struck()) result->notes.push_back(note::TimeLimitStruck{request.time_limit_seconds});
  }
  return best;
}

// What lies beside the arena is known when there is a plan: planned again where that was more than
// was left for it, or where less would have been enough.
Answer plan_beside(const Prepared& model, Request request, const PlannerChoice& choice,
                   const TimeLimit& time, Phases& phases) {
  constexpr int kMostPlans = 3;
  const int64_t asked = request.beside_arena_bytes;
  if (request.sram_limit_bytes())
    request.beside_arena_bytes = std::max(asked, most_beside_bytes(model.graph, request));
  Answer best = proven_plan(model, request, choice, time, phases);
  for (int n = 1; n < kMostPlans && request.sram_limit_bytes() && !time.passed(); ++n) {
    const auto* result = std::get_if<Compiled>(&best);
    if (std::holds_alternative<Cancelled>(best) ||
        (result != nullptr && result->verdict.fits_sram()))
      break;
    const int64_t needed = std::max(asked, result == nullptr ? 0 : beside_bytes(result->verdict));
    if (needed == request.beside_arena_bytes) break;
    request.beside_arena_bytes = needed;
    Answer next = proven_plan(model, request, choice, time, phases);
    if (std::holds_alternative<Infeasible>(next)) break;
    best = std::move(next);
  }
  return best;
}

Answer compiled(const Request& request, const PlannerChoice& choice, Phases& phases) {
  if (!phases.enter(Phase::kReading)) return phases.answer();
  Prepared model{.source = load(request.model, request.import), .graph = {}, .channels = {}};
  model.graph = prepare(model.source.graph, request.graph);
  model.channels = constant_channels(model.source.graph, request.graph, model.graph);
  std::vector<std::string> labels =
      class_labels(model.graph, request.labels, model.source.metadata);
  if (std::optional<Infeasible> no = quick_no(model.graph, request)) return *std::move(no);
  const TimeLimit time(request.time_limit_seconds, [&phases] { return phases.go_on(); });
  Answer answer = plan_beside(model, request, choice, time, phases);
  auto* result = std::get_if<Compiled>(&answer);
  if (result == nullptr) return answer;
  result->labels = std::move(labels);
  if (!request.emission) return answer;
  if (!phases.enter(Phase::kEmitting)) return phases.answer();
  result->files = emitted_files(*result, *request.emission);
  return answer;
}

}  // namespace

std::vector<std::string> planners_for(const PortPlaces& ports) {
  const bool streams = ports.input == Place::kStreamed || ports.output == Place::kStreamed;
  std::vector<std::string> names;
  for (const Planner& planner : planners()) {
    if (planner.spills == Spills::kAlways) continue;  // its arena is not all that it needs
    if (planner.streams || !streams) names.emplace_back(planner.name);
  }
  return names;
}

bool has_search(const std::string& planner) {
  return planner.empty() || choose_planner(planner).planner == &planners().back();
}

void check_search_options(const Request& request) {
  if (has_search(request.planner)) return;
  for (const auto& [given, option] : {std::pair{request.max_latency.has_value(), "--max-latency"},
                                      {request.effort != 1, "--effort"},
                                      {request.pick.has_value(), "--pick"}}) {
    if (given)
      throw CompileError(option, fmt::format("is for the planner {}", planners().back().name));
  }
}

Answer compile(const Request& request) {
  const PlannerChoice choice = choose_planner(
      request.planner.empty() ? planners_for(request.ports).back() : request.planner);
  Phases phases(request.progress);
  Request with = request;
  with.target.core.weights = request.weights.value_or(Weights::kFast);
  return compiled(with, choice, phases);
}

std::string plan_sha256(const Compiled& compiled) {
  return sha256(to_json(compiled.plan, compiled.origin));
}

std::vector<EmittedFile> emitted_files(const Compiled& compiled, const Emission& emission) {
  check(compiled.verification.ok(), "only verified programs are emitted");
  const std::optional<CoreEstimate> estimate = counted_estimate(compiled);
  const std::optional<CodeBytes> bytes = code_bytes_of({&compiled, 1}, {});
  const std::string name = identifier(emission.name.empty() ? compiled.graph.name : emission.name);
  const Ecosystem* const ecosystem = find_ecosystem(emission.ecosystem);
  check(ecosystem != nullptr, "an emission for an ecosystem that is not known");
  const std::string plan = to_json(compiled.plan, compiled.origin);
  std::vector<EmittedFile> files =
      emit(compiled.graph, compiled.program,
           {.name = name,
            .command = emission.command,
            .version = THIMBLE_VERSION,
            .sha256 = compiled.sha256,
            .plan_sha256 = sha256(plan),
            .trace = emission.trace,
            .micro_interpreter = emission.micro_interpreter,
            .planner = compiled.plan.planner,
            .live_bytes = compiled.cost.live_bytes,
            .lower_bound_bytes = compiled.plan.placement.arena().lower_bound_bytes,
            .layout_proven_optimal = compiled.plan.placement.arena().proven_optimal,
            .macs = compiled.cost.macs,
            .time = estimate ? estimate_text(*estimate) : "",
            .estimate = estimate ? estimate->estimate : Estimate{},
            .remarks = remarks(compiled),
            .runtime = emission.runtime,
            .most_text_bytes = emission.most_text_bytes,
            .weights = emission.weights,
            .also_used = emission.also_used,
            .labels = compiled.labels,
            .pixels = pixel_meanings(compiled),
            .stack = bytes ? estimated_text(bytes->stack, bytes->core) : "",
            .code = bytes ? estimated_text(bytes->code, bytes->core) : "",
            .port_alignment = compiled.plan.port_alignment,
            .example = ecosystem->example(name),
            .placed = [&](const std::string& file) { return ecosystem->placed(file); }});
  files.push_back({plan_file(name), plan});
  return files;
}

Compiled check_plan(const Source& source, const GraphOptions& options, const PlacedPlan& plan,
                    const std::string& where) {
  Graph graph = with_accumulators(prepare(source.graph, options), plan.accumulators);
  std::string fault = accumulator_fault(graph);
  if (fault.empty()) fault = malformed(graph, plan.schedule);
  if (!fault.empty()) throw CompileError(where, "not a plan of this model: " + fault);
  check_bytes(plan.schedule, options.max_bytes, where);
  PlacedPlan checked = plan;
  for (size_t b = 0; b < checked.schedule.buffers.size(); ++b) {
    if (!is_laid_out(checked.schedule.buffers[b].memory)) continue;
    const int64_t address = checked.placement.addresses[b];
    const int64_t size = checked.schedule.buffers[b].size_bytes();
    if (address < 0 || address > kMostArenaBytes - size) {
      throw CompileError(where, fmt::format("buffer {} lies at {}, outside any arena", b, address));
    }
  }
  if (const std::string misplaced = port_alignment_fault(checked); !misplaced.empty())
    throw CompileError(where, misplaced);
  const Placement sizes = placement_at(checked.schedule, checked.placement.addresses);
  int64_t all_bytes = 0;  // they are reserved for the shadow, and by the host
  for (size_t m = 0; m < sizes.memories.size(); ++m)
    all_bytes += checked.placement.memories[m].size_bytes = sizes.memories[m].size_bytes;
  add_port_bytes(checked);
  if (all_bytes > kMostArenaBytes)
    throw CompileError(where, "its memories have more bytes between them than any board");
  return lowered(source, options, std::move(graph), std::move(checked));
}

Compiled check_saved_plan(const Source& source, const SavedPlan& saved, int64_t max_bytes,
                          const std::string& where) {
  const PlanOrigin& origin = saved.origin;
  if (origin.sha256 != source.sha256) {
    throw CompileError(
        where,
        fmt::format("is a plan of another model ('{}', sha256 {}); {} has sha256 {} (a plan of a "
                    "part needs the --until, --shape and --hop that it was made with)",
                    display_name(origin.model), display_name(origin.sha256), source.where,
                    source.sha256));
  }
  return check_plan(source, options_of(origin, max_bytes), saved.plan, where);
}

PlanOrigin plan_origin(const Source& source, const GraphOptions& options) {
  return {.model = source.graph.name,
          .sha256 = source.sha256,
          .rewrite = options.rewrite,
          .keep_channels = options.keep_channels,
          .int8_io = options.int8_io};
}

GraphOptions options_of(const PlanOrigin& origin, int64_t max_bytes) {
  return {.rewrite = origin.rewrite,
          .keep_channels = origin.keep_channels,
          .int8_io = origin.int8_io,
          .max_bytes = max_bytes};
}

Compiled described(Compiled checked) {
  PlanCost& cost = checked.cost;
  cost.live_bytes = live_bytes(checked.graph, checked.plan.schedule);
  cost.macs = macs(checked.graph, checked.plan.schedule);
  cost.recomputed_macs = cost.macs - macs(checked.graph);
  cost.weight_bytes = constant_bytes(checked.program);
  return checked;
}

}  // namespace thimble
