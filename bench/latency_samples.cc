// SPDX-License-Identifier: Apache-2.0
#include "bench/latency_samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <optional>

#include "bench/latency_networks.h"
#include "bench/latency_plans.h"
#include "tests/support/nibbles.h"
#include "tests/support/random_schedule.h"
#include "tests/support/short_plans.h"
#include "thimble/driver/inference_io.h"
#include "thimble/driver/measure.h"
#include "thimble/emit/identifier.h"
#include "thimble/model/error.h"
#include "thimble/plan/build.h"
#include "thimble/program/estimate.h"
#include "thimble/schedule/first_kernels.h"

namespace thimble {
namespace {

constexpr size_t kPerFirmware = 60;
constexpr int64_t kMostMacs = 4'000'000;
constexpr int64_t kAmpleBytes = 1 << 20;

Compiled checked(const Source& source, const char* name, Schedule schedule) {
  PlacedPlan plan{.planner = name,
                  .schedule = std::move(schedule),
                  .placement = {},
                  .accumulators = source.graph.accumulators};
  plan.placement = place(source.graph, plan.schedule, {});
  return described(check_plan(source, {.rewrite = false}, plan, name));
}

// Cut into pieces that nobody would plan, but that kernels take.
Compiled in_random_pieces(const Source& source, uint64_t seed) {
  zoo::Random random(seed);
  const Schedule whole = testing::whole_operators(source.graph, true);
  return checked(source, "pieces",
                 testing::random_schedule(source.graph, whole, 6, random).schedule);
}

// Where none may take more than they have to, in 4 bits.
Graph with_weights_for(const Core& core, Graph graph) {
  return core.weights == Weights::kLeast ? testing::in_nibbles(std::move(graph)) : graph;
}

// Nothing if the builder finds no scales for it: some layer's values are all alike.
template <class Draw>
auto drawn(Draw draw, uint64_t seed) -> std::optional<decltype(draw(seed))> {
  try {
    return draw(seed);
  } catch (const InternalError&) {
    return std::nullopt;
  }
}

// Little as likely as much; where it is little, kernels walk otherwise.
ScratchDraw scratch_draw(zoo::Random& random) {
  return [&random](int64_t least, int64_t all) {
    const double low = std::log(static_cast<double>(least) + 1);
    const double high = std::log(static_cast<double>(all) + 1);
    const auto bytes = static_cast<int64_t>(std::exp(low + (high - low) * random.unit()));
    return std::clamp(bytes, least, all);
  };
}

// Nothing if the network cannot be tiled so. Every other one has kernels of instruction sets, half
// of these with less scratch than they could use.
std::optional<Compiled> tiled(const Source& source, Tiling tiling, uint64_t seed,
                              const Core& core) {
  zoo::Random random(seed);
  const AxisGraph axes(source.graph);
  const std::optional<Plan> drawn_plan = latency_plan(axes, tiling, random);
  if (!drawn_plan) return std::nullopt;
  Schedule schedule = build(source.graph, *drawn_plan);
  if (seed % 2 == 0) {
    schedule = with_first_kernels(source.graph, std::move(schedule), core,
                                  seed % 4 == 0 ? scratch_draw(random) : nullptr);
  }
  return checked(source, name(tiling), std::move(schedule));
}

// ample: with as much memory as the core's kernels may want for scratch.
std::optional<Compiled> planned(const Source& source, const GraphOptions& graph, bool ample,
                                const Core& core, const std::string& planner) {
  Request request{.model = source,
                  .graph = graph,
                  .target = generic_target(core.name),
                  .weights = core.weights,
                  .planner = planner};
  if (ample) request.sram_bytes = kAmpleBytes;
  Answer answer = compile(request);
  if (!std::holds_alternative<Compiled>(answer)) return std::nullopt;
  return std::get<Compiled>(std::move(answer));
}

std::vector<LatencySample> counted(const Core& core,
                                   const std::function<void(const ProgramVisitor&)>& programs) {
  std::vector<LatencySample> samples;
  SampleCounter counter(core, samples);
  programs(
      [&](const std::string& name, Compiled compiled) { counter.add(name, std::move(compiled)); });
  counter.count();
  return samples;
}

}  // namespace

std::optional<double> estimate(const LatencyModel& model, const LatencySample& sample) {
  double sum = model.program;
  for (const auto& [kernel, counts] : sample.features) {
    const Features* each = model.coefficients(kernel);
    if (each == nullptr) return std::nullopt;
    sum += dot(counts, *each);
  }
  return sum;
}

void SampleCounter::add(const std::string& name, Compiled compiled) {
  waiting_.push_back({name, std::move(compiled)});
  if (waiting_.size() == kPerFirmware) count();
}

void SampleCounter::count() {
  if (waiting_.empty()) return;
  std::vector<FirmwareModel> models;
  InputSet inputs;
  for (const Waiting& w : waiting_) {
    models.push_back({w.name, emitted_files(w.compiled, {.name = w.name, .command = "fit_latency"}),
                      &w.compiled.program});
    inputs.push_back(seeded_case(w.compiled.graph, 1).inputs);
  }
  const Measured measured = measure(models, core_.name, {inputs});
  for (size_t k = 0; k < waiting_.size(); ++k) {
    samples_.push_back({waiting_[k].name, summed_features(waiting_[k].compiled.program),
                        static_cast<double>(measured.sets[0][k].instructions)});
  }
  fmt::print(stderr, "{} programs counted on {}\n", samples_.size(), measured.machine);
  waiting_.clear();
}

void random_programs(const Core& core, uint64_t first, uint64_t last, const ProgramVisitor& visit) {
  for (uint64_t seed = first; seed < last; ++seed) {
    const auto network_drawn = drawn(latency_network, seed);
    if (!network_drawn) continue;
    const LatencyNetwork& network = *network_drawn;
    const Source source{with_weights_for(core, network.graph), fmt::format("network_{}", seed),
                        std::string(64, '0')};
    std::optional<Compiled> compiled =
        network.in_pieces
            ? in_random_pieces(source, seed)
            : planned(source, {.rewrite = false}, seed % 3 == 0, core, network.planner);
    const bool calls = compiled && !summed_features(compiled->program).empty();
    if (calls && compiled->cost.macs <= kMostMacs) visit(source.where, std::move(*compiled));
  }
}

void layer_programs(const Core& core, uint64_t count, const ProgramVisitor& visit) {
  for (uint64_t seed = 0; seed < count; ++seed) {
    std::optional<Graph> layer = drawn(latency_layer, seed);
    if (!layer) continue;
    const Source source{with_weights_for(core, std::move(*layer)), fmt::format("layer_{}", seed),
                        std::string(64, '0')};
    std::optional<Compiled> compiled =
        planned(source, {.rewrite = false}, seed % 3 != 0, core, "reorder");
    if (compiled && compiled->cost.macs <= kMostMacs) visit(source.where, std::move(*compiled));
  }
}

void scratch_programs(const Core& core, uint64_t first, uint64_t last,
                      const ProgramVisitor& visit) {
  for (uint64_t seed = first; seed < last; ++seed) {
    std::optional<Graph> layer = drawn(latency_depthwise, seed);
    if (!layer) continue;
    const Source source{std::move(*layer), fmt::format("scratch_{}", seed), std::string(64, '0')};
    zoo::Random random(~seed);  // not what the layer is drawn with
    Core taken = core;          // now and then without its widest instructions
    if (taken.sets.size() > 2 && random.chance(0.5)) taken.sets.pop_back();
    Compiled compiled = checked(
        source, "scratch",
        with_first_kernels(source.graph, testing::whole_operators(source.graph, seed % 2 == 0),
                           taken, scratch_draw(random)));
    if (compiled.cost.macs <= kMostMacs) visit(source.where, std::move(compiled));
  }
}

void copy_programs(const Core& core, uint64_t count, const ProgramVisitor& visit) {
  for (uint64_t seed = 0; seed < count; ++seed) {
    std::optional<Graph> graph = drawn(latency_copies, seed);
    if (!graph) continue;
    const Source source{std::move(*graph), fmt::format("copies_{}", seed), std::string(64, '0')};
    std::optional<Compiled> compiled =
        seed % 2 == 1 ? in_random_pieces(source, seed)
                      : planned(source, {.rewrite = false}, false, core, "reorder");
    if (compiled && !summed_features(compiled->program).empty())
      visit(source.where, std::move(*compiled));
  }
}

void function_programs(const Core& core, uint64_t count, const ProgramVisitor& visit) {
  for (uint64_t seed = 0; seed < count; ++seed) {
    std::optional<Graph> graph = drawn(latency_function, seed);
    if (!graph) continue;
    const Source source{std::move(*graph), fmt::format("function_{}", seed), std::string(64, '0')};
    std::optional<Compiled> compiled = planned(source, {.rewrite = false}, false, core, "reorder");
    if (!compiled) continue;
    const auto features = summed_features(compiled->program);
    const bool floats = std::ranges::all_of(
        features, [](const auto& each) { return each.first.ends_with("_f32"); });
    if (floats && !features.empty()) visit(source.where, std::move(*compiled));
  }
}

void group_programs(const Core& core, uint64_t first, uint64_t last, const ProgramVisitor& visit) {
  for (uint64_t seed = first; seed < last; ++seed) {
    const auto tiling = static_cast<Tiling>(seed % static_cast<uint64_t>(Tiling::kCount));
    std::optional<Graph> graph = drawn(latency_chain, seed);
    if (!graph) continue;
    const Source source{with_weights_for(core, std::move(*graph)),
                        fmt::format("{}_{}", name(tiling), seed), std::string(64, '0')};
    std::optional<Compiled> compiled = tiled(source, tiling, seed, core);
    if (compiled && compiled->cost.macs <= kMostMacs) visit(source.where, std::move(*compiled));
  }
}

void model_programs(const Core& core, const std::vector<std::string>& models,
                    const std::vector<std::string>& planners, const ProgramVisitor& visit) {
  for (const std::string& model : models) {
    const Source source = load(model);
    for (const std::string& planner : planners) {
      const std::string name =
          identifier(std::filesystem::path(model).stem().string() + "_" + planner);
      if (auto compiled = planned(source, {}, false, core, planner))
        visit(name, std::move(*compiled));
    }
  }
}

std::vector<LatencySample> random_samples(const Core& core, uint64_t first, uint64_t last) {
  return counted(core, [&](const ProgramVisitor& v) { random_programs(core, first, last, v); });
}
std::vector<LatencySample> layer_samples(const Core& core, uint64_t count) {
  return counted(core, [&](const ProgramVisitor& v) { layer_programs(core, count, v); });
}
std::vector<LatencySample> scratch_samples(const Core& core, uint64_t first, uint64_t last) {
  return counted(core, [&](const ProgramVisitor& v) { scratch_programs(core, first, last, v); });
}
std::vector<LatencySample> copy_samples(const Core& core, uint64_t count) {
  return counted(core, [&](const ProgramVisitor& v) { copy_programs(core, count, v); });
}
std::vector<LatencySample> function_samples(const Core& core, uint64_t count) {
  return counted(core, [&](const ProgramVisitor& v) { function_programs(core, count, v); });
}
std::vector<LatencySample> group_samples(const Core& core, uint64_t first, uint64_t last) {
  return counted(core, [&](const ProgramVisitor& v) { group_programs(core, first, last, v); });
}
std::vector<LatencySample> model_samples(const Core& core, const std::vector<std::string>& models,
                                         const std::vector<std::string>& planners) {
  return counted(core, [&](const ProgramVisitor& v) { model_programs(core, models, planners, v); });
}

}  // namespace thimble
