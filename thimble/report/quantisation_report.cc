// SPDX-License-Identifier: Apache-2.0
#include "thimble/report/quantisation_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "thimble/import/utf8.h"
#include "thimble/report/json_text.h"
#include "thimble/target/size.h"

namespace thimble {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kShown = 5;

std::string decibels(const Noise& noise) {
  const std::optional<double> sqnr = noise.sqnr();
  return sqnr ? fmt::format("{:.1f} dB", *sqnr) : noise.noise == 0 ? "exact" : "no signal";
}

/// Of noise for its signal.
std::string decibels(double noise) {
  return noise > 0 ? fmt::format("{:.1f} dB", -10 * std::log10(noise)) : "exact";
}

Json decibels_json(double noise) {
  return noise > 0 ? Json(-10 * std::log10(noise)) : Json(nullptr);
}

Json noise_json(const Noise& noise) {
  const std::optional<double> sqnr = noise.sqnr();
  return {{"largest_difference", noise.largest}, {"sqnr_db", sqnr ? Json(*sqnr) : Json(nullptr)}};
}

std::string samples(int64_t count) {
  return fmt::format("{} sample{}", count, count == 1 ? "" : "s");
}

std::string percent(int64_t some, int64_t all) {
  return fmt::format(
      "{:.2f} %", 100 * static_cast<double>(some) / static_cast<double>(std::max<int64_t>(all, 1)));
}

/// Names of fused operators are long lists of names.
std::string shortened(const std::string& name) {
  constexpr size_t kMost = 48;
  return name.size() <= kMost ? name : name.substr(0, kMost - 3) + "...";
}

/// Those with most noise for their signal first.
std::vector<const QuantisedTensor*> worst_tensors(const QuantisationReport& report) {
  std::vector<const QuantisedTensor*> all;
  for (const QuantisedTensor& tensor : report.tensors)
    if (tensor.noise.sqnr()) all.push_back(&tensor);
  std::ranges::stable_sort(all, {}, [](const auto* tensor) { return *tensor->noise.sqnr(); });
  all.resize(std::min(all.size(), kShown));
  return all;
}

std::string tensors_text(const QuantisationReport& report) {
  const std::vector<const QuantisedTensor*> worst = worst_tensors(report);
  std::string text;
  for (const QuantisedTensor* tensor : worst) {
    text += fmt::format("  {:<11}{:<9}{} ({:.4g} to {:.4g}, {} of scale {:.4g})\n",
                        tensor == worst[0] ? "most noise" : "", decibels(tensor->noise),
                        shortened(printable(tensor->name)), tensor->seen.min, tensor->seen.max,
                        tensor->type, tensor->scale);
  }
  return text;
}

/// A row for each, what is taken with a star.
std::string formats_text(const QuantisationReport& report) {
  std::string text;
  const auto cell = [](const std::optional<int64_t>& n) { return n ? std::to_string(*n) : "-"; };
  for (const FormatRow& row : report.formats) {
    if (text.empty()) {
      text = fmt::format("  {:>9} {:>8} {:>8} {:>12} {:>8} {:>8} {:>8}  formats\n", "weights",
                         "SRAM", "flash", "instructions", "scores", "same", "right");
    }
    const auto share = [&](const std::optional<int64_t>& n) {
      return n ? percent(*n, row.samples) : "-";
    };
    text +=
        fmt::format(" {}{:>9} {:>8} {:>8} {:>12} {:>8} {:>8} {:>8}  {}{}\n", row.taken ? '*' : ' ',
                    row.weight_bytes, cell(row.sram_bytes), cell(row.flash_bytes),
                    cell(row.instructions), decibels(row.noise), share(row.agreeing),
                    share(row.right), row.formats, row.allowed ? "" : " (beyond the budget)");
  }
  return text;
}

/// The operators that cost most by themselves, and what helps.
std::string layers_text(const QuantisationReport& report) {
  std::vector<const QuantisedLayer*> all;
  for (const QuantisedLayer& layer : report.layers)
    if (layer.noise > 0) all.push_back(&layer);
  std::ranges::stable_sort(all, std::ranges::greater{},
                           [](const auto* layer) { return layer->noise; });
  all.resize(std::min(all.size(), kShown));
  std::string text;
  for (const QuantisedLayer* layer : all) {
    text += fmt::format("  {:<11}{:<9}{} alone in {}\n", layer == all[0] ? "costs most" : "",
                        decibels(layer->noise), layer->label, layer->format);
  }
  return text;
}

}  // namespace

std::string quantisation_text(const QuantisationReport& report) {
  std::string text = fmt::format("{}: {}, {} operators, {} of them in integers\n", report.path,
                                 human_size(report.file_bytes), report.operators,
                                 report.operators - std::ssize(report.left_in_float));
  text += fmt::format("  {:<11}{} in {}\n", report.methods.empty() ? "beside" : "ranges",
                      report.methods.empty()
                          ? fmt::format("{}, with {}", report.model, samples(report.samples))
                          : "of " + samples(report.samples),
                      report.data);
  for (const MethodTried& method : report.methods) {
    text += fmt::format("  {:<11}{}{}, {}\n", &method == report.methods.data() ? "methods" : "",
                        method.name, method.name == report.method ? " (taken)" : "",
                        decibels(method.noise));
  }
  for (const std::string& warning : report.warnings)
    text += fmt::format("  WARNING: {}\n", warning);
  for (size_t k = 0; k < report.outputs.size(); ++k) {
    text += fmt::format("  {:<11}{} beside float32, off by {:.4g} at most\n",
                        report.outputs.size() == 1 ? "output" : fmt::format("output {}", k),
                        decibels(report.outputs[k]), report.outputs[k].largest);
  }
  text += fmt::format("  scores     {}, the mean of the samples\n", decibels(report.noise));
  if (report.agreeing) {
    text += fmt::format("  same class {} of {}\n", percent(*report.agreeing, report.judged),
                        samples(report.judged));
  }
  if (report.right && report.right_in_float) {
    text += fmt::format("  right      {} by their labels, in float32 {}\n",
                        percent(*report.right, report.judged),
                        percent(*report.right_in_float, report.judged));
  }
  if (!report.left_in_float.empty())
    text += fmt::format("  in float32 {}\n", fmt::join(report.left_in_float, ", "));
  text += formats_text(report);
  text += layers_text(report);
  return text + tensors_text(report);
}

std::string quantisation_json(const QuantisationReport& report) {
  Json tensors = Json::array(), methods = Json::array(), outputs = Json::array(),
       layers = Json::array(), formats = Json::array();
  const auto number = [](const std::optional<int64_t>& n) { return n ? Json(*n) : Json(nullptr); };
  for (const QuantisedTensor& tensor : report.tensors) {
    Json entry = {{"max", tensor.seen.max},
                  {"min", tensor.seen.min},
                  {"name", printable(tensor.name)},
                  {"scale", tensor.scale},
                  {"taken_max", tensor.taken.max},
                  {"taken_min", tensor.taken.min},
                  {"type", tensor.type},
                  {"zero_point", tensor.zero_point}};
    entry.update(noise_json(tensor.noise));
    tensors.push_back(std::move(entry));
  }
  for (const MethodTried& method : report.methods) {
    Json entry = {{"agreeing_samples", number(method.agreeing)},
                  {"name", method.name},
                  {"right_samples", number(method.right)}};
    entry["score_sqnr_db"] = decibels_json(method.noise);
    methods.push_back(std::move(entry));
  }
  for (const FormatRow& row : report.formats) {
    formats.push_back({{"agreeing_samples", number(row.agreeing)},
                       {"allowed", row.allowed},
                       {"flash_bytes", number(row.flash_bytes)},
                       {"formats", row.formats},
                       {"instructions", number(row.instructions)},
                       {"right_samples", number(row.right)},
                       {"score_sqnr_db", decibels_json(row.noise)},
                       {"sram_bytes", number(row.sram_bytes)},
                       {"taken", row.taken},
                       {"weight_bytes", row.weight_bytes}});
  }
  for (const QuantisedLayer& layer : report.layers) {
    Json entry = {{"format", layer.format}, {"operator", layer.label}};
    entry["score_sqnr_db"] = decibels_json(layer.noise);
    layers.push_back(std::move(entry));
  }
  for (const Noise& noise : report.outputs) outputs.push_back(noise_json(noise));
  return json_text("quantize",
                   {{"model", report.model},
                    {"file", report.path},
                    {"agreeing_samples", number(report.agreeing)},
                    {"data", report.data},
                    {"file_bytes", report.file_bytes},
                    {"formats", std::move(formats)},
                    {"judged_samples", report.judged},
                    {"layers", std::move(layers)},
                    {"left_in_float", report.left_in_float},
                    {"method", report.method.empty() ? Json(nullptr) : Json(report.method)},
                    {"methods", std::move(methods)},
                    {"operators", report.operators},
                    {"outputs", std::move(outputs)},
                    {"right_samples", number(report.right)},
                    {"right_samples_in_float", number(report.right_in_float)},
                    {"samples", report.samples},
                    {"score_sqnr_db", decibels_json(report.noise)},
                    {"tensors", std::move(tensors)},
                    {"warnings", report.warnings}});
}

}  // namespace thimble
