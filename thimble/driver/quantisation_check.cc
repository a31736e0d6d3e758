// SPDX-License-Identifier: Apache-2.0
#include "thimble/driver/quantisation_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "thimble/driver/quantisation_judge.h"
#include "thimble/model/error.h"

namespace thimble {
namespace {

bool is_quantised(const Tensor& tensor) {
  return tensor.type == DType::kInt8 || tensor.type == DType::kUInt8 ||
         tensor.type == DType::kInt16;
}

void check_port(const Graph& real, const Port& a, const Graph& made, const Port& b,
                const std::string& what) {
  const Tensor &from = real.tensor(a.tensor), &to = made.tensor(b.tensor);
  const bool types = to.type == from.type || (from.type == DType::kFloat32 && is_quantised(to));
  if (types && elements(from.shape) == elements(to.shape)) return;
  throw CompileError(made.name, fmt::format("{} is {} {}, that of {} {} {}: they are not two forms "
                                            "of one network",
                                            what, name(to.type), to_string(to.shape), real.name,
                                            name(from.type), to_string(from.shape)));
}

void check_ports(const Graph& real, const Graph& made) {
  for (const auto& [ports, what] :
       {std::pair{&Graph::inputs, "input"}, {&Graph::outputs, "output"}}) {
    const std::vector<Port>&a = real.*ports, &b = made.*ports;
    if (a.size() != b.size())
      throw CompileError(made.name,
                         fmt::format("has {} {}s, {} has {}", b.size(), what, real.name, a.size()));
    for (size_t p = 0; p < a.size(); ++p)
      check_port(real, a[p], made, b[p], fmt::format("{} {}", what, p));
  }
}

/// Activations of integers by the names that the float network has them under.
std::vector<TensorId> same_names(const Graph& real, const Graph& made) {
  std::map<std::string, TensorId> known;
  for (size_t t = 0; t < made.tensors.size(); ++t) {
    const Tensor& tensor = made.tensors[t];
    if (!tensor.is_constant() && is_quantised(tensor) && !tensor.quantization.scales.empty())
      known[tensor.name] = TensorId{static_cast<int32_t>(t)};
  }
  std::vector<TensorId> result(real.tensors.size());
  for (size_t t = 0; t < real.tensors.size(); ++t) {
    const Tensor& tensor = real.tensors[t];
    const auto same = known.find(tensor.name);
    if (tensor.is_constant() || tensor.type != DType::kFloat32 || same == known.end()) continue;
    if (elements(made.tensor(same->second).shape) == elements(tensor.shape))
      result[t] = same->second;
  }
  for (size_t p = 0; p < real.inputs.size(); ++p)
    if (is_quantised(made.tensor(made.inputs[p].tensor)))
      result[real.inputs[p].tensor.index()] = made.inputs[p].tensor;
  return result;
}

Range range_of_scale(const Tensor& tensor) {
  const float scale = tensor.quantization.scales[0];
  const int32_t zero = tensor.quantization.zero_points[0];
  const auto at = [&](int32_t integer) { return static_cast<float>(integer - zero) * scale; };
  return tensor.type == DType::kInt8    ? Range{at(-128), at(127)}
         : tensor.type == DType::kUInt8 ? Range{at(0), at(255)}
                                        : Range{at(-32768), at(32767)};
}

}  // namespace

QuantisationReport quantisation_check(const QuantisationCheckRequest& request) {
  const Graph &real = request.real, &made = request.made;
  if (!real.states.empty() || !made.states.empty())
    throw CompileError(real.name, "networks with state are not compared");
  check_ports(real, made);
  const CalibrationSamples samples =
      calibration_samples(real, request.reader, request.data, request.limit);
  const Counted counted = counted_by(request.jobs, request.progress);
  const QuantisationJudge judge(real, samples, request.class_names, counted);
  const OutputNoise noise = judge.judge(made);
  const std::vector<TensorId> same = same_names(real, made);
  const std::vector<Noise> tensors = tensor_noise(real, made, same, samples.inputs, counted);

  QuantisationReport report;
  report.samples = std::ssize(samples.inputs);
  report.operators = std::ssize(made.ops);
  for (const Op& op : made.ops)
    if (is_float32(made, op)) report.left_in_float.push_back(label(op));
  report.outputs = noise.ports;
  report.noise = noise.relative;
  report.judged = noise.samples;
  report.agreeing = noise.agreeing;
  report.right = noise.right;
  report.right_in_float = judge.right();
  report.warnings = samples.warnings;
  for (size_t t = 0; t < same.size(); ++t) {
    if (!same[t].valid()) continue;
    const Tensor& tensor = made.tensor(same[t]);
    report.tensors.push_back({real.tensors[t].name, judge.seen(TensorId{static_cast<int32_t>(t)}),
                              range_of_scale(tensor), name(tensor.type),
                              tensor.quantization.scales[0], tensor.quantization.zero_points[0],
                              tensors[t]});
  }
  return report;
}

}  // namespace thimble
