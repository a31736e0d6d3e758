// SPDX-License-Identifier: Apache-2.0
#include "thimble/report/quantisation_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
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

Json noise_json(const Noise& noise) {
  const std::optional<double> sqnr = noise.sqnr();
  return {{"largest_difference", noise.largest}, {"sqnr_db", sqnr ? Json(*sqnr) : Json(nullptr)}};
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

}  // namespace

std::string quantisation_text(const QuantisationReport& report) {
  std::string text = fmt::format("{}: {}, {} operators, {} of them in int8\n", report.path,
                                 human_size(report.file_bytes), report.operators,
                                 report.operators - std::ssize(report.left_in_float));
  text += fmt::format("  ranges     of {} sample{} in {}\n", report.samples,
                      report.samples == 1 ? "" : "s", report.data);
  for (const MethodTried& method : report.methods) {
    text += fmt::format("  {:<11}{}{}, {}\n", &method == report.methods.data() ? "methods" : "",
                        method.name, method.name == report.method ? " (taken)" : "",
                        decibels(method.outputs));
  }
  for (const std::string& warning : report.warnings)
    text += fmt::format("  WARNING: {}\n", warning);
  for (size_t k = 0; k < report.outputs.size(); ++k) {
    text += fmt::format("  {:<11}{} beside float32, off by {:.4g} at most\n",
                        report.outputs.size() == 1 ? "output" : fmt::format("output {}", k),
                        decibels(report.outputs[k]), report.outputs[k].largest);
  }
  if (report.agreeing) {
    text += fmt::format("  same class {:.2f} % of {} samples\n",
                        100 * static_cast<double>(*report.agreeing) /
                            static_cast<double>(std::max<int64_t>(report.judged, 1)),
                        report.judged);
  }
  if (!report.left_in_float.empty())
    text += fmt::format("  in float32 {}\n", fmt::join(report.left_in_float, ", "));
  const std::vector<const QuantisedTensor*> worst = worst_tensors(report);
  if (!worst.empty()) text += "  most noise";
  for (size_t k = 0; k < worst.size(); ++k) {
    text += fmt::format("{}{:<9}{} ({:.4g} to {:.4g}, scale {:.4g})\n",
                        k == 0 ? " " : std::string(13, ' '), decibels(worst[k]->noise),
                        printable(worst[k]->name), worst[k]->range.min, worst[k]->range.max,
                        worst[k]->scale);
  }
  return text;
}

std::string quantisation_json(const QuantisationReport& report) {
  Json tensors = Json::array(), methods = Json::array(), outputs = Json::array();
  for (const QuantisedTensor& tensor : report.tensors) {
    Json entry = {{"max", tensor.range.max},
                  {"min", tensor.range.min},
                  {"name", printable(tensor.name)},
                  {"scale", tensor.scale},
                  {"zero_point", tensor.zero_point}};
    entry.update(noise_json(tensor.noise));
    tensors.push_back(std::move(entry));
  }
  for (const MethodTried& method : report.methods) {
    Json entry = {{"agreeing_samples", method.agreeing ? Json(*method.agreeing) : Json(nullptr)},
                  {"name", method.name}};
    entry.update(noise_json(method.outputs));
    methods.push_back(std::move(entry));
  }
  for (const Noise& noise : report.outputs) outputs.push_back(noise_json(noise));
  return json_text("quantize",
                   {{"model", report.model},
                    {"file", report.path},
                    {"agreeing_samples", report.agreeing ? Json(*report.agreeing) : Json(nullptr)},
                    {"data", report.data},
                    {"file_bytes", report.file_bytes},
                    {"judged_samples", report.judged},
                    {"left_in_float", report.left_in_float},
                    {"method", report.method},
                    {"methods", std::move(methods)},
                    {"operators", report.operators},
                    {"outputs", std::move(outputs)},
                    {"samples", report.samples},
                    {"tensors", std::move(tensors)},
                    {"warnings", report.warnings}});
}

}  // namespace thimble
