// SPDX-License-Identifier: Apache-2.0
#include "thimble/driver/quantisation.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <set>

#include "thimble/driver/inference_io.h"
#include "thimble/driver/labelled_set.h"
#include "thimble/driver/predictions.h"
#include "thimble/model/error.h"
#include "thimble/quantise/scales.h"
#include "thimble/reference/interpreter.h"
#include "thimble/reference/real_values.h"
#include "thimble/search/parallel.h"

namespace thimble {
namespace {

using Inputs = std::vector<Bytes>;

/// Of all samples a part that is judged: values of every tensor are compared there.
constexpr int64_t kMostJudged = 200;

std::vector<Inputs> samples_in(const QuantisationRequest& request,
                               std::vector<std::string>& warnings) {
  std::vector<Inputs> samples;
  std::set<std::string> said;
  for (const std::string& file : sample_files(request.data)) {
    for (Sample& sample : request.reader.read(file)) {
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

Ranges ranges_of(const QuantisationRequest& request, const std::vector<Inputs>& samples) {
  std::vector<Ranges> ranges(static_cast<size_t>(request.jobs));
  counted(request, "observing", samples.size(), [&](size_t k, size_t worker) {
    include(ranges[worker], observed_ranges(request.graph, samples[k]));
  });
  Ranges all;
  for (const Ranges& some : ranges)
    if (!some.empty()) include(all, some);
  return all;
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
    result.outputs.emplace_back().add(values(real, expected, real.outputs[p].tensor),
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

void judge(const QuantisationRequest& request, const Quantised& made, const Ranges& ranges,
           const std::vector<Inputs>& samples, QuantisationReport& report) {
  const std::vector<size_t> which = chosen(samples.size(), kMostJudged);
  std::vector<Judged> each(which.size());
  counted(request, "comparing", which.size(),
          [&](size_t k, size_t) { each[k] = judged(request.graph, made, samples[which[k]]); });
  std::vector<Noise> tensors(request.graph.tensors.size());
  report.outputs.resize(request.graph.outputs.size());
  report.judged = std::ssize(each);
  for (const Judged& one : each) {
    for (size_t t = 0; t < tensors.size(); ++t) add(tensors[t], one.tensors[t]);
    for (size_t p = 0; p < report.outputs.size(); ++p) add(report.outputs[p], one.outputs[p]);
    if (one.agrees) report.agreeing = report.agreeing.value_or(0) + (*one.agrees ? 1 : 0);
  }
  describe_tensors(request.graph, made, ranges, tensors, report);
}

}  // namespace

Quantisation quantisation_of(const QuantisationRequest& request) {
  Quantisation result;
  const std::vector<Inputs> samples = samples_in(request, result.report.warnings);
  if (samples.size() == 1)
    result.report.warnings.emplace_back("all ranges are of one sample: others may lie beyond them");
  const Ranges ranges = ranges_of(request, samples);
  Quantised made = quantised(request.graph, ranges, request.options);
  result.report.samples = std::ssize(samples);
  result.report.operators = std::ssize(request.graph.ops);
  result.report.left_in_float = made.left_in_float;
  judge(request, made, ranges, samples, result.report);
  result.graph = std::move(made.graph);
  return result;
}

}  // namespace thimble
