// SPDX-License-Identifier: Apache-2.0
// Published beside measured: text, Markdown, CSV, JSON.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "thimble/report/json_text.h"
#include "thimble/report/paper.h"
#include "thimble/report/table.h"
#include "thimble/target/size.h"

namespace thimble {
namespace {

using Json = nlohmann::ordered_json;
using Results = std::vector<ReproducedFigure>;

std::optional<double> difference_percent(const Paper& paper, const PublishedFigure& figure,
                                         const ReproducedFigure& result) {
  const std::optional<double> published = paper.base_value(figure);
  if (!result.measured || published.value_or(0) == 0) return std::nullopt;
  return 100 * (*result.measured - *published) / *published;
}

std::string published_text(const PublishedFigure& figure) {
  if (!figure.value) return "drawn";
  return fmt::format("{}{} {}", figure.relation == PaperRelation::kAtMost ? "<= " : "",
                     *figure.value, figure.unit);
}

std::string measured_text(const PublishedFigure& figure, const ReproducedFigure& result) {
  if (!result.measured) return "-";
  switch (figure.metric) {
    case Metric::kExtraMacsPercent:
    case Metric::kTflmSavedPercent:
    case Metric::kLatencyPercent:
    case Metric::kThroughputLossPercent:
      return fmt::format("{:.1f} %", *result.measured);
    case Metric::kLatency:
      return fmt::format("{:.1f} ms", 1e3 * *result.measured);
    case Metric::kIoSeconds:
      return fmt::format("{:.1f} s", *result.measured);
    case Metric::kCardYears:
      return fmt::format("{:.1f} years", *result.measured);
    case Metric::kMacs:
    case Metric::kIoTasks:
      return with_separators(std::llround(*result.measured));
    default:
      return with_separators(std::llround(*result.measured)) + " B";
  }
}

std::string difference_text(const Paper& paper, const PublishedFigure& figure,
                            const ReproducedFigure& result) {
  const std::optional<double> percent = difference_percent(paper, figure, result);
  if (!percent) return "-";
  return *percent == 0 ? "0 %" : fmt::format("{:+.2f} %", *percent);
}

// Notes under the table, each once; the numbers that a row refers to.
struct Notes {
  std::vector<std::string> texts;

  std::string number(const std::string& text) {
    if (text.empty()) return "";
    auto it = std::find(texts.begin(), texts.end(), text);
    if (it == texts.end()) it = texts.insert(texts.end(), text);
    return fmt::format("[{}]", it - texts.begin() + 1);
  }
};

std::string note_of(const PublishedFigure& figure, const ReproducedFigure& result) {
  if (result.measured) return figure.cause;
  const std::string why = "not measured: " + result.not_measured;
  return figure.cause.empty() ? why : why + "; " + figure.cause;
}

std::string planner_text(const PublishedFigure& figure) {
  return figure.planner + (figure.in_place ? "" : " --no-in-place") +
         (figure.rewrite ? "" : " --no-rewrite") +
         (figure.layout == "exact" ? "" : " --layout " + figure.layout);
}

Table table_of(const Paper& paper, const Results& results, Notes& notes) {
  Table table;
  table.groups.push_back({"",
                          {{"source", false},
                           {"figure", false},
                           {"published"},
                           {"measured"},
                           {"difference"},
                           {"note", false},
                           {"metric", false},
                           {"accounting", false},
                           {"planner", false},
                           {"device", false},
                           {"model", false}}});
  for (size_t k = 0; k < results.size(); ++k) {
    const PublishedFigure& figure = paper.figures[k];
    const std::string metric = figure.step
                                   ? fmt::format("{} at step {}", name(figure.metric), *figure.step)
                                   : name(figure.metric);
    table.rows.push_back(
        {figure.source, figure.what, published_text(figure), measured_text(figure, results[k]),
         difference_text(paper, figure, results[k]), notes.number(note_of(figure, results[k])),
         metric, figure.accounting, planner_text(figure), figure.device, figure.model});
  }
  return table;
}

std::string notes_text(const Paper& paper, const Notes& notes, const char* bullet) {
  std::string text;
  for (const auto& [key, meaning] : paper.accountings)
    text += fmt::format("{}accounting {}: {}\n", bullet, key, meaning);
  for (const auto& [key, device] : paper.devices)
    text += fmt::format("{}device {} (simulated): {}\n", bullet, key, device.says);
  for (size_t k = 0; k < notes.texts.size(); ++k)
    text += fmt::format("{}[{}] {}\n", bullet, k + 1, notes.texts[k]);
  if (!paper.left_out.empty()) text += fmt::format("{}not listed: {}\n", bullet, paper.left_out);
  return text;
}

Json figure_json(const Paper& paper, const PublishedFigure& figure,
                 const ReproducedFigure& result) {
  const std::optional<double> percent = difference_percent(paper, figure, result),
                              published = paper.base_value(figure);
  const auto text = [](const std::string& value) { return value.empty() ? Json() : Json(value); };
  return {{"source", figure.source},
          {"figure", figure.what},
          {"model", figure.model},
          {"planner", figure.planner},
          {"in_place", figure.in_place},
          {"rewrite", figure.rewrite},
          {"layout", figure.layout},
          {"metric", name(figure.metric)},
          {"step", figure.step ? Json(*figure.step) : Json()},
          {"accounting", figure.accounting},
          {"device", text(figure.device)},
          {"published", published ? Json(*published) : Json()},
          {"published_as", published_text(figure)},
          {"measured", result.measured ? Json(*result.measured) : Json()},
          {"difference_percent", percent ? Json(*percent) : Json()},
          {"not_measured", text(result.not_measured)},
          {"cause", text(figure.cause)}};
}

}  // namespace

std::string paper_text(const Paper& paper, const Results& results) {
  Notes notes;
  const Table table = table_of(paper, results, notes);
  return fmt::format("{}\n{}\n\n{}\n{}", paper.title, paper.citation, aligned_text(table, 0),
                     notes_text(paper, notes, ""));
}

std::string paper_markdown(const Paper& paper, const Results& results) {
  Notes notes;
  const Table table = table_of(paper, results, notes);
  return fmt::format("## {}\n\n{}\n\n{}\n{}", paper.title, paper.citation, markdown(table),
                     notes_text(paper, notes, "- "));
}

std::string paper_csv(const Paper& paper, const Results& results) {
  std::string text;
  for (size_t k = 0; k < results.size(); ++k) {
    std::vector<std::string> keys = {"paper"}, values = {paper.name};
    const Json json = figure_json(paper, paper.figures[k], results[k]);
    for (const auto& [key, value] : json.items()) {
      keys.push_back(key);
      values.push_back(csv_field(value));
    }
    if (k == 0) text += csv_line(keys);
    text += csv_line(values);
  }
  return text;
}

std::string paper_json(const Paper& paper, const Results& results) {
  Json figures = Json::array();
  for (size_t k = 0; k < results.size(); ++k)
    figures.push_back(figure_json(paper, paper.figures[k], results[k]));
  const Json json = {{"paper", paper.name},
                     {"title", paper.title},
                     {"citation", paper.citation},
                     {"accountings", paper.accountings},
                     {"figures", figures}};
  return json_text("paper", json);
}

}  // namespace thimble
