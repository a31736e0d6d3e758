// SPDX-License-Identifier: Apache-2.0
#include "thimble/driver/quantisation_judge.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <set>

#include "thimble/driver/class_labels.h"
#include "thimble/driver/class_numbers.h"
#include "thimble/driver/inference_io.h"
#include "thimble/driver/labelled_set.h"
#include "thimble/driver/predictions.h"
#include "thimble/model/error.h"
#include "thimble/quantise/scales.h"
#include "thimble/reference/interpreter.h"
#include "thimble/search/parallel.h"

namespace thimble {
namespace {

std::optional<size_t> best_class(const Graph& graph, const TensorValues& values) {
  const std::vector<float> scores = class_scores(graph, caller_outputs(graph, values));
  if (scores.empty()) return std::nullopt;
  return static_cast<size_t>(std::ranges::max_element(scores) - scores.begin());
}

/// The classes that labels name; empty: they name none of the network's.
std::vector<size_t> true_classes(const Graph& graph, const std::vector<std::string>& labels,
                                 const std::vector<std::string>& names) {
  const Port* scores = class_output(graph);
  if (labels.empty() || scores == nullptr) return {};
  const std::set<std::string> sorted(labels.begin(), labels.end());
  std::vector<size_t> result;
  try {
    const ClassNumbers classes =
        class_numbers({sorted.begin(), sorted.end()}, names,
                      static_cast<size_t>(class_count(graph, *scores)), "");
    for (const std::string& label : labels) result.push_back(classes.numbers.at(label));
  } catch (const CompileError&) {
    return {};  // folders that are named after something else
  }
  return result;
}

/// What an output's SOFTMAX or LOGISTIC reads; the output itself if it ends in none.
struct Scores {
  TensorId tensor;
  bool shared = false;  ///< what is added to all of a row changes nothing: SOFTMAX
};

Scores scores_of(const Graph& graph, TensorId output) {
  const std::vector<OpId> producer = producers(graph);
  for (TensorId t = output; producer[t.index()].valid();) {
    const Op& op = graph.op(producer[t.index()]);
    const Attributes& a = op.attributes;
    t = op.inputs[0];
    if (std::holds_alternative<Softmax>(a)) return {t, true};
    if (std::holds_alternative<Logistic>(a)) return {t, false};
    if (!std::holds_alternative<Quantize>(a) && !std::holds_alternative<Dequantize>(a) &&
        !std::holds_alternative<Reshape>(a))
      break;
  }
  return {output, false};
}

std::vector<float> score_numbers(const Graph& graph, const TensorValues& values, TensorId output) {
  const Scores scores = scores_of(graph, output);
  std::vector<float> numbers = numbers_of(graph, values, scores.tensor);
  const Shape& shape = graph.tensor(scores.tensor).shape;
  if (!scores.shared || shape.empty()) return numbers;
  const auto row = static_cast<size_t>(shape.back());
  for (size_t begin = 0; begin + row <= numbers.size(); begin += row) {
    double mean = 0;
    for (size_t k = 0; k < row; ++k) mean += numbers[begin + k];
    mean /= static_cast<double>(row);
    for (size_t k = 0; k < row; ++k) numbers[begin + k] -= static_cast<float>(mean);
  }
  return numbers;
}

/// The mean over samples, by port, of noise for signal; a tenth of the mean signal is in all, so
/// that no sample of next to none decides.
double mean_relative(const std::vector<std::vector<Noise>>& each, size_t ports) {
  double sum = 0;
  for (size_t p = 0; p < ports; ++p) {
    double signal = 0;
    for (const auto& sample : each) signal += sample[p].signal;
    if (signal == 0) continue;
    const double least = 0.1 * signal / static_cast<double>(each.size());
    for (const auto& sample : each)
      sum += sample[p].noise / (sample[p].signal + least) / static_cast<double>(each.size());
  }
  return sum;
}

}  // namespace

SampleInputs inputs_for(const Graph& made, const Graph& real, const SampleInputs& inputs) {
  SampleInputs result;
  for (size_t p = 0; p < inputs.size(); ++p) {
    const Tensor &from = real.tensor(real.inputs[p].tensor),
                 &to = made.tensor(made.inputs[p].tensor);
    result.push_back(from.type == to.type
                         ? inputs[p]
                         : as_integers(dequantised(from, inputs[p]), to.type, to.quantization));
  }
  return result;
}

std::vector<float> numbers_of(const Graph& graph, const TensorValues& values, TensorId t) {
  const Tensor& tensor = graph.tensor(t);
  return dequantised(tensor, tensor.is_constant() ? *tensor.data : values[t.index()]);
}

QuantisationJudge::QuantisationJudge(const Graph& real, const CalibrationSamples& samples,
                                     const std::vector<std::string>& names, const Counted& counted)
    : real_(real),
      samples_(samples.inputs),
      counted_(counted),
      expected_(samples_.size()),
      seen_(real.tensors.size()),
      truths_(true_classes(real, samples.labels, names)) {
  std::vector<std::optional<size_t>> classes(samples_.size());
  std::mutex seen_mutex;
  counted("computing in float32", samples_.size(), [&](size_t k, size_t) {
    const TensorValues values = interpret(real, samples_[k]);
    for (const Port& port : real.outputs) {
      const bool is_real = real.tensor(port.tensor).type == DType::kFloat32;
      const auto numbers = [&](TensorId t) {
        return is_real ? numbers_of(real, values, t) : std::vector<float>{};
      };
      expected_[k].outputs.push_back(numbers(port.tensor));
      expected_[k].scores.push_back(is_real ? score_numbers(real, values, port.tensor)
                                            : std::vector<float>{});
    }
    classes[k] = best_class(real, values);
    const Ranges ranges = ranges_of_values(real, values);
    const std::lock_guard lock(seen_mutex);
    include(seen_, ranges);
  });
  for (const std::optional<size_t>& best : classes)
    if (best) classes_.push_back(*best);
  if (classes_.size() != samples_.size()) classes_.clear();
}

std::optional<int64_t> QuantisationJudge::right(int64_t most) const {
  if (truths_.empty() || classes_.empty()) return std::nullopt;
  int64_t count = 0;
  for (const size_t k : chosen(samples_.size(), most)) count += classes_[k] == truths_[k] ? 1 : 0;
  return count;
}

OutputNoise QuantisationJudge::judge(const Graph& made, int64_t most) const {
  const std::vector<size_t> which = chosen(samples_.size(), most);
  const size_t ports = real_.outputs.size();
  std::vector<std::vector<Noise>> outputs(which.size()), scores(which.size());
  std::vector<std::optional<size_t>> classes(which.size());
  counted_("comparing", which.size(), [&](size_t n, size_t) {
    const size_t k = which[n];
    const TensorValues values = interpret(made, inputs_for(made, real_, samples_[k]));
    for (size_t p = 0; p < ports; ++p) {
      Noise &output = outputs[n].emplace_back(), &score = scores[n].emplace_back();
      const Expected& expected = expected_[k];
      if (expected.outputs[p].empty()) continue;
      const TensorId t = made.outputs[p].tensor;
      output.add(expected.outputs[p], numbers_of(made, values, t));
      score.add(expected.scores[p], score_numbers(made, values, t));
    }
    if (!classes_.empty()) classes[n] = best_class(made, values);
  });
  OutputNoise result{.ports = std::vector<Noise>(ports),
                     .relative = mean_relative(scores, ports),
                     .samples = std::ssize(which),
                     .agreeing = {},
                     .right = {}};
  for (const std::vector<Noise>& one : outputs)
    for (size_t p = 0; p < ports; ++p) result.ports[p].include(one[p]);
  const auto same = [&](const std::vector<size_t>& as) {
    int64_t count = 0;
    for (size_t n = 0; n < which.size(); ++n) count += classes[n] == as[which[n]] ? 1 : 0;
    return count;
  };
  if (!classes_.empty()) result.agreeing = same(classes_);
  if (!classes_.empty() && !truths_.empty()) result.right = same(truths_);
  return result;
}

Counted counted_by(int jobs,
                   std::function<void(const char* what, size_t done, size_t of)> progress) {
  return [jobs, progress = std::move(progress)](const char* what, size_t count,
                                                const std::function<void(size_t, size_t)>& work) {
    std::atomic<size_t> done = 0;
    in_parallel(count, jobs, [&](size_t k, size_t worker) {
      work(k, worker);
      if (progress) progress(what, ++done, count);
    });
  };
}

std::vector<Noise> tensor_noise(const Graph& real, const Graph& made,
                                const std::vector<TensorId>& made_tensors,
                                const std::vector<SampleInputs>& samples, const Counted& counted) {
  const std::vector<size_t> which = chosen(samples.size(), kMostJudged);
  std::vector<std::vector<Noise>> each(which.size());
  counted("comparing tensors", which.size(), [&](size_t n, size_t) {
    const SampleInputs& inputs = samples[which[n]];
    const TensorValues expected = interpret(real, inputs);
    const TensorValues got = interpret(made, inputs_for(made, real, inputs));
    each[n].resize(real.tensors.size());
    for (size_t t = 0; t < real.tensors.size(); ++t) {
      const TensorId id{static_cast<int32_t>(t)};
      if (!made_tensors[t].valid()) continue;
      each[n][t].add(numbers_of(real, expected, id), numbers_of(made, got, made_tensors[t]));
    }
  });
  std::vector<Noise> all(real.tensors.size());
  for (const std::vector<Noise>& one : each)
    for (size_t t = 0; t < all.size(); ++t) all[t].include(one[t]);
  return all;
}

}  // namespace thimble
