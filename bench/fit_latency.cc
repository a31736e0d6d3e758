// SPDX-License-Identifier: Apache-2.0
// Fits the latency model of a core to instructions counted in QEMU (docs/cost.md):
//   fit_latency --core cortex-m4 --programs 1240 ../shared/models/*.tflite
// writes cores/cortex-m4.json; bench/results/latency_cortex-m4.csv, a line for each program, with
// those that were held back; and bench/results/latency_totals_cortex-m4.csv for the models.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "bench/command_line.h"
#include "bench/latency_samples.h"
#include "bench/nnls.h"
#include "thimble/model/error.h"
#include "zoo/random.h"

namespace {

using namespace thimble;

constexpr double kLeastCoefficient = 1e-3;  // as files have them
// A kernel in fewer programs is left out: its coefficients would mean nothing.
constexpr size_t kFewestPrograms = 5;

struct Options {
  std::string core = "cortex-m4";
  uint64_t programs = 1240, groups = 1260, layers = 1200, copies = 240, scratch = 600,
           functions = 1200;
  std::vector<std::string> models;
  std::vector<std::string> planners = {"reorder", "stream", "pex"};
  std::string folder = ".";
  std::vector<std::string> only;  // "copies", "functions", "dsp", "mve", or names of kernels
  std::vector<std::string> keep;  // names of kernels
  bool compact = false, nibbles = false;

  [[nodiscard]] Core counted_core() const {
    Core result = core_named(core);
    if (compact) result.weights = Weights::kCompact;
    if (nibbles) result.weights = Weights::kLeast;
    return result;
  }
  [[nodiscard]] bool keeps(const std::string& kernel) const {
    return std::ranges::find(keep, kernel) != keep.end();
  }
  [[nodiscard]] bool takes(const std::string& kernel) const {
    return std::ranges::any_of(only, [&](const std::string& what) {
      return what == kernel || kernel.ends_with("_" + what);
    });
  }
};

// The kernel that most of the instructions go to.
std::string main_kernel(const LatencyModel& model, const LatencySample& sample) {
  std::string found;
  double most = -1;
  for (const auto& [kernel, counts] : sample.features) {
    const Features* each = model.coefficients(kernel);
    const double instructions = each == nullptr ? 0 : dot(counts, *each);
    if (instructions > most) {
      most = instructions;
      found = kernel;
    }
  }
  return found;
}

// A quarter, whatever the order of the kinds of networks.
bool held_back(size_t sample) { return zoo::Random(sample).next() % 4 == 0; }

std::vector<std::string> known_kernels(const std::vector<LatencySample>& samples) {
  std::map<std::string, size_t> programs;
  for (size_t s = 0; s < samples.size(); ++s) {
    if (held_back(s)) continue;
    for (const auto& [kernel, counts] : samples[s].features) ++programs[kernel];
  }
  std::vector<std::string> known;
  for (const auto& [kernel, count] : programs) {
    if (count >= kFewestPrograms) known.push_back(kernel);
  }
  return known;
}

// Relative errors count: each line is divided by what was counted.
LatencyModel fit(const std::string& core, const std::vector<LatencySample>& samples) {
  const std::vector<std::string> kernels = known_kernels(samples);
  constexpr size_t kWidth = std::tuple_size_v<Features>;
  std::vector<std::vector<double>> rows;
  for (size_t s = 0; s < samples.size(); ++s) {
    const LatencySample& sample = samples[s];
    std::vector<double> row(1 + kernels.size() * kWidth);
    row[0] = 1 / sample.counted;
    size_t found = 0;
    for (size_t k = 0; k < kernels.size(); ++k) {
      const auto counts = sample.features.find(kernels[k]);
      if (counts == sample.features.end()) continue;
      ++found;
      for (size_t f = 0; f < kWidth; ++f)
        row[1 + k * kWidth + f] = counts->second[f] / sample.counted;
    }
    if (!held_back(s) && found == sample.features.size()) rows.push_back(std::move(row));
  }
  const std::vector<double> x =
      nonnegative_least_squares(rows, std::vector<double>(rows.size(), 1.0));
  LatencyModel model{.core = core, .program = x[0], .kernels = {}};
  for (size_t k = 0; k < kernels.size(); ++k) {
    Features& each = model.kernels[kernels[k]];
    for (size_t f = 0; f < kWidth; ++f) each[f] = x[1 + k * kWidth + f];
  }
  // What others account for is not known of a kernel.
  std::erase_if(model.kernels, [](const auto& kernel) { return kernel.second == Features{}; });
  // What takes next to nothing is not like what was never counted (LatencyEstimate::knows).
  for (size_t k = 0; k < kernels.size(); ++k) {
    const auto known = model.kernels.find(kernels[k]);
    for (size_t f = 0; known != model.kernels.end() && f < kWidth; ++f) {
      const bool counted =
          std::ranges::any_of(rows, [&](const auto& row) { return row[1 + k * kWidth + f] > 0; });
      if (counted) known->second[f] = std::max(known->second[f], kLeastCoefficient);
    }
  }
  return model;
}

double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  return values[static_cast<size_t>(share * static_cast<double>(values.size() - 1))];
}

struct Errors {
  std::vector<double> relative;
  [[nodiscard]] nlohmann::json json() const {
    const auto rounded = [](double value) { return std::round(value * 1e4) / 1e4; };
    return {{"programs", relative.size()},
            {"median", rounded(quantile(relative, 0.5))},
            {"p90", rounded(quantile(relative, 0.9))}};
  }
};

// "rows" of "rows_12": how the program's group is tiled; "network" where a planner decided.
std::string tiling_of(const LatencySample& sample) {
  return sample.name.substr(0, sample.name.rfind('_'));
}

struct HeldBack {
  std::map<std::string, Errors> kernels;  ///< by the kernel that takes most; "all" of them
  std::map<std::string, Errors> tilings;
};

HeldBack held_back_errors(const LatencyModel& model, const std::vector<LatencySample>& samples) {
  HeldBack errors;
  for (size_t s = 0; s < samples.size(); ++s) {
    if (!held_back(s)) continue;
    const std::optional<double> estimated = estimate(model, samples[s]);
    if (!estimated) continue;
    const double error = std::abs(*estimated / samples[s].counted - 1);
    errors.kernels["all"].relative.push_back(error);
    errors.kernels[main_kernel(model, samples[s])].relative.push_back(error);
    errors.tilings[tiling_of(samples[s])].relative.push_back(error);
  }
  return errors;
}

nlohmann::ordered_json model_json(const LatencyModel& model, const std::string& command,
                                  const HeldBack& errors) {
  nlohmann::ordered_json json;
  const auto rounded = [](double value) { return std::round(value * 1e3) / 1e3; };
  json["core"] = model.core;
  json["counted"] = "instructions";
  json["command"] = command;
  json["program"] = rounded(model.program);
  for (const auto& [kernel, each] : model.kernels) {
    nlohmann::ordered_json& entry = json["kernels"][kernel] = nlohmann::ordered_json::object();
    for (size_t f = 0; f < each.size(); ++f) {
      if (rounded(each[f]) > 0) entry[name(static_cast<Feature>(f))] = rounded(each[f]);
    }
  }
  for (const auto& [kernel, error] : errors.kernels) json["held_back"][kernel] = error.json();
  for (const auto& [tiling, error] : errors.tilings)
    json["held_back_tilings"][tiling] = error.json();
  return json;
}

// "name,kernel,held_back,counted,estimated,error".
std::string samples_csv(const LatencyModel& model, const std::string& command,
                        const std::vector<LatencySample>& samples, bool all_held_back) {
  std::string text =
      fmt::format("# {}\nprogram,main_kernel,held_back,counted,estimated,error\n", command);
  for (size_t s = 0; s < samples.size(); ++s) {
    const std::optional<double> estimated = estimate(model, samples[s]);
    text +=
        fmt::format("{},{},{},{:.0f},{},{}\n", samples[s].name, main_kernel(model, samples[s]),
                    all_held_back || held_back(s) ? "yes" : "no", samples[s].counted,
                    estimated ? fmt::format("{:.0f}", *estimated) : "",
                    estimated ? fmt::format("{:.4f}", *estimated / samples[s].counted - 1) : "");
  }
  return text;
}

void write(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw CompileError(path, "cannot be written");
  fmt::print("wrote {}\n", path);
}

std::vector<LatencySample> networks_groups_and_layers(const Options& options) {
  const Core core = options.counted_core();
  std::vector<LatencySample> samples = random_samples(core, 0, options.programs);
  std::ranges::move(group_samples(core, 0, options.groups), std::back_inserter(samples));
  // There are enough samples of portable kernels.
  if (core.sets.size() > 1) {
    std::ranges::move(layer_samples(core, options.layers), std::back_inserter(samples));
    std::ranges::move(scratch_samples(core, 0, options.scratch), std::back_inserter(samples));
  }
  return samples;
}

std::optional<nlohmann::ordered_json> core_file(const Options& options) {
  std::ifstream file(options.folder + "/cores/" + options.core + ".json", std::ios::binary);
  if (!file) return std::nullopt;
  return nlohmann::ordered_json::parse(file);
}

void write_core_file(const Options& options, const nlohmann::ordered_json& json) {
  write(options.folder + "/cores/" + options.core + ".json", json.dump(1) + "\n");
}

// Only copies are counted, or only some kernels are taken of what is: the coefficients of the rest
// stay.
void refit(const Options& options, const std::string& command) {
  const bool copies = options.only.front() == "copies";
  const bool functions = options.only.front() == "functions";
  const std::vector<LatencySample> samples =
      copies      ? copy_samples(options.counted_core(), options.copies)
      : functions ? function_samples(options.counted_core(), options.functions)
                  : networks_groups_and_layers(options);
  const LatencyModel model = fit(options.core, samples);
  const HeldBack errors = held_back_errors(model, samples);
  for (const auto& [kernel, error] : errors.kernels)
    fmt::print("{:<28} {}\n", kernel, error.json().dump());
  nlohmann::ordered_json json = core_file(options).value();
  const nlohmann::ordered_json fitted = model_json(model, command, errors);
  for (const auto& [kernel, each] : fitted.at("kernels").items()) {
    if (copies || functions || options.takes(kernel)) json["kernels"][kernel] = each;
  }
  write_core_file(options, json);
  write(options.folder + "/bench/results/latency_" + options.only.front() + "_" + options.core +
            ".csv",
        samples_csv(model, command, samples, false));
}

void run(const Options& options, const std::string& command) {
  if (!options.only.empty()) return refit(options, command);
  std::vector<LatencySample> samples = networks_groups_and_layers(options);
  std::ranges::move(copy_samples(options.counted_core(), options.copies),
                    std::back_inserter(samples));
  const LatencyModel model = fit(options.core, samples);
  const HeldBack errors = held_back_errors(model, samples);
  for (const auto* by : {&errors.kernels, &errors.tilings}) {
    for (const auto& [what, error] : *by) fmt::print("{:<28} {}\n", what, error.json().dump());
  }
  nlohmann::ordered_json json = model_json(model, command, errors);
  if (const auto before = core_file(options)) {  // kernels of too few programs stay as they are
    for (const auto& [kernel, each] : before->at("kernels").items()) {
      if (options.keeps(kernel) || !json["kernels"].contains(kernel))
        json["kernels"][kernel] = each;
    }
  }
  write_core_file(options, json);
  const std::string results = options.folder + "/bench/results/latency_";
  write(results + options.core + ".csv", samples_csv(model, command, samples, false));
  if (options.models.empty()) return;
  const std::vector<LatencySample> models =
      model_samples(options.counted_core(), options.models, options.planners);
  write(results + "totals_" + options.core + ".csv", samples_csv(model, command, models, true));
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CommandLine line{"fit_latency", "Fits a core's latency model to instructions counted in QEMU"};
  line.add("MODEL", &options.models, "Models whose totals are compared");
  line.add("--core", &options.core, "Core to count on (cortex-m4)");
  line.add("--programs", &options.programs, "Random programs; a quarter is held back (1240)");
  line.add("--groups", &options.groups, "Random groups of all tilings (1260)");
  line.add("--layers", &options.layers,
           "Random layers, on cores whose instruction sets have kernels for them (1200)");
  line.add("--scratch", &options.scratch,
           "Depthwise convolutions with any scratch, on such cores (600)");
  line.add("--copies", &options.copies, "Random networks of copies (240)");
  line.add("--functions", &options.functions, "Random functions of float32 (1200)");
  line.add("--only", &options.only,
           "copies, functions, or names of kernels or of their ends (dsp, mve): others stay as the "
           "core's file has them");
  line.add("--keep", &options.keep, "Names of kernels that stay as the core's file has them");
  line.add("--compact", &options.compact, "Plans whose weights are in 8 bits");
  line.add("--nibbles", &options.nibbles,
           "Networks whose weights fit 4 bits, and plans that hold them so");
  line.add("--folder", &options.folder, "The repository (.)");
  return line.run(argc, argv, [&] {
    run(options, line.command());
    return 0;
  });
}
