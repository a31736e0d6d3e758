// SPDX-License-Identifier: Apache-2.0
#include "training/learn/results.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "thimble/driver/chosen.h"
#include "thimble/driver/driver.h"
#include "thimble/model/error.h"
#include "thimble/program/host.h"
#include "thimble/quantise/scales.h"
#include "thimble/search/parallel.h"
#include "training/learn/epochs.h"
#include "training/learn/integer_network.h"

namespace thimble::training {
namespace {

constexpr size_t kAtATime = 100;

/// Samples as the int8 network takes them.
std::vector<Bytes> inputs_of(const Graph& graph, const Examples& examples, size_t begin,
                             size_t count) {
  const Tensor& input = graph.tensor(graph.inputs[0].tensor);
  const std::vector<float> numbers = plain_samples(examples, begin, count);
  const auto each = static_cast<std::ptrdiff_t>(elements(examples.shape));
  std::vector<Bytes> result;
  for (size_t k = 0; k < count; ++k) {
    const auto from = numbers.begin() + static_cast<std::ptrdiff_t>(k) * each;
    result.push_back(as_integers({from, from + each}, input.type, input.quantization));
  }
  return result;
}

size_t best_class(const Bytes& scores) {
  const auto greater = [](uint8_t a, uint8_t b) {
    return static_cast<int8_t>(a) < static_cast<int8_t>(b);
  };
  return static_cast<size_t>(std::ranges::max_element(scores, greater) - scores.begin());
}

}  // namespace

PlanAccuracy plan_accuracy(const Graph& graph, const PlanOptions& options,
                           const AccumulatorScales& scales, const Examples& examples,
                           int64_t most) {
  Request request = plan_request(graph, options);
  if (!scales.empty()) request.calibration = Calibration{"accumulators.json", scales};
  const Compiled compiled = planned(request);
  PlanAccuracy result{.samples = chosen(examples.size(), most).size(),
                      .narrow_sums = compiled.plan.accumulators.size()};
  check(result.narrow_sums == scales.size(), "each narrow sum has learnt its scale");
  // Which of them the program runs: from all over the set, whose classes may stand in order.
  std::vector<bool> runs(examples.size(), false);
  for (const size_t k : chosen(examples.size(), most)) runs[k] = true;
  size_t right = 0, right_emitted = 0;
  for (size_t begin = 0; begin < examples.size(); begin += kAtATime) {
    const size_t count = std::min(kAtATime, examples.size() - begin);
    const std::vector<Bytes> inputs = inputs_of(graph, examples, begin, count);
    const std::vector<Bytes> outputs = integer_outputs(compiled.graph, inputs);
    in_parallel(count, all_cores(), [&](size_t k, size_t) {
      if (!runs[begin + k]) return;
      check(execute(compiled.program, {inputs[k]})[0] == outputs[k],
            "the emitted program computes what LibTorch computes");
    });
    for (size_t k = 0; k < count; ++k) {
      if (best_class(outputs[k]) != static_cast<size_t>(examples.labels[begin + k])) continue;
      ++right;
      if (runs[begin + k]) ++right_emitted;
    }
  }
  result.int8 = static_cast<double>(right) / static_cast<double>(examples.size());
  result.emitted = static_cast<double>(right_emitted) / static_cast<double>(result.samples);
  return result;
}

std::string result_json(const RunResult& result, const RunRequest& request) {
  const auto cost = [](const Footprint& of) {
    return nlohmann::ordered_json{
        {"arena_bytes", of.arena_bytes}, {"weight_bytes", of.weight_bytes}, {"macs", of.macs}};
  };
  nlohmann::ordered_json json{
      {"format", "thimble-training-result"},
      {"version", 1},
      {"config", nlohmann::ordered_json::parse(request.text, nullptr, false)},
      {"network", request.network},
      {"data", request.data.name},
      {"classes", request.data.classes},
      {"train_samples", request.data.train.size()},
      {"test_samples", request.data.test.size()},
      {"planner", request.plan.planner},
      {"narrow_sums", result.narrow_sums},
      {"float_accuracy", result.float_accuracy},
      {"int8_accuracy", result.int8_accuracy},
      {"emitted_accuracy", result.emitted_accuracy},
      {"emitted_samples", result.emitted_samples},
      {"before", cost(result.before)},
      {"after", cost(result.after)},
      {"questions", result.questions},
      {"question_seconds", result.question_seconds}};
  if (result.ordinary_accuracy) json["ordinary_accuracy"] = *result.ordinary_accuracy;
  return json.dump(2) + '\n';
}

void keep_ranges(NamedTensors& in, QuantisedForward& forward) {
  std::vector<float> numbers;
  for (const Range& range : forward.ranges()) {
    numbers.push_back(range.min);
    numbers.push_back(range.max);
  }
  in["ranges"] = torch::tensor(c10::ArrayRef<float>(numbers));
}

void restore_ranges(const NamedTensors& from, QuantisedForward& forward, const std::string& where) {
  Ranges& ranges = forward.ranges();
  const auto found = from.find("ranges");
  if (found == from.end() || found->second.numel() != static_cast<int64_t>(2 * ranges.size()))
    throw CompileError(where, "has no ranges of its activations");
  const float* numbers = found->second.data_ptr<float>();
  for (size_t t = 0; t < ranges.size(); ++t) ranges[t] = {numbers[2 * t], numbers[2 * t + 1]};
}

}  // namespace thimble::training
