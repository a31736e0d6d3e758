// SPDX-License-Identifier: Apache-2.0
#include "thimble/report/predictions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "thimble/report/tensor_text.h"

namespace thimble {
namespace {

using Json = nlohmann::ordered_json;

Json number_or_null(float value) { return std::isfinite(value) ? Json(value) : Json(); }

Json class_json(const ClassScore& of) {
  return {{"class", of.number},
          {"label", of.label.empty() ? Json() : Json(of.label)},
          {"score", number_or_null(of.score)}};
}

}  // namespace

std::vector<ClassScore> best_classes(const std::vector<float>& scores,
                                     const std::vector<std::string>& labels, size_t most) {
  std::vector<size_t> order(scores.size());
  std::iota(order.begin(), order.end(), size_t{0});
  // NaN is the least, so that the order is one.
  const auto key = [&](size_t i) { return std::isnan(scores[i]) ? -INFINITY : scores[i]; };
  const size_t count = std::min(most, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
                    [&](size_t a, size_t b) { return key(a) != key(b) ? key(a) > key(b) : a < b; });
  order.resize(count);
  std::vector<ClassScore> result;
  for (const size_t i : order)
    result.push_back(
        {static_cast<int64_t>(i), i < labels.size() ? labels[i] : std::string(), scores[i]});
  return result;
}

std::vector<ClassRun> class_runs(const std::vector<ClassScore>& classes) {
  std::vector<ClassRun> result;
  for (size_t k = 0; k < classes.size(); ++k) {
    if (result.empty() || result.back().best.number != classes[k].number)
      result.push_back({.begin = k, .end = k, .best = classes[k]});
    ClassRun& now = result.back();
    now.end = k + 1;
    now.best.score = std::max(now.best.score, classes[k].score);
  }
  return result;
}

std::string class_name(const ClassScore& of) {
  return of.label.empty() ? fmt::format("class {}", of.number) : display_name(of.label);
}

std::string classes_text(const std::vector<ClassScore>& classes) {
  std::string text;
  for (const ClassScore& each : classes)
    text += fmt::format("  {:.4f}  {}\n", each.score, class_name(each));
  return text;
}

std::string decisions_text(const std::vector<ClassRun>& decisions) {
  if (decisions.empty() || decisions.back().end < 2) return "";
  std::string text = "  inferences        best class, its highest score\n";
  for (const ClassRun& d : decisions) {
    const std::string which = d.end - d.begin == 1 ? fmt::format("{}", d.begin)
                                                   : fmt::format("{} to {}", d.begin, d.end - 1);
    text += fmt::format("  {:<16}  {}, {:.4f}\n", which, class_name(d.best), d.best.score);
  }
  return text;
}

std::string detections_text(const std::vector<Detection>& detections) {
  if (detections.empty()) return "  no object\n";
  std::string text;
  for (const Detection& d : detections) {
    text += fmt::format("  {:.4f}  {}: rows {:.3f} to {:.3f}, columns {:.3f} to {:.3f}\n",
                        d.object.score, class_name(d.object), d.ymin, d.ymax, d.xmin, d.xmax);
  }
  return text;
}

Json classes_json(const std::vector<ClassScore>& classes) {
  Json list = Json::array();
  for (const ClassScore& each : classes) list.push_back(class_json(each));
  return list;
}

Json decisions_json(const std::vector<ClassRun>& decisions) {
  Json list = Json::array();
  for (const ClassRun& d : decisions) {
    Json json = class_json(d.best);
    json["first"] = d.begin;
    json["last"] = d.end - 1;
    list.push_back(std::move(json));
  }
  return list;
}

Json detections_json(const std::vector<Detection>& detections) {
  Json list = Json::array();
  for (const Detection& d : detections) {
    Json json = class_json(d.object);
    json["box"] = {number_or_null(d.ymin), number_or_null(d.xmin), number_or_null(d.ymax),
                   number_or_null(d.xmax)};
    list.push_back(std::move(json));
  }
  return list;
}

}  // namespace thimble
