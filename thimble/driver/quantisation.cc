// SPDX-License-Identifier: Apache-2.0
#include "thimble/driver/quantisation.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <set>

#include "thimble/driver/inference_io.h"
#include "thimble/driver/labelled_set.h"
#include "thimble/driver/predictions.h"
#include "thimble/export/explicit_padding.h"
#include "thimble/model/error.h"
#include "thimble/quantise/equalise.h"
#include "thimble/quantise/scales.h"
#include "thimble/reference/interpreter.h"
#include "thimble/reference/real_values.h"
#include "thimble/search/parallel.h"

namespace thimble {
namespace {

using Inputs = std::vector<Bytes>;

/// So many samples are judged at most: values of every tensor are compared there.
constexpr int64_t kMostJudged = 200;
/// Another method than min and max is taken where it leaves no more of the noise (1 dB less).
constexpr double kWorthIt = 0.8;

void check_numbers(const Graph& graph, const Inputs& inputs, const std::string& file) {
  for (size_t p = 0; p < inputs.size(); ++p) {
    const Tensor& tensor = graph.tensor(graph.inputs[p].tensor);
    if (tensor.type == DType::kFloat32 && !range_of(dequantised(tensor, inputs[p])).is_finite())
      throw CompileError(file,
                         "has values that are no finite numbers, for which no integer stands");
  }
}

std::vector<Inputs> samples_in(const QuantisationRequest& request,
                               std::vector<std::string>& warnings) {
  std::vector<Inputs> samples;
  std::set<std::string> said;
  for (const std::string& file : sample_files(request.data)) {
    for (Sample& sample : request.reader.read(file)) {
      check_numbers(request.graph, sample.inputs, file);
      samples.push_back(std::move(sample.inputs));
      said.insert(sample.warnings.begin(), sample.warnings.end());
    }
  }
  if (samples.empty()) throw CompileError(request.data, "has no samples");
  warnings.insert(warnings.end(), said.begin(), said.end());
  std::vector<Inputs> result;
  for (const size_t k : chosen(samples.size(), request.limit))
    result.push_back(std::move(samples[k]));
  return result;
}

/// Calls work(k, worker) for all k with progress.
void counted(const QuantisationRequest& request, const char* what, size_t count,
             const std::function<void(size_t k, size_t worker)>& work) {
  std::atomic<size_t> done = 0;
  in_parallel(count, request.jobs, [&](size_t k, size_t worker) {
    work(k, worker);
    if (request.progress) request.progress(what, ++done, count);
  });
}

/// observe(k) of every sample, by include() in one.
template <class Observed, class Observe>
Observed observed(const QuantisationRequest& request, size_t samples, const Observe& observe) {
  std::vector<Observed> each(static_cast<size_t>(request.jobs));
  counted(request, "observing", samples,
          [&](size_t k, size_t worker) { include(each[worker], observe(k)); });
  Observed all;
  for (const Observed& some : each)
    if (!some.empty()) include(all, some);
  return all;
}

/// A way to quantise, and what came of it.
struct Attempt {
  std::string method;
  Graph real;  ///< the network, which computes what the original does
  Ranges ranges;
  Quantised made;
};

Attempt attempt(const QuantisationRequest& request, std::string method, Graph real,
                const std::vector<Inputs>& samples) {
  Attempt result{.method = std::move(method), .real = std::move(real), .ranges = {}, .made = {}};
  result.ranges = observed<Ranges>(
      request, samples.size(), [&](size_t k) { return observed_ranges(result.real, samples[k]); });
  result.made = quantised(result.real, result.ranges, request.options);
  result.made.graph = with_explicit_padding(std::move(result.made.graph));
  return result;
}

std::optional<Attempt> equalised_attempt(const QuantisationRequest& request,
                                         const std::vector<Inputs>& samples) {
  const std::vector<LayerPair> pairs = layer_pairs(request.graph);
  if (pairs.empty()) return std::nullopt;
  const auto peaks = observed<ChannelPeaks>(request, samples.size(), [&](size_t k) {
    return observed_peaks(request.graph, pairs, samples[k]);
  });
  return attempt(request, "channels equalised", equalised(request.graph, pairs, peaks), samples);
}

/// One sample through both networks.
struct Judged {
  std::vector<Noise> tensors;  ///< by TensorId of the original
  std::vector<Noise> outputs;
  std::optional<bool> agrees;
};

Bytes in_bytes_of(const Graph& from, const Port& a, const Graph& to, const Port& b,
                  const Bytes& bytes) {
  const Tensor& integers = to.tensor(b.tensor);
  if (integers.type == from.tensor(a.tensor).type) return bytes;
  Bytes result;
  for (const float value : dequantised(from.tensor(a.tensor), bytes))
    result.push_back(static_cast<uint8_t>(nearest_int8(value, integers.quantization)));
  return result;
}

std::optional<size_t> best_class(const Graph& graph, const TensorValues& values) {
  const std::vector<float> scores = class_scores(graph, caller_outputs(graph, values));
  if (scores.empty()) return std::nullopt;
  return static_cast<size_t>(std::ranges::max_element(scores) - scores.begin());
}

Judged judged(const Graph& real, const Quantised& made, const Inputs& inputs) {
  Inputs integers;
  for (size_t p = 0; p < inputs.size(); ++p)
    integers.push_back(
        in_bytes_of(real, real.inputs[p], made.graph, made.graph.inputs[p], inputs[p]));
  const TensorValues expected = interpret(real, inputs), got = interpret(made.graph, integers);
  const auto values = [](const Graph& graph, const TensorValues& all, TensorId t) {
    const Tensor& tensor = graph.tensor(t);
    return dequantised(tensor, tensor.is_constant() ? *tensor.data : all[t.index()]);
  };
  Judged result{.tensors = std::vector<Noise>(real.tensors.size()), .outputs = {}, .agrees = {}};
  for (size_t t = 0; t < real.tensors.size(); ++t) {
    const TensorId id{static_cast<int32_t>(t)};
    if (made.integers[t].valid())
      result.tensors[t].add(values(real, expected, id), values(made.graph, got, made.integers[t]));
  }
  for (size_t p = 0; p < real.outputs.size(); ++p) {
    Noise& noise = result.outputs.emplace_back();
    if (real.tensor(real.outputs[p].tensor).type != DType::kFloat32) continue;
    noise.add(values(real, expected, real.outputs[p].tensor),
              values(made.graph, got, made.graph.outputs[p].tensor));
  }
  if (const std::optional<size_t> best = best_class(real, expected))
    result.agrees = best_class(made.graph, got) == best;
  return result;
}

void add(Noise& all, const Noise& some) {
  all.signal += some.signal;
  all.noise += some.noise;
  all.largest = std::max(all.largest, some.largest);
}

void describe_tensors(const Graph& real, const Quantised& made, const Ranges& ranges,
                      const std::vector<Noise>& noise, QuantisationReport& report) {
  std::vector<TensorId> order;
  for (const Port& port : real.inputs) order.push_back(port.tensor);
  for (const Op& op : real.ops) order.insert(order.end(), op.outputs.begin(), op.outputs.end());
  for (const TensorId t : order) {
    const TensorId integers = made.integers[t.index()];
    if (!integers.valid()) continue;
    const Quantization& scale = made.graph.tensor(integers).quantization;
    report.tensors.push_back({real.tensor(t).name, ranges[t.index()], scale.scales[0],
                              scale.zero_points[0], noise[t.index()]});
  }
}

/// All samples judged.
struct Judgement {
  std::vector<Noise> tensors, outputs;  ///< as of Judged
  int64_t samples = 0;
  std::optional<int64_t> agreeing;
};

Judgement judgement_of(const QuantisationRequest& request, const Attempt& attempt,
                       const std::vector<Inputs>& samples) {
  const std::vector<size_t> which = chosen(samples.size(), kMostJudged);
  std::vector<Judged> each(which.size());
  counted(request, "comparing", which.size(), [&](size_t k, size_t) {
    each[k] = judged(attempt.real, attempt.made, samples[which[k]]);
  });
  Judgement result{.tensors = std::vector<Noise>(attempt.real.tensors.size()),
                   .outputs = std::vector<Noise>(attempt.real.outputs.size()),
                   .samples = std::ssize(each),
                   .agreeing = {}};
  for (const Judged& one : each) {
    for (size_t t = 0; t < result.tensors.size(); ++t) add(result.tensors[t], one.tensors[t]);
    for (size_t p = 0; p < result.outputs.size(); ++p) add(result.outputs[p], one.outputs[p]);
    if (one.agrees) result.agreeing = result.agreeing.value_or(0) + (*one.agrees ? 1 : 0);
  }
  return result;
}

/// The noise of all outputs together, each by its own signal.
double relative_noise(const Judgement& judgement) {
  double sum = 0;
  for (const Noise& noise : judgement.outputs)
    if (noise.signal > 0) sum += noise.noise / noise.signal;
  return sum;
}

MethodTried tried(const Attempt& attempt, const Judgement& judgement) {
  Noise all;
  for (const Noise& noise : judgement.outputs) add(all, noise);
  return {attempt.method, all, judgement.agreeing};
}

void warn_of_samples(const std::vector<Inputs>& samples, std::vector<std::string>& warnings) {
  if (samples.size() == 1) {
    warnings.emplace_back("all ranges are of one sample: others may lie beyond them");
  } else if (std::ranges::all_of(samples, [&](const auto& s) { return s == samples[0]; })) {
    warnings.emplace_back("all samples are the same: ranges are of one");
  }
}

}  // namespace

Quantisation quantisation_of(const QuantisationRequest& request) {
  Quantisation result;
  QuantisationReport& report = result.report;
  if (!request.graph.states.empty())
    throw CompileError(request.graph.name, "networks with state cannot be written as .tflite");
  const std::vector<Inputs> samples = samples_in(request, report.warnings);
  warn_of_samples(samples, report.warnings);
  Attempt best = attempt(request, "min and max", request.graph, samples);
  Judgement judgement = judgement_of(request, best, samples);
  report.methods.push_back(tried(best, judgement));
  if (std::optional<Attempt> other = equalised_attempt(request, samples)) {
    Judgement of_other = judgement_of(request, *other, samples);
    report.methods.push_back(tried(*other, of_other));
    if (relative_noise(of_other) < kWorthIt * relative_noise(judgement)) {
      best = std::move(*other);
      judgement = std::move(of_other);
    }
  }
  report.method = best.method;
  report.samples = std::ssize(samples);
  report.operators = std::ssize(request.graph.ops);
  report.left_in_float = best.made.left_in_float;
  report.judged = judgement.samples;
  report.agreeing = judgement.agreeing;
  report.outputs = judgement.outputs;
  describe_tensors(best.real, best.made, best.ranges, judgement.tensors, report);
  result.graph = std::move(best.made.graph);
  return result;
}

}  // namespace thimble
