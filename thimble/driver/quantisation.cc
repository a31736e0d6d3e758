// SPDX-License-Identifier: Apache-2.0
#include "thimble/driver/quantisation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>

#include "thimble/driver/calibration_samples.h"
#include "thimble/driver/layer_sensitivity.h"
#include "thimble/driver/mixed_formats.h"
#include "thimble/driver/quantisation_search.h"
#include "thimble/driver/reports.h"
#include "thimble/export/explicit_padding.h"
#include "thimble/model/error.h"

namespace thimble {
namespace {

void describe_tensors(const QuantisationAttempt& attempt, const std::vector<Noise>& noise,
                      QuantisationReport& report) {
  const Graph& real = attempt.real->graph;
  std::vector<TensorId> order;
  for (const Port& port : real.inputs) order.push_back(port.tensor);
  for (const Op& op : real.ops) order.insert(order.end(), op.outputs.begin(), op.outputs.end());
  for (const TensorId t : order) {
    const TensorId integers = attempt.made.integers[t.index()];
    if (!integers.valid()) continue;
    const Tensor& tensor = attempt.made.graph.tensor(integers);
    report.tensors.push_back({real.tensor(t).name, attempt.real->observed.ranges[t.index()],
                              attempt.ranges[t.index()], name(tensor.type),
                              tensor.quantization.scales[0], tensor.quantization.zero_points[0],
                              noise[t.index()]});
  }
}

void warn_of_one_class(const std::vector<size_t>& classes, std::vector<std::string>& warnings) {
  constexpr size_t kEnough = 16;
  if (classes.size() < kEnough ||
      std::ranges::any_of(classes, [&](size_t c) { return c != classes[0]; }))
    return;
  warnings.push_back(
      fmt::format("the float network gives all {} samples class {}: are --scale, "
                  "--mean and --std those of its training?",
                  classes.size(), classes[0]));
}

void check_formats(const QuantisationRequest& request) {
  for (const auto& [number, format] : request.formats) {
    const auto is_it = [&, n = number](const Op& op) { return op.file_index == n; };
    if (std::ranges::none_of(request.graph.ops, is_it))
      throw CompileError("--layer", fmt::format("the network has no operator #{}", number));
  }
}

bool is_budgeted(const FormatBudget& budget) {
  return budget.front || budget.accuracy_drop || budget.weight_bytes || budget.plan != nullptr;
}

/// Formats beside one another, and which of them the budget takes.
class FormatChoice {
 public:
  FormatChoice(const QuantisationRequest& request, QuantisationSearch& search,
               const QuantisationAttempt& best)
      : request_(request), search_(search), best_(best) {}

  /// The chosen one; its rows in the report. Throws CompileError where the budget leaves none.
  QuantisationAttempt run(QuantisationReport& report) {
    const PointMaker make = [&](Formats formats, bool quick) {
      FormatPoint made = point(search_.in_formats(best_, formats, quick));
      made.formats = std::move(formats);
      return made;
    };
    FormatPoint given = point(best_);
    given.formats = search_.options().formats;
    std::vector<bool> free;
    for (const Op& op : request_.graph.ops)
      free.push_back(!request_.formats.contains(op.file_index));
    points_ = narrower_points(best_.real->graph, std::move(given), free,
                              request_.budget.weight_bytes, make);
    if (request_.budget.accuracy_drop && drop(points_[0]) > *request_.budget.accuracy_drop)
      widen(make, free);
    for (const FormatPoint& point : points_) report.formats.push_back(row(point));
    const size_t taken = chosen_point(report.formats);
    report.formats[taken].taken = true;
    QuantisationAttempt result = best_;
    result.made = std::move(points_[taken].made);
    result.noise = std::move(points_[taken].noise);
    return result;
  }

 private:
  FormatPoint point(const QuantisationAttempt& attempt) const {
    return {.formats = {},
            .made = attempt.made,
            .noise = attempt.noise,
            .weight_bytes = constant_bytes(attempt.made)};
  }

  void widen(const PointMaker& make, const std::vector<bool>& free) {
    const Formats& given = search_.options().formats;
    std::vector<double> noise(given.size());
    for (const QuantisedLayer& layer :
         layer_sensitivities(best_.real->graph, best_.ranges, search_.options(), search_.judge()))
      if (free[layer.op.index()] && given[layer.op.index()] == Format::kInt8)
        noise[layer.op.index()] = layer.noise;
    for (FormatPoint& point : wider_points(given, noise, make)) {
      points_.push_back(std::move(point));
      if (drop(points_.back()) <= *request_.budget.accuracy_drop) break;
    }
  }

  /// In percent of the samples: of those that are right by their labels, or without labels of those
  /// that the float network and this one call the same.
  double drop(const FormatPoint& point) const {
    const auto samples = static_cast<double>(std::max<int64_t>(point.noise.samples, 1));
    const std::optional<int64_t> right = search_.judge().right(kMostJudged);
    if (right && point.noise.right)
      return 100 * static_cast<double>(*right - *point.noise.right) / samples;
    if (point.noise.agreeing)
      return 100 - 100 * static_cast<double>(*point.noise.agreeing) / samples;
    throw CompileError("--accuracy-drop", "the network scores no classes");
  }

  FormatRow row(const FormatPoint& point) const {
    FormatRow row{.formats = described(point),
                  .weight_bytes = point.weight_bytes,
                  .noise = point.noise.relative,
                  .samples = point.noise.samples,
                  .agreeing = point.noise.agreeing,
                  .right = point.noise.right};
    const FormatBudget& budget = request_.budget;
    row.allowed = !budget.weight_bytes || row.weight_bytes <= *budget.weight_bytes;
    if (budget.accuracy_drop) row.allowed &= drop(point) <= *budget.accuracy_drop;
    if (budget.plan == nullptr) return row;
    Request asked = *budget.plan;
    asked.model = source_of(with_explicit_padding(point.made.graph));
    const Answer answer = compile(asked);
    const auto* planned = std::get_if<Compiled>(&answer);
    row.allowed &= planned != nullptr && planned->fits();
    if (planned == nullptr) return row;
    row.sram_bytes = planned->verdict.sram_bytes();
    row.flash_bytes = planned->verdict.flash_bytes();
    if (const auto estimate = counted_estimate(*planned))
      row.instructions = static_cast<int64_t>(estimate->estimate.instructions);
    return row;
  }

  /// "int4: CONV_2D #1, CONV_2D #2".
  std::string described(const FormatPoint& point) const {
    std::map<Format, std::vector<std::string>> others;
    const Formats& given = search_.options().formats;
    for (size_t o = 0; o < given.size(); ++o)
      if (point.formats.size() == given.size() && point.formats[o] != given[o])
        others[point.formats[o]].push_back(label(request_.graph.ops[o]));
    std::string text;
    for (const auto& [format, labels] : others)
      text +=
          fmt::format("{}{}: {}", text.empty() ? "" : "; ", name(format), fmt::join(labels, ", "));
    return text.empty() ? std::string(name(request_.format)) : text;
  }

  /// Of those that the budget allows: with a limit on the drop the smallest weights, else the least
  /// noise.
  size_t chosen_point(const std::vector<FormatRow>& rows) const {
    std::optional<size_t> best;
    const bool smallest = request_.budget.accuracy_drop.has_value();
    for (size_t k = 0; k < rows.size(); ++k) {
      if (!rows[k].allowed) continue;
      const auto better = [&](const FormatRow& a, const FormatRow& b) {
        return smallest ? a.weight_bytes < b.weight_bytes : a.noise < b.noise;
      };
      if (!best || better(rows[k], rows[*best])) best = k;
    }
    if (best) return *best;
    const auto& least = *std::ranges::min_element(rows, {}, &FormatRow::weight_bytes);
    throw CompileError(request_.graph.name,
                       fmt::format("no formats of its layers meet the budget: the smallest weights "
                                   "have {} bytes ({}); --front shows all without choosing",
                                   least.weight_bytes, least.formats));
  }

  const QuantisationRequest& request_;
  QuantisationSearch& search_;
  const QuantisationAttempt& best_;
  std::vector<FormatPoint> points_;
};

}  // namespace

Quantisation quantisation_of(const QuantisationRequest& request) {
  Quantisation result;
  QuantisationReport& report = result.report;
  if (!request.graph.states.empty())
    throw CompileError(request.graph.name, "networks with state cannot be written as .tflite");
  check_formats(request);
  CalibrationSamples samples =
      calibration_samples(request.graph, request.reader, request.data, request.limit);
  report.warnings = std::move(samples.warnings);
  QuantisationSearch search(request, samples);
  warn_of_one_class(search.judge().classes(), report.warnings);
  QuantisationAttempt best = search.run();
  report.methods = search.tried();
  report.method = best.method;
  if (is_budgeted(request.budget)) best = FormatChoice(request, search, best).run(report);
  report.samples = std::ssize(samples.inputs);
  report.operators = std::ssize(request.graph.ops);
  report.left_in_float = best.made.left_in_float;
  report.judged = best.noise.samples;
  report.agreeing = best.noise.agreeing;
  report.outputs = best.noise.ports;
  report.noise = best.noise.relative;
  report.right = best.noise.right;
  report.right_in_float = search.judge().right(kMostJudged);
  describe_tensors(best,
                   tensor_noise(best.real->graph, best.made.graph, best.made.integers,
                                samples.inputs, search.counted()),
                   report);
  report.layers =
      layer_sensitivities(best.real->graph, best.ranges, search.options(), search.judge());
  for (const MadeLayer& layer : best.made.layers)
    if (layer.format == Format::kInt4)
      result.four_bits.push_back(best.made.graph.op(layer.made).inputs[1]);
  result.graph = with_explicit_padding(std::move(best.made.graph));
  return result;
}

}  // namespace thimble
