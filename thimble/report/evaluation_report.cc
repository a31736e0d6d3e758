// SPDX-License-Identifier: Apache-2.0
#include "thimble/report/evaluation_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "thimble/model/error.h"
#include "thimble/report/json_text.h"
#include "thimble/report/tensor_text.h"
#include "thimble/target/size.h"

namespace thimble {
namespace {

using Json = nlohmann::ordered_json;

double ratio(int64_t part, int64_t whole) {
  return static_cast<double>(part) / static_cast<double>(whole);
}

template <class T>
Json value_or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

Json ratio_or_null(int64_t part, int64_t whole) {
  return whole == 0 ? Json() : Json(ratio(part, whole));
}

/// Samples of a class, what the network took for it, and where it was right.
struct ClassCounts {
  int64_t samples = 0, predicted = 0, right = 0;
};

ClassCounts counts_of(const Confusion& confusion, size_t c) {
  ClassCounts counts{.samples = 0, .predicted = 0, .right = confusion[c][c]};
  for (size_t k = 0; k < confusion.size(); ++k) {
    counts.samples += confusion[c][k];
    counts.predicted += confusion[k][c];
  }
  return counts;
}

std::string percent(int64_t part, int64_t whole) {
  return whole == 0 ? "-" : fmt::format("{:.2f}", 100 * ratio(part, whole));
}

/// Beyond that a matrix has no lines to be read.
constexpr size_t kMostColumns = 16;

std::string confusion_text(const Evaluation& e) {
  const size_t count = e.confusion.size();
  size_t width = 5, cell = 5;
  for (const std::string& label : e.classes) width = std::max(width, display_name(label).size());
  for (const auto& row : e.confusion)
    for (const int64_t value : row) cell = std::max(cell, std::to_string(value).size());
  const bool matrix = count <= kMostColumns;
  std::string text = fmt::format("  {:<{}}  recall %  precision %", "class", width);
  for (size_t k = 0; matrix && k < count; ++k) text += fmt::format(" {:>{}}", k, cell);
  text += "\n";
  for (size_t c = 0; c < count; ++c) {
    const ClassCounts counts = counts_of(e.confusion, c);
    if (counts.samples == 0 && counts.predicted == 0 && !matrix) continue;
    text +=
        fmt::format("  {:<{}}  {:>8}  {:>11}", display_name(e.classes[c]), width,
                    percent(counts.right, counts.samples), percent(counts.right, counts.predicted));
    for (size_t k = 0; matrix && k < count; ++k)
      text += fmt::format(" {:>{}}", e.confusion[c][k], cell);
    text += "\n";
  }
  return text;
}

Json classes_json(const Evaluation& e) {
  Json classes = Json::array();
  for (size_t c = 0; c < e.classes.size(); ++c) {
    const ClassCounts counts = e.confusion.empty() ? ClassCounts() : counts_of(e.confusion, c);
    classes.push_back({{"label", e.classes[c]},
                       {"samples", e.confusion.empty() ? Json() : Json(counts.samples)},
                       {"recall", ratio_or_null(counts.right, counts.samples)},
                       {"precision", ratio_or_null(counts.right, counts.predicted)},
                       {"mean_score", c < e.mean_scores.size() ? Json(e.mean_scores[c]) : Json()}});
  }
  return classes;
}

std::string time_text(const Evaluation& e) {
  std::string text = fmt::format("  time          {:.1f} s", e.seconds);
  if (e.samples > 0) {
    text += fmt::format(", {:.3g} ms a sample with {} {}",
                        1000 * e.seconds / static_cast<double>(e.samples), e.jobs,
                        e.jobs == 1 ? "thread" : "threads");
  }
  if (e.instructions)
    text +=
        fmt::format("; {} instructions an inference (emulated)", with_separators(*e.instructions));
  return text + "\n";
}

std::string figures_text(const Evaluation& e) {
  std::string text;
  if (e.right) {
    text += fmt::format("  accuracy      {} % ({} of {})\n", percent(*e.right, e.samples), *e.right,
                        e.samples);
  }
  if (e.top5)
    text += fmt::format("  among best 5  {} % ({} of {})\n", percent(*e.top5, e.samples), *e.top5,
                        e.samples);
  if (e.auc) text += fmt::format("  AUC           {:.4f} ({})\n", *e.auc, display_name(e.positive));
  if (e.mean_absolute_error)
    text += fmt::format("  mean absolute error {:.6g}, root of the mean square {:.6g}\n",
                        *e.mean_absolute_error, *e.root_mean_square_error);
  for (size_t c = 0; c < e.mean_scores.size(); ++c)
    text += fmt::format("  {}: mean square error {:.6g}\n", display_name(e.classes[c]),
                        e.mean_scores[c]);
  return text;
}

}  // namespace

const char* name(EvaluationTask task) {
  switch (task) {
    case EvaluationTask::kClasses:
      return "classes";
    case EvaluationTask::kScore:
      return "score";
    case EvaluationTask::kAnomaly:
      return "anomaly";
    case EvaluationTask::kValues:
      return "values";
  }
  throw InternalError("unknown EvaluationTask");
}

std::string evaluation_text(const Evaluation& e) {
  std::string text = fmt::format("{} on {}{}: {}, {} of {} samples\n", e.model, e.on,
                                 e.planner.empty() ? "" : ", planner " + e.planner, e.set,
                                 e.samples, e.of_samples);
  if (!e.input.empty()) text += fmt::format("  input         {}\n", e.input);
  for (const std::string& warning : e.warnings) text += fmt::format("  WARNING: {}\n", warning);
  if (!e.classes_by.empty()) text += fmt::format("  classes       {}\n", e.classes_by);
  if (e.left_out_files > 0)
    text += fmt::format("  left out      {} files of other kinds\n", e.left_out_files);
  text += figures_text(e) + time_text(e);
  return text + (e.confusion.empty() ? "" : confusion_text(e));
}

std::string evaluation_json(const Evaluation& e) {
  return json_text("eval", {{"model", e.model},
                            {"set", e.set},
                            {"on", e.on},
                            {"planner", e.planner.empty() ? Json() : Json(e.planner)},
                            {"task", name(e.task)},
                            {"input", e.input.empty() ? Json() : Json(e.input)},
                            {"input_warnings", e.warnings},
                            {"classes_by", e.classes_by.empty() ? Json() : Json(e.classes_by)},
                            {"samples", e.samples},
                            {"of_samples", e.of_samples},
                            {"left_out_files", e.left_out_files},
                            {"seconds", e.seconds},
                            {"jobs", e.jobs},
                            {"instructions", value_or_null(e.instructions)},
                            {"accuracy", e.right ? ratio_or_null(*e.right, e.samples) : Json()},
                            {"top5_accuracy", e.top5 ? ratio_or_null(*e.top5, e.samples) : Json()},
                            {"auc", value_or_null(e.auc)},
                            {"positive", e.positive.empty() ? Json() : Json(e.positive)},
                            {"mean_absolute_error", value_or_null(e.mean_absolute_error)},
                            {"root_mean_square_error", value_or_null(e.root_mean_square_error)},
                            {"classes", classes_json(e)},
                            {"confusion", e.confusion}});
}

std::optional<double> area_under_curve(std::vector<std::pair<double, bool>> scores) {
  for (auto& [score, positive] : scores)
    if (std::isnan(score)) score = -INFINITY;  // so that the order is one
  std::ranges::sort(scores);
  // By the ranks of positive samples, equal scores with the mean of theirs.
  double ranks = 0;
  int64_t positives = 0;
  for (size_t begin = 0, end = 0; begin < scores.size(); begin = end) {
    int64_t among = 0;
    for (; end < scores.size() && scores[end].first == scores[begin].first; ++end)
      among += scores[end].second ? 1 : 0;
    ranks += static_cast<double>(among) * static_cast<double>(begin + 1 + end) / 2;
    positives += among;
  }
  const int64_t negatives = std::ssize(scores) - positives;
  if (positives == 0 || negatives == 0) return std::nullopt;
  const auto p = static_cast<double>(positives), n = static_cast<double>(negatives);
  return (ranks - p * (p + 1) / 2) / (p * n);
}

}  // namespace thimble
