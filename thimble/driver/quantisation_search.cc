// SPDX-License-Identifier: Apache-2.0
#include "thimble/driver/quantisation_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "thimble/driver/labelled_set.h"
#include "thimble/operators/operators.h"
#include "thimble/quantise/equalise.h"
#include "thimble/quantise/layer_values.h"
#include "thimble/quantise/rounding.h"
#include "thimble/reference/interpreter.h"
#include "thimble/reference/real_values.h"
#include "thimble/search/parallel.h"

namespace thimble {
namespace {

/// Another network or other ranges than the converter's are taken where they leave no more of the
/// noise (half a dB less).
constexpr double kWorthIt = 0.9;
/// What one group of tensors' own range is worth, and another rounding.
constexpr double kABit = 0.98;
/// By how much a range is narrowed at a time.
constexpr float kNarrower = 0.85F;
/// Multiply-accumulates that trials of one group after the other may take, and samples of each.
constexpr double kTrialMacs = 5e10;
constexpr int64_t kTrialSamples = 100;
/// What values of all inferences may take while layers are refined.
constexpr int64_t kMostRefinedBytes = int64_t{1} << 30;
/// Samples by which layers are refined to compare formats.
constexpr int64_t kQuickSamples = 32;
constexpr double kPercentileShare = 1e-4;

using thimble::include;
void include(ObservedValues& all, const ObservedValues& some) {
  include(all.ranges, some.ranges);
  include(all.histograms, some.histograms);
}

ObservedValues observed_values(const Graph& graph, const SampleInputs& inputs) {
  const TensorValues values = interpret(graph, inputs);
  ObservedValues result{Ranges(graph.tensors.size()), Histograms(graph.tensors.size())};
  for (size_t t = 0; t < values.size(); ++t) {
    const Tensor& tensor = graph.tensors[t];
    if (tensor.type != DType::kFloat32 || values[t].empty()) continue;
    const RealValues numbers = dequantised(tensor, values[t]);
    result.ranges[t] = range_of(numbers);
    if (result.ranges[t].is_finite()) result.histograms[t].add(numbers);
  }
  return result;
}

int64_t weights_of(const Graph& graph, const Op& op) {
  const bool weighted = std::holds_alternative<Conv2D>(op.attributes) ||
                        std::holds_alternative<FullyConnected>(op.attributes);
  if (!weighted || !graph.tensor(op.inputs[1]).is_constant()) return 0;
  return elements(graph.tensor(op.inputs[1]).shape);
}

/// By operator. Layers of 4 bits that hold less than a hundredth of the weights, as first ones do,
/// stay in int8: they would cost more than they save.
Formats formats_of(const QuantisationRequest& request) {
  const Graph& graph = request.graph;
  int64_t all = 0;
  for (const Op& op : graph.ops) all += weights_of(graph, op);
  Formats formats;
  for (const Op& op : graph.ops) {
    const bool small = request.format == Format::kInt4 && 100 * weights_of(graph, op) < all;
    const auto asked = request.formats.find(op.file_index);
    formats.push_back(asked != request.formats.end() ? asked->second
                      : small                        ? Format::kInt8
                                                     : request.format);
  }
  return formats;
}

std::vector<size_t> disputed_groups(const QuantisationAttempt& best,
                                    const std::vector<Ranges>& ways) {
  std::map<size_t, double> differences;
  for (size_t t = 0; t < best.ranges.size(); ++t) {
    const Range& seen = best.real->observed.ranges[t];
    if (!best.made.integers[t].valid() || !seen.is_finite() || seen.max <= seen.min) continue;
    double& most = differences[best.made.groups[t]];
    for (const Ranges& way : ways)
      most = std::max(most, 1 - (double{way[t].max} - way[t].min) / (double{seen.max} - seen.min));
  }
  std::vector<size_t> groups;
  for (const auto& [group, difference] : differences) groups.push_back(group);
  std::ranges::stable_sort(groups, std::ranges::greater{},
                           [&](size_t group) { return differences.at(group); });
  return groups;
}

/// Ranges of a group times a factor, within what was seen.
Ranges scaled(const QuantisationAttempt& attempt, size_t group, float factor) {
  Ranges ranges = attempt.ranges;
  for (size_t t = 0; t < ranges.size(); ++t) {
    const Range& seen = attempt.real->observed.ranges[t];
    if (attempt.made.groups[t] != group || !seen.is_finite()) continue;
    ranges[t] = {std::max(factor * ranges[t].min, seen.min),
                 std::min(factor * ranges[t].max, seen.max)};
  }
  return ranges;
}

}  // namespace

QuantisationSearch::QuantisationSearch(const QuantisationRequest& request,
                                       const CalibrationSamples& samples)
    : request_(request),
      samples_(samples.inputs),
      counted_(counted_by(request.jobs, request.progress)),
      judge_(request.graph, samples, request.class_names, counted_) {
  options_ = {.ports = request.ports,
              .dense_per_channel = request.dense_per_channel,
              .formats = formats_of(request)};
}

QuantisationAttempt QuantisationSearch::run() {
  const auto plain = std::make_shared<RealNetwork>(RealNetwork{request_.graph, {}});
  plain->observed = observed<ObservedValues>(
      [&](const SampleInputs& inputs) { return observed_values(plain->graph, inputs); });
  QuantisationAttempt best = attempt("min and max", plain, plain->observed.ranges);
  note(best);
  if (const auto network = equalised_network()) {
    take(best, attempt("channels equalised", network, network->observed.ranges), kWorthIt);
  }
  clip(best);
  round(best);
  return best;
}

QuantisationAttempt QuantisationSearch::in_formats(const QuantisationAttempt& best, Formats formats,
                                                   bool quick) {
  QuantisationAttempt result = best;
  QuantiseOptions options = options_;
  options.formats = std::move(formats);
  result.made = quantised(result.real->graph, result.ranges, options);
  if (request_.rounding != RoundingChoice::kNearest)
    refine(result, true, quick ? kQuickSamples : 0);
  finish(result, best.method, quick ? kTrialSamples : kMostJudged);
  return result;
}

/// observe() of every sample, by include() in one.
template <class Observed, class Observe>
Observed QuantisationSearch::observed(const Observe& observe) {
  std::vector<Observed> each(static_cast<size_t>(request_.jobs));
  counted_("observing", samples_.size(),
           [&](size_t k, size_t worker) { include(each[worker], observe(samples_[k])); });
  Observed all;
  for (const Observed& some : each)
    if (!some.empty()) include(all, some);
  return all;
}

QuantisationAttempt QuantisationSearch::attempt(std::string method,
                                                std::shared_ptr<const RealNetwork> real,
                                                Ranges ranges, int64_t samples) {
  QuantisationAttempt result{.method = std::move(method),
                             .real = std::move(real),
                             .ranges = std::move(ranges),
                             .made = {},
                             .noise = {}};
  result.made = quantised(result.real->graph, result.ranges, options_);
  result.noise = judge_.judge(result.made.graph, samples);
  return result;
}

void QuantisationSearch::note(const QuantisationAttempt& attempt) {
  tried_.push_back(
      {attempt.method, attempt.noise.relative, attempt.noise.agreeing, attempt.noise.right});
}

void QuantisationSearch::take(QuantisationAttempt& best, QuantisationAttempt other,
                              double worth_it) {
  note(other);
  if (other.noise.relative < worth_it * best.noise.relative) best = std::move(other);
}

std::shared_ptr<const RealNetwork> QuantisationSearch::equalised_network() {
  const std::vector<LayerPair> pairs = layer_pairs(request_.graph);
  if (pairs.empty()) return nullptr;
  const auto peaks = observed<ChannelPeaks>(
      [&](const SampleInputs& inputs) { return observed_peaks(request_.graph, pairs, inputs); });
  const auto network =
      std::make_shared<RealNetwork>(RealNetwork{equalised(request_.graph, pairs, peaks), {}});
  network->observed = observed<ObservedValues>(
      [&](const SampleInputs& inputs) { return observed_values(network->graph, inputs); });
  return network;
}

/// Ranges of which outliers are left out.
Ranges QuantisationSearch::clipped(const RealNetwork& real, RangeChoice choice) const {
  Ranges ranges = real.observed.ranges;
  in_parallel(ranges.size(), request_.jobs, [&](size_t t, size_t) {
    const Histogram& histogram = real.observed.histograms[t];
    if (histogram.empty()) return;
    ranges[t] = choice == RangeChoice::kLeastError
                    ? least_error_range(histogram, ranges[t])
                    : percentile_range(histogram, ranges[t], kPercentileShare);
  });
  return ranges;
}

void QuantisationSearch::clip(QuantisationAttempt& best) {
  if (request_.ranges == RangeChoice::kSeen) return;
  const std::string before = best.method == "min and max" ? "" : best.method + ", ";
  const std::shared_ptr<const RealNetwork> real = best.real;
  std::vector<Ranges> others;
  for (const auto& [choice, what] : {std::pair{RangeChoice::kLeastError, "ranges of least error"},
                                     std::pair{RangeChoice::kPercentile, "ranges of 99.98 %"}}) {
    if (request_.ranges != RangeChoice::kAuto && request_.ranges != choice) continue;
    others.push_back(clipped(*real, choice));
    const bool asked = request_.ranges == choice;
    // What was seen must be beaten by far, the one way of clipping by the other at all.
    const bool clips = best.ranges != real->observed.ranges;
    take(best, attempt(before + what, real, others.back()),
         asked   ? HUGE_VAL
         : clips ? 1
                 : kWorthIt);
  }
  if (request_.ranges == RangeChoice::kAuto) clip_groups(best, others);
}

/// Narrower or wider ranges for one group of tensors after the other, those first where ways to
/// clip differ most.
void QuantisationSearch::clip_groups(QuantisationAttempt& best, const std::vector<Ranges>& ways) {
  QuantisationAttempt now = attempt(best.method, best.real, best.ranges, kTrialSamples);
  const double before = now.noise.relative;
  const double each = static_cast<double>(std::max<int64_t>(macs(best.real->graph), 1)) *
                      static_cast<double>(now.noise.samples);
  auto left = static_cast<int64_t>(kTrialMacs / each);
  int64_t changed = 0;
  for (const size_t group : disputed_groups(best, ways)) {
    bool better = false;
    for (const float factor : {kNarrower, 1 / kNarrower}) {
      if (better) break;
      while (left-- > 0) {
        QuantisationAttempt other =
            attempt(best.method, best.real, scaled(now, group, factor), kTrialSamples);
        if (other.ranges == now.ranges || other.noise.relative >= kABit * now.noise.relative) break;
        now = std::move(other);
        better = true;
      }
    }
    changed += better ? 1 : 0;
  }
  if (now.noise.relative >= kWorthIt * before) return;
  take(best,
       attempt(fmt::format("{}, {} of them by trial", best.method, changed), best.real, now.ranges),
       kWorthIt);
}

void QuantisationSearch::round(QuantisationAttempt& best) {
  if (request_.rounding == RoundingChoice::kNearest) return;
  const bool asked = request_.rounding == RoundingChoice::kByError;
  QuantisationAttempt biased = best, rounded = best;
  refine(biased, false);
  finish(biased, best.method + ", biases corrected");
  refine(rounded, true);
  finish(rounded, best.method + ", weights rounded by error");
  take(best, std::move(biased), kABit);
  take(best, std::move(rounded), asked ? HUGE_VAL : kABit);
}

void QuantisationSearch::refine(QuantisationAttempt& attempt, bool rounds, int64_t most_samples) {
  const Graph &made = attempt.made.graph, &real = attempt.real->graph;
  const int64_t each = LayerValues::peak_bytes(made) + LayerValues::peak_bytes(real);
  int64_t most = std::max<int64_t>(kMostRefinedBytes / std::max<int64_t>(each, 1), 1);
  if (most_samples > 0) most = std::min(most, most_samples);
  std::vector<SampleInputs> real_inputs, made_inputs;
  for (const size_t k : chosen(samples_.size(), most)) {
    real_inputs.push_back(samples_[k]);
    made_inputs.push_back(inputs_for(made, real, samples_[k]));
  }
  refine_layers(attempt.made, real, made_inputs, real_inputs,
                {.rounds = rounds, .jobs = request_.jobs, .progress = [&](size_t done, size_t of) {
                   if (request_.progress) request_.progress("refining layers", done, of);
                 }});
}

void QuantisationSearch::finish(QuantisationAttempt& attempt, std::string method, int64_t samples) {
  attempt.method = std::move(method);
  const Graph& graph = attempt.made.graph;
  // Larger weights may make sums that kernels do not take.
  const bool taken = std::ranges::all_of(
      graph.ops, [&](const Op& op) { return unsupported_reason(graph, op).empty(); });
  attempt.noise = taken ? judge_.judge(graph, samples) : OutputNoise{{}, HUGE_VAL, 0, {}, {}};
}

}  // namespace thimble
