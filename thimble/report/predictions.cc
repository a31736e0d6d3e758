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

std::string class_name(const ClassScore& of) {
  return of.label.empty() ? fmt::format("class {}", of.number) : display_name(of.label);
}

std::string classes_text(const std::vector<ClassScore>& classes) {
  std::string text;
  for (const ClassScore& each : classes)
    text += fmt::format("  {:.4f}  {}\n", each.score, class_name(each));
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
