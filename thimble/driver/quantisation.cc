// SPDX-License-Identifier: Apache-2.0
#include "thimble/driver/quantisation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>

#include "thimble/driver/calibration_samples.h"
#include "thimble/driver/labelled_set.h"
#include "thimble/driver/layer_sensitivity.h"
#include "thimble/driver/quantisation_judge.h"
#include "thimble/export/explicit_padding.h"
#include "thimble/model/error.h"
#include "thimble/operators/operators.h"
#include "thimble/quantise/equalise.h"
#include "thimble/quantise/histogram.h"
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
constexpr double kPercentileShare = 1e-4;

struct ObservedValues {
  Ranges ranges;
  Histograms histograms;

  [[nodiscard]] bool empty() const { return ranges.empty(); }
};

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

/// A network that computes what the original does, and what its tensors take.
struct RealNetwork {
  Graph graph;
  ObservedValues observed;
};

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

/// A way to quantise, and what came of it.
struct Attempt {
  std::string method;
  std::shared_ptr<const RealNetwork> real;
  Ranges ranges;
  Quantised made;
  OutputNoise noise;
};

class QuantisationSearch {
 public:
  QuantisationSearch(const QuantisationRequest& request, const CalibrationSamples& samples)
      : request_(request),
        samples_(samples.inputs),
        counted_(counted_by(request.jobs, request.progress)),
        judge_(request.graph, samples, request.class_names, counted_) {
    options_ = {.ports = request.ports,
                .dense_per_channel = request.dense_per_channel,
                .formats = formats_of(request)};
  }

  Attempt run() {
    const auto plain = std::make_shared<RealNetwork>(request_.graph, ObservedValues{});
    plain->observed = observed<ObservedValues>(
        [&](const SampleInputs& inputs) { return observed_values(plain->graph, inputs); });
    Attempt best = attempt("min and max", plain, plain->observed.ranges);
    note(best);
    if (const auto network = equalised_network()) {
      take(best, attempt("channels equalised", network, network->observed.ranges), kWorthIt);
    }
    clip(best);
    round(best);
    return best;
  }

  [[nodiscard]] const std::vector<MethodTried>& tried() const { return tried_; }
  [[nodiscard]] const QuantisationJudge& judge() const { return judge_; }
  [[nodiscard]] const QuantiseOptions& options() const { return options_; }
  [[nodiscard]] const Counted& counted() const { return counted_; }

 private:
  /// observe() of every sample, by include() in one.
  template <class Observed, class Observe>
  Observed observed(const Observe& observe) {
    std::vector<Observed> each(static_cast<size_t>(request_.jobs));
    counted_("observing", samples_.size(),
             [&](size_t k, size_t worker) { include(each[worker], observe(samples_[k])); });
    Observed all;
    for (const Observed& some : each)
      if (!some.empty()) include(all, some);
    return all;
  }

  Attempt attempt(std::string method, std::shared_ptr<const RealNetwork> real, Ranges ranges,
                  int64_t samples = kMostJudged) {
    Attempt result{.method = std::move(method),
                   .real = std::move(real),
                   .ranges = std::move(ranges),
                   .made = {},
                   .noise = {}};
    result.made = quantised(result.real->graph, result.ranges, options_);
    result.noise = judge_.judge(result.made.graph, samples);
    return result;
  }

  void note(const Attempt& attempt) {
    tried_.push_back(
        {attempt.method, attempt.noise.relative, attempt.noise.agreeing, attempt.noise.right});
  }

  void take(Attempt& best, Attempt other, double worth_it) {
    note(other);
    if (other.noise.relative < worth_it * best.noise.relative) best = std::move(other);
  }

  std::shared_ptr<const RealNetwork> equalised_network() {
    const std::vector<LayerPair> pairs = layer_pairs(request_.graph);
    if (pairs.empty()) return nullptr;
    const auto peaks = observed<ChannelPeaks>(
        [&](const SampleInputs& inputs) { return observed_peaks(request_.graph, pairs, inputs); });
    const auto network =
        std::make_shared<RealNetwork>(equalised(request_.graph, pairs, peaks), ObservedValues{});
    network->observed = observed<ObservedValues>(
        [&](const SampleInputs& inputs) { return observed_values(network->graph, inputs); });
    return network;
  }

  /// Ranges of which outliers are left out.
  Ranges clipped(const RealNetwork& real, RangeChoice choice) const {
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

  void clip(Attempt& best) {
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
  void clip_groups(Attempt& best, const std::vector<Ranges>& ways) {
    Attempt now = attempt(best.method, best.real, best.ranges, kTrialSamples);
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
          Attempt other =
              attempt(best.method, best.real, scaled(now, group, factor), kTrialSamples);
          if (other.ranges == now.ranges || other.noise.relative >= kABit * now.noise.relative)
            break;
          now = std::move(other);
          better = true;
        }
      }
      changed += better ? 1 : 0;
    }
    if (now.noise.relative >= kWorthIt * before) return;
    take(best,
         attempt(fmt::format("{}, {} of them by trial", best.method, changed), best.real,
                 now.ranges),
         kWorthIt);
  }

  static std::vector<size_t> disputed_groups(const Attempt& best, const std::vector<Ranges>& ways) {
    std::map<size_t, double> differences;
    for (size_t t = 0; t < best.ranges.size(); ++t) {
      const Range& seen = best.real->observed.ranges[t];
      if (!best.made.integers[t].valid() || !seen.is_finite() || seen.max <= seen.min) continue;
      double& most = differences[best.made.groups[t]];
      for (const Ranges& way : ways)
        most =
            std::max(most, 1 - (double{way[t].max} - way[t].min) / (double{seen.max} - seen.min));
    }
    std::vector<size_t> groups;
    for (const auto& [group, difference] : differences) groups.push_back(group);
    std::ranges::stable_sort(groups, std::ranges::greater{},
                             [&](size_t group) { return differences.at(group); });
    return groups;
  }

  /// Ranges of a group times a factor, within what was seen.
  static Ranges scaled(const Attempt& attempt, size_t group, float factor) {
    Ranges ranges = attempt.ranges;
    for (size_t t = 0; t < ranges.size(); ++t) {
      const Range& seen = attempt.real->observed.ranges[t];
      if (attempt.made.groups[t] != group || !seen.is_finite()) continue;
      ranges[t] = {std::max(factor * ranges[t].min, seen.min),
                   std::min(factor * ranges[t].max, seen.max)};
    }
    return ranges;
  }

  void round(Attempt& best) {
    if (request_.rounding == RoundingChoice::kNearest) return;
    const bool asked = request_.rounding == RoundingChoice::kByError;
    Attempt biased = best, rounded = best;
    refine(biased, false);
    finish(biased, best.method + ", biases corrected");
    refine(rounded, true);
    finish(rounded, best.method + ", weights rounded by error");
    take(best, std::move(biased), kABit);
    take(best, std::move(rounded), asked ? HUGE_VAL : kABit);
  }

  void refine(Attempt& attempt, bool rounds) {
    const Graph &made = attempt.made.graph, &real = attempt.real->graph;
    const int64_t each = LayerValues::peak_bytes(made) + LayerValues::peak_bytes(real);
    const int64_t most = std::max<int64_t>(kMostRefinedBytes / std::max<int64_t>(each, 1), 1);
    std::vector<SampleInputs> real_inputs, made_inputs;
    for (const size_t k : chosen(samples_.size(), most)) {
      real_inputs.push_back(samples_[k]);
      made_inputs.push_back(inputs_for(made, real, samples_[k]));
    }
    refine_layers(
        attempt.made, real, made_inputs, real_inputs,
        {.rounds = rounds, .jobs = request_.jobs, .progress = [&](size_t done, size_t of) {
           if (request_.progress) request_.progress("refining layers", done, of);
         }});
  }

  void finish(Attempt& attempt, std::string method) {
    attempt.method = std::move(method);
    const Graph& graph = attempt.made.graph;
    // Larger weights may make sums that kernels do not take.
    const bool taken = std::ranges::all_of(
        graph.ops, [&](const Op& op) { return unsupported_reason(graph, op).empty(); });
    attempt.noise = taken ? judge_.judge(graph, kMostJudged) : OutputNoise{{}, HUGE_VAL, 0, {}, {}};
  }

  const QuantisationRequest& request_;
  const std::vector<SampleInputs>& samples_;
  Counted counted_;
  QuantisationJudge judge_;
  QuantiseOptions options_;
  std::vector<MethodTried> tried_;
};

void describe_tensors(const Attempt& attempt, const std::vector<Noise>& noise,
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
  Attempt best = search.run();
  report.methods = search.tried();
  report.method = best.method;
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
