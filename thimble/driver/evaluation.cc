// SPDX-License-Identifier: Apache-2.0
#include "thimble/driver/evaluation.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <mutex>

#include "thimble/driver/class_labels.h"
#include "thimble/driver/class_numbers.h"
#include "thimble/driver/predictions.h"
#include "thimble/import/utf8.h"
#include "thimble/inputs/table.h"
#include "thimble/model/error.h"
#include "thimble/reference/interpreter.h"
#include "thimble/reference/real_values.h"
#include "thimble/search/parallel.h"

namespace thimble {
namespace {

/// What one sample gave.
struct SampleOutcome {
  size_t truth = 0, predicted = 0;
  size_t better = 0;  ///< classes with a better score than the true one's
  double score = 0;   ///< of the positive class; kAnomaly: the mean square error
  double error = 0;   ///< kValues
};

RealValues values_of(const Graph& graph, const Port& port, const Bytes& bytes) {
  return dequantised(graph.tensor(port.tensor), from_port(graph, port, bytes));
}

int64_t elements_of(const Graph& graph, const Port& port) {
  return elements(graph.tensor(port.tensor).shape);
}

bool are_numbers(const std::vector<std::string>& labels) {
  double value = 0;
  return std::ranges::all_of(labels, [&](const auto& text) { return is_number(text, value); });
}

EvaluationTask suggested_task(const EvaluationRequest& request) {
  const Graph& graph = request.graph;
  const size_t labels = request.set.classes.size();
  const int64_t count = graph.outputs.empty() ? 0 : elements_of(graph, graph.outputs[0]);
  if (is_autoencoder(graph)) return EvaluationTask::kAnomaly;
  if (class_output(graph) != nullptr) return EvaluationTask::kClasses;
  if (count == 1)
    return are_numbers(request.set.classes) && labels > 2 ? EvaluationTask::kValues
                                                          : EvaluationTask::kScore;
  throw CompileError(request.set_name,
                     fmt::format("the network's outputs are neither scores of classes nor one "
                                 "number; supported are 1xN, one number and an autoencoder's, "
                                 "whose output is of its input's size ({})",
                                 count));
}

// A task that was asked for.
void check_task(const EvaluationRequest& request, EvaluationTask task) {
  const Graph& graph = request.graph;
  const auto refuse = [&](const char* what) {
    throw CompileError("--task", fmt::format("{} needs a network {}", name(task), what));
  };
  const int64_t count = elements_of(graph, graph.outputs[0]);
  switch (task) {
    case EvaluationTask::kClasses:
      if (class_output(graph) == nullptr) refuse("whose output scores classes, 1xN");
      return;
    case EvaluationTask::kScore:
    case EvaluationTask::kValues:
      if (count != 1) refuse("whose output is one number");
      return;
    case EvaluationTask::kAnomaly:
      if (count != elements_of(graph, graph.inputs[0]))
        refuse("whose output is of its input's size");
      return;
  }
}

/// All that judging one sample takes, decided before the first is read.
class Judge {
 public:
  Judge(const EvaluationRequest& request, EvaluationTask task)
      : graph_(request.graph), task_(task), threshold_(request.threshold) {
    if (task == EvaluationTask::kValues) {
      if (!are_numbers(request.set.classes))
        throw CompileError(request.set_name, "has labels that are no numbers");
      return;
    }
    const std::vector<std::string>& labels = request.set.classes;
    const bool anomaly = task == EvaluationTask::kAnomaly;
    if (anomaly && labels.size() > 2)
      throw CompileError(request.set_name, "has more than two labels: normal and anomalous");
    const Port* scores = task == EvaluationTask::kClasses ? class_output(graph_) : nullptr;
    const size_t classes = scores != nullptr ? static_cast<size_t>(class_count(graph_, *scores))
                           : anomaly         ? labels.size()
                                             : 2;
    // An autoencoder has no classes of its own.
    classes_ = anomaly ? class_numbers(labels, labels, classes, request.set_name)
                       : class_numbers(labels, request.labels, classes, request.set_name);
    positive_ = positive_class(request.positive);
  }

  [[nodiscard]] const ClassNumbers& classes() const { return classes_; }
  [[nodiscard]] size_t positive() const { return positive_; }

  /// label: what is true. Of several inferences in turn.
  [[nodiscard]] SampleOutcome outcome(const std::string& label, const InTurn& inputs,
                                      const InTurn& outputs) const {
    SampleOutcome result;
    if (task_ == EvaluationTask::kValues) {
      double truth = 0;
      check(is_number(label, truth), "labels were checked");
      result.error = values_of(graph_, graph_.outputs[0], outputs.back()[0])[0] - truth;
      return result;
    }
    result.truth = classes_.numbers.at(label);
    if (task_ == EvaluationTask::kAnomaly) {
      for (size_t n = 0; n < inputs.size(); ++n)
        result.score += square_error(inputs[n][0], outputs[n][0]) / std::ssize(inputs);
    } else if (task_ == EvaluationTask::kScore) {
      const double score = values_of(graph_, graph_.outputs[0], outputs.back()[0])[0];
      result.predicted = score >= threshold_ ? 1 : 0;
      result.score = positive_ == 1 ? score : -score;
    } else {
      const std::vector<float> scores = class_scores(graph_, outputs.back());
      result.predicted = static_cast<size_t>(best_classes(scores, {}, 1)[0].number);
      for (size_t k = 0; k < scores.size(); ++k) {
        const bool before = k < result.truth;
        if (scores[k] > scores[result.truth] || (before && scores[k] == scores[result.truth]))
          ++result.better;
      }
      result.score = scores[positive_];
    }
    return result;
  }

 private:
  [[nodiscard]] size_t positive_class(const std::string& asked) const {
    const std::vector<std::string>& names = classes_.names;
    if (!asked.empty()) {
      const auto found = std::ranges::find(names, asked);
      if (found == names.end())
        throw CompileError("--positive", fmt::format("'{}' is no class", printable(asked)));
      return static_cast<size_t>(found - names.begin());
    }
    for (size_t k = 0; k < names.size() && task_ == EvaluationTask::kAnomaly; ++k)
      if (names[k].starts_with("anomal") || names[k].starts_with("abnormal")) return k;
    return names.size() > 1 ? 1 : 0;
  }

  [[nodiscard]] double square_error(const Bytes& input, const Bytes& output) const {
    const RealValues x = values_of(graph_, graph_.inputs[0], input);
    const RealValues y = values_of(graph_, graph_.outputs[0], output);
    double sum = 0;
    for (size_t i = 0; i < x.size(); ++i) sum += (double{x[i]} - y[i]) * (double{x[i]} - y[i]);
    return sum / static_cast<double>(x.size());
  }

  const Graph& graph_;
  EvaluationTask task_;
  double threshold_;
  ClassNumbers classes_;
  size_t positive_ = 0;
};

/// A sample with what is true of it.
struct Labelled {
  InTurn inputs;
  std::string label;
};

/// Samples by number, whatever files they are in.
class Samples {
 public:
  Samples(const EvaluationRequest& request, bool together) : request_(request) {
    together_ = together || !request.graph.states.empty();
    if (!request.set.one_file) return;
    const LabelledFile& file = request.set.files[0];
    array_ = request.reader.read(file.path);
    if (array_.size() != file.labels.size()) {
      throw CompileError(file.path, fmt::format("has {} samples, and there are {} labels",
                                                array_.size(), file.labels.size()));
    }
  }

  [[nodiscard]] size_t count() const {
    return request_.set.one_file ? array_.size() : request_.set.files.size();
  }
  /// Those of a file are one if they are judged together.
  [[nodiscard]] std::vector<Labelled> at(size_t number, Sample* first = nullptr) const {
    if (request_.set.one_file) {
      if (first != nullptr) *first = array_[number];
      return {{{array_[number].inputs}, request_.set.files[0].labels[number]}};
    }
    const LabelledFile& file = request_.set.files[number];
    std::vector<Sample> samples = request_.reader.read(file.path);
    if (first != nullptr && !samples.empty()) *first = samples[0];
    std::vector<Labelled> result;
    for (Sample& sample : samples) {
      if (result.empty() || !together_) result.push_back({{}, file.labels[0]});
      result.back().inputs.push_back(std::move(sample.inputs));
    }
    return result;
  }

 private:
  const EvaluationRequest& request_;
  bool together_;
  std::vector<Sample> array_;
};

std::vector<std::vector<SampleOutcome>> outcomes(const EvaluationRequest& request,
                                                 const Judge& judge, const Samples& samples,
                                                 const std::vector<size_t>& numbers) {
  const size_t chunk = std::max<size_t>(request.chunk, 1);
  std::vector<std::vector<SampleOutcome>> all((numbers.size() + chunk - 1) / chunk);
  std::atomic<size_t> done = 0;
  in_parallel(all.size(), request.jobs, [&](size_t k, size_t) {
    std::vector<Labelled> labelled;
    const size_t end = std::min((k + 1) * chunk, numbers.size());
    for (size_t n = k * chunk; n < end; ++n)
      for (Labelled& each : samples.at(numbers[n])) labelled.push_back(std::move(each));
    std::vector<InTurn> inputs;
    for (const Labelled& each : labelled) inputs.push_back(each.inputs);
    const std::vector<InTurn> outputs = request.execute(inputs);
    for (size_t n = 0; n < labelled.size(); ++n)
      all[k].push_back(judge.outcome(labelled[n].label, inputs[n], outputs[n]));
    done += end - k * chunk;
    if (request.progress) request.progress(done, numbers.size());
  });
  return all;
}

void add_class_figures(const std::vector<SampleOutcome>& all, size_t positive, Evaluation& result) {
  const size_t classes = result.classes.size();
  const bool anomaly = result.task == EvaluationTask::kAnomaly;
  std::vector<std::pair<double, bool>> scores;
  std::vector<double> sums(classes);
  std::vector<int64_t> counts(classes);
  if (!anomaly) result.confusion.assign(classes, std::vector<int64_t>(classes));
  int64_t right = 0, top5 = 0;
  for (const SampleOutcome& outcome : all) {
    if (!anomaly) ++result.confusion[outcome.truth][outcome.predicted];
    right += outcome.truth == outcome.predicted ? 1 : 0;
    top5 += outcome.better < 5 ? 1 : 0;
    sums[outcome.truth] += outcome.score;
    ++counts[outcome.truth];
    scores.emplace_back(outcome.score, outcome.truth == positive);
  }
  if (!anomaly) result.right = right;
  if (result.task == EvaluationTask::kClasses && classes > 5) result.top5 = top5;
  for (size_t c = 0; c < classes && anomaly; ++c)
    result.mean_scores.push_back(sums[c] / static_cast<double>(std::max<int64_t>(counts[c], 1)));
  if (classes != 2) return;
  result.auc = area_under_curve(std::move(scores));
  result.positive = result.classes[positive];
}

void add_value_figures(const std::vector<SampleOutcome>& all, Evaluation& result) {
  double sum = 0, squares = 0;
  for (const SampleOutcome& outcome : all) {
    sum += std::abs(outcome.error);
    squares += outcome.error * outcome.error;
  }
  const auto count = static_cast<double>(all.size());
  result.mean_absolute_error = sum / count;
  result.root_mean_square_error = std::sqrt(squares / count);
}

}  // namespace

Evaluation evaluation_of(const EvaluationRequest& request) {
  const EvaluationTask task = request.task ? *request.task : suggested_task(request);
  check_task(request, task);
  const Judge judge(request, task);
  const Samples samples(request, task == EvaluationTask::kAnomaly);
  const std::vector<size_t> numbers = chosen(samples.count(), request.limit);
  Evaluation result{.set = request.set_name,
                    .task = task,
                    .of_samples = static_cast<int64_t>(samples.count()),
                    .left_out_files = request.set.left_out,
                    .jobs = request.jobs,
                    .classes = judge.classes().names};
  if (task != EvaluationTask::kAnomaly) result.classes_by = judge.classes().by;
  Sample first;
  (void)samples.at(numbers[0], &first);
  result.input = first.how;
  result.warnings = first.warnings;
  const auto start = std::chrono::steady_clock::now();
  std::vector<SampleOutcome> all;
  for (std::vector<SampleOutcome>& part : outcomes(request, judge, samples, numbers))
    all.insert(all.end(), part.begin(), part.end());
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  result.samples = std::ssize(all);
  if (all.empty()) throw CompileError(request.set_name, "has no samples");
  if (task == EvaluationTask::kValues) {
    add_value_figures(all, result);
  } else {
    add_class_figures(all, judge.positive(), result);
  }
  return result;
}

}  // namespace thimble
