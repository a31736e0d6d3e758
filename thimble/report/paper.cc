// SPDX-License-Identifier: Apache-2.0
// Reading a paper's figures. Every fault names the file, the figure and the field.
#include "thimble/report/paper.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "thimble/model/error.h"

namespace thimble {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kDeepest = 8;  // of a file

constexpr std::array kMetrics = {Metric::kPeakBytes,
                                 Metric::kArenaBytes,
                                 Metric::kLiveBytes,
                                 Metric::kMacs,
                                 Metric::kExtraMacsPercent,
                                 Metric::kWeightBytes,
                                 Metric::kActivationBytes,
                                 Metric::kTflmArenaBytes,
                                 Metric::kTflmSavedPercent,
                                 Metric::kLatency,
                                 Metric::kIoTasks,
                                 Metric::kIoSeconds,
                                 Metric::kLatencyPercent,
                                 Metric::kThroughputLossPercent,
                                 Metric::kWrittenBytesPerDay,
                                 Metric::kCardYears,
                                 Metric::kEnergy};

/// Its number is one of time, or follows from one.
bool of_time(Metric metric) {
  return metric == Metric::kLatency || (metric > Metric::kIoTasks && metric <= Metric::kCardYears);
}

// A JSON object and the words that say where it is.
struct Object {
  const Json& json;
  std::string where;

  [[noreturn]] void reject(const std::string& message) const { throw CompileError(where, message); }

  void check_fields(const std::vector<std::string>& known) const {
    if (!json.is_object()) reject("must be an object {...}");
    for (const auto& [key, value] : json.items()) {
      if (std::find(known.begin(), known.end(), key) == known.end()) {
        reject(fmt::format("has an unknown field '{}'; known are {}", key, fmt::join(known, ", ")));
      }
    }
  }

  [[nodiscard]] std::string text(const char* field) const {
    if (!json.contains(field)) reject(fmt::format("lacks the field '{}'", field));
    const Json& value = json.at(field);
    if (!value.is_string() || value.get_ref<const std::string&>().empty())
      reject(fmt::format("'{}' must be a text that is not empty", field));
    return value.get<std::string>();
  }
  [[nodiscard]] std::string text(const char* field, const char* fallback) const {
    return json.contains(field) ? text(field) : fallback;
  }
  [[nodiscard]] bool flag(const char* field, bool fallback) const {
    if (!json.contains(field)) return fallback;
    if (!json.at(field).is_boolean()) reject(fmt::format("'{}' must be true or false", field));
    return json.at(field).get<bool>();
  }
  [[nodiscard]] double number(const char* field) const {
    if (!json.contains(field) || !json.at(field).is_number() || json.at(field).get<double>() < 0)
      reject(fmt::format("'{}' must be a number of at least 0", field));
    return json.at(field).get<double>();
  }
  [[nodiscard]] const Json& list(const char* field) const {
    if (!json.contains(field) || !json.at(field).is_array() || json.at(field).empty())
      reject(fmt::format("'{}' must be a list that is not empty", field));
    return json.at(field);
  }
  [[nodiscard]] Object object(const char* field) const {
    if (!json.contains(field) || !json.at(field).is_object() || json.at(field).empty())
      reject(fmt::format("'{}' must be an object that is not empty", field));
    return {json.at(field), fmt::format("{}, {}", where, field)};
  }
};

Metric metric_of(const Object& object) {
  const std::string word = object.text("metric");
  std::vector<std::string> all;
  for (Metric metric : kMetrics) {
    if (word == name(metric)) return metric;
    all.emplace_back(name(metric));
  }
  object.reject(fmt::format("'metric' is '{}'; known are {}", word, fmt::join(all, ", ")));
}

PaperRelation relation_of(const Object& object) {
  const std::string word = object.text("relation", "equal");
  if (word == "equal") return PaperRelation::kEqual;
  if (word == "at_most") return PaperRelation::kAtMost;
  if (word == "drawn") return PaperRelation::kDrawn;
  object.reject(fmt::format("'relation' is '{}'; known are equal, at_most, drawn", word));
}

PublishedFigure figure_of(const Object& object, const Paper& paper) {
  object.check_fields({"source", "what", "metric", "value", "unit", "relation", "accounting",
                       "model", "planner", "in_place", "rewrite", "layout", "step", "device",
                       "cause"});
  PublishedFigure figure;
  figure.source = object.text("source");
  figure.what = object.text("what");
  figure.metric = metric_of(object);
  figure.relation = relation_of(object);
  if (figure.relation != PaperRelation::kDrawn) {
    figure.value = object.number("value");
  } else if (object.json.contains("value")) {
    object.reject("'value' belongs to what is printed, and 'relation' is 'drawn'");
  }
  figure.unit = object.text("unit");
  if (!paper.units.contains(figure.unit))
    object.reject(fmt::format("'unit' is '{}', which is not among the units", figure.unit));
  figure.accounting = object.text("accounting");
  if (!paper.accountings.contains(figure.accounting)) {
    object.reject(
        fmt::format("'accounting' is '{}', which is not among the accountings", figure.accounting));
  }
  figure.model = object.text("model");
  figure.planner = object.text("planner", "original");
  figure.in_place = object.flag("in_place", true);
  figure.rewrite = object.flag("rewrite", true);
  figure.layout = object.text("layout", "exact");
  if (figure.layout != "exact" && figure.layout != "greedy_by_size") {
    object.reject(fmt::format("'layout' is '{}'; known are exact, greedy_by_size", figure.layout));
  }
  if ((figure.metric == Metric::kLiveBytes) != object.json.contains("step"))
    object.reject("'step' belongs to live_bytes, and live_bytes needs it");
  if (object.json.contains("step")) {
    constexpr double kMostSteps = 1e6;
    const double step = object.number("step");
    if (step > kMostSteps || step != std::floor(step))
      object.reject("'step' must be a whole number of a plan's steps");
    figure.step = static_cast<int>(step);
  }
  if (object.json.contains("device")) {
    figure.device = object.text("device");
    if (!of_time(figure.metric)) object.reject("'device' belongs to what is a time");
    if (!paper.devices.contains(figure.device))
      object.reject(fmt::format("'device' is '{}', which is not among the devices", figure.device));
  }
  figure.cause = object.text("cause", "");
  return figure;
}

std::string read_text(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw CompileError(file, "cannot be read as a paper's figures");
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace

const char* name(Metric metric) {
  switch (metric) {
    case Metric::kPeakBytes:
      return "peak_bytes";
    case Metric::kArenaBytes:
      return "arena_bytes";
    case Metric::kLiveBytes:
      return "live_bytes";
    case Metric::kMacs:
      return "macs";
    case Metric::kExtraMacsPercent:
      return "extra_macs_percent";
    case Metric::kWeightBytes:
      return "weight_bytes";
    case Metric::kActivationBytes:
      return "activation_bytes";
    case Metric::kTflmArenaBytes:
      return "tflm_arena_bytes";
    case Metric::kTflmSavedPercent:
      return "tflm_saved_percent";
    case Metric::kLatency:
      return "latency_seconds";
    case Metric::kLatencyPercent:
      return "extra_latency_percent";
    case Metric::kEnergy:
      return "energy_joules";
    case Metric::kIoSeconds:
      return "io_seconds";
    case Metric::kIoTasks:
      return "io_tasks";
    case Metric::kThroughputLossPercent:
      return "throughput_loss_percent";
    case Metric::kWrittenBytesPerDay:
      return "written_bytes_per_day";
    case Metric::kCardYears:
      return "card_years";
  }
  throw InternalError("unknown Metric");
}

Counter counter_of(const PublishedFigure& figure) {
  const Metric metric = figure.metric;
  if (metric == Metric::kTflmArenaBytes || metric == Metric::kTflmSavedPercent)
    return Counter::kTinySeg;
  const bool swapnn = figure.planner.substr(0, figure.planner.find(':')) == "swapnn";
  return swapnn && metric >= Metric::kIoTasks && metric <= Metric::kCardYears ? Counter::kSwapNN
                                                                              : Counter::kNone;
}

bool measurable(const PublishedFigure& figure) {
  if (of_time(figure.metric) && figure.device.empty()) return false;
  return figure.metric <= Metric::kLatency || counter_of(figure) != Counter::kNone;
}

std::optional<double> Paper::base_value(const PublishedFigure& figure) const {
  if (!figure.value) return std::nullopt;
  return *figure.value * units.at(figure.unit);
}

Paper parse_paper(const std::string& json, const std::string& name) {
  Json parsed;
  try {
    const auto not_too_deep = [&name](int depth, Json::parse_event_t, Json&) {
      if (depth > kDeepest) throw CompileError(name, "is nested too deeply");
      return true;
    };
    parsed = Json::parse(json, not_too_deep);
  } catch (const Json::exception& error) {
    throw CompileError(name, fmt::format("is not JSON: {}", error.what()));
  }
  const Object object{parsed, name};
  object.check_fields(
      {"title", "citation", "left_out", "units", "accountings", "devices", "figures"});
  Paper paper;
  paper.name = name;
  paper.title = object.text("title");
  paper.citation = object.text("citation");
  paper.left_out = object.text("left_out", "");
  const Object units = object.object("units"), accountings = object.object("accountings");
  for (const auto& [unit, value] : units.json.items()) {
    paper.units[unit] = units.number(unit.c_str());
    if (paper.units[unit] == 0) units.reject(fmt::format("'{}' must be above 0", unit));
  }
  for (const auto& [key, value] : accountings.json.items())
    paper.accountings[key] = accountings.text(key.c_str());
  if (parsed.contains("devices")) {
    for (const auto& [key, device] : object.object("devices").json.items())
      paper.devices[key] =
          parse_paper_device(device.dump(), fmt::format("{}, devices, {}", name, key));
  }
  for (const Json& figure : object.list("figures")) {
    paper.figures.push_back(
        figure_of({figure, fmt::format("{}, figure {}", name, paper.figures.size() + 1)}, paper));
  }
  return paper;
}

Paper find_paper(const std::string& name) {
  if (name.ends_with(".json")) return parse_paper(read_text(name), name);
  std::vector<std::string> names;
  for (const EmbeddedFile& file : paper_files()) {
    const std::string known = std::filesystem::path(file.path).stem().string();
    if (known == name) return parse_paper(std::string(file.text), known);
    names.push_back(known);
  }
  throw CompileError(fmt::format("--paper '{}'", name),
                     fmt::format("is not known; there are {}, or give figures of your own as "
                                 "FILE.json",
                                 fmt::join(names, ", ")));
}

}  // namespace thimble
