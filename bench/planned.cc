// SPDX-License-Identifier: Apache-2.0
#include "bench/planned.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "thimble/driver/chosen_plan.h"
#include "thimble/model/error.h"
#include "thimble/operators/operators.h"
#include "thimble/planners/registry.h"
#include "thimble/program/estimate.h"
#include "thimble/program/lower.h"
#include "zoo/zoo.h"

namespace thimble {
namespace {

double process_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

}  // namespace

std::optional<PlannedSize> planned_size(const Graph& graph, const std::string& planner,
                                        const Limits& given) {
  const PlannerChoice choice = choose_planner(planner);
  const Request request{.model = {},
                        .sram_bytes = given.sram_bytes,
                        .max_latency = given.max_latency,
                        .ports = given.ports};
  Limits limits = given;
  limits.core = estimated_core(request.target.core);
  const double start = process_seconds();
  PlannerAnswer answer = choice.planner->plan(graph, limits, choice.options);
  auto* planned = std::get_if<Planned>(&answer);
  if (planned == nullptr) return std::nullopt;
  const ChosenPlan chosen = chosen_plan(graph, choice, *planned, request);
  const Placement& placement = chosen.plan.placement;
  const double seconds = process_seconds() - start;
  const int64_t executed = macs(graph, chosen.plan.schedule);
  const Program program = lower(graph, chosen.plan.schedule, placement);
  const auto estimated = estimate_on(program, limits.core, 0);
  return PlannedSize{.arena_bytes = placement.arena_bytes(),
                     .peak_bytes = placement.arena().peak_bytes,
                     .macs = executed,
                     .recomputed_macs = executed - macs(graph),
                     .instructions = estimated ? estimated->estimate.instructions : 0,
                     .plan_seconds = seconds};
}

std::string text(const PlannedSize& size) {
  return fmt::format("{} {} {} {} {:.0f} {:.3f}", size.arena_bytes, size.peak_bytes, size.macs,
                     size.recomputed_macs, size.instructions, size.plan_seconds);
}

PlannedSize parse_planned_size(const std::string& text) {
  PlannedSize size;
  std::istringstream words(text);
  words >> size.arena_bytes >> size.peak_bytes >> size.macs >> size.recomputed_macs >>
      size.instructions >> size.plan_seconds;
  check(!words.fail(), "not what a job writes");
  return size;
}

std::vector<std::string> zoo_and_golden_models(const std::string& shared) {
  namespace fs = std::filesystem;
  std::vector<std::string> models, large;
  for (const ZooEntry& entry : zoo_entries()) {
    const bool is_large = entry.name == "attention_unet" || entry.name == "resunet_a" ||
                          entry.name == "vnet_2d" || entry.name == "vgg16" ||
                          entry.name == "resnet18" || entry.name.starts_with("alexnet") ||
                          entry.name == "googlenet" || entry.name.starts_with("nasnet") ||
                          entry.name.starts_with("darts") || entry.name.starts_with("amoebanet");
    (is_large ? large : models).push_back("zoo:" + entry.name);
  }
  if (!fs::exists(fs::path(shared) / "models"))
    throw CompileError(shared, "has no folder of models; name it with --shared");
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(fs::path(shared) / "models")) {
    const std::string golden = entry.path().stem().string() + ".golden.safetensors";
    if (entry.path().extension() == ".tflite" && fs::exists(fs::path(shared) / "golden" / golden))
      files.push_back(entry.path().string());
  }
  std::ranges::sort(files);
  models.insert(models.end(), files.begin(), files.end());
  models.insert(models.end(), large.begin(), large.end());
  return models;
}

std::string short_name(const std::string& model) {
  return model.starts_with("zoo:") ? model : std::filesystem::path(model).stem().string();
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c == '\n' ? ' ' : c;
  }
  return quoted + '"';
}

void write_table(const std::string& path, const std::string& text) {
  if (path.empty()) {
    fmt::print("{}", text);
  } else {
    std::ofstream(path, std::ios::binary) << text;
  }
}

}  // namespace thimble
