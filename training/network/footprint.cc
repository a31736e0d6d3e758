// SPDX-License-Identifier: Apache-2.0
#include "training/network/footprint.h"

#include <map>

#include "thimble/driver/driver.h"
#include "thimble/model/error.h"
#include "thimble/operators/operators.h"
#include "thimble/quantise/demands.h"
#include "thimble/quantise/scales.h"
#include "thimble/report/peak.h"
#include "thimble/rewrites/rewrites.h"

namespace thimble::training {
namespace {

constexpr float kScale = 0.05F, kWeightScale = 0.01F;  ///< anybody's

std::shared_ptr<const Bytes> zeros(const Tensor& tensor) {
  return std::make_shared<const Bytes>(static_cast<size_t>(tensor.size_bytes()));
}

}  // namespace

Graph int8_shapes(const Graph& graph) {
  Graph result = graph;
  for (Tensor& tensor : result.tensors) {
    if (tensor.type != DType::kFloat32) continue;
    tensor.type = DType::kInt8;
    tensor.quantization = one_scale(kScale, 0);
    if (tensor.is_constant()) tensor.data = zeros(tensor);
  }
  for (const Op& op : graph.ops) {
    const std::optional<Demands> demands =
        demands_of(op.attributes, op.inputs.size(), Format::kInt8);
    if (!demands) {
      throw CompileError(graph.name, label(op) +
                                         " has no form in int8, in which networks are "
                                         "planned while they are trained");
    }
    if (demands->output == Demands::Output::kFixed)
      result.tensor(op.outputs[0]).quantization = demands->fixed;
    if (!demands->weighted) continue;
    Tensor& weights = result.tensor(op.inputs[1]);
    weights.quantization = one_scale(kWeightScale, 0);
    // Rewrites leave out what never changes: no two weights are alike.
    auto bytes = std::make_shared<Bytes>(*weights.data);
    for (size_t k = 0; k < bytes->size(); ++k)
      (*bytes)[k] = static_cast<uint8_t>(1 + (k * 7 + k / 11) % 100);
    weights.data = std::move(bytes);
    if (op.inputs.size() < 3) continue;
    Tensor& bias = result.tensor(op.inputs[2]);
    bias.type = DType::kInt32;
    bias.quantization = one_scale(kScale * kWeightScale, 0);
    bias.data = zeros(bias);
  }
  return result;
}

int64_t int8_weight_bytes(const Graph& graph) {
  int64_t bytes = 0;
  for (const Tensor& tensor : graph.tensors) {
    if (!tensor.is_constant() || tensor.type != DType::kFloat32) continue;
    bytes += elements(tensor.shape) * (tensor.shape.size() == 1 ? 4 : 1);
  }
  return bytes;
}

PlanOptions quick(PlanOptions options) {
  if (has_search(options.planner)) options.effort = 0;
  return options;
}

Request plan_request(const Graph& int8, const PlanOptions& options) {
  Request request{.model = source_of(int8)};
  request.graph.keep_channels = true;
  request.planner = options.planner;
  request.target = options.target;
  request.max_latency = options.max_latency;
  request.effort = options.effort;
  return request;
}

Compiled planned(const Request& request) {
  Answer answer = compile(request);
  if (const auto* no = std::get_if<Infeasible>(&answer)) throw CompileError("training", no->reason);
  return std::get<Compiled>(std::move(answer));
}

Footprint footprint(const Graph& graph, const PlanOptions& options) {
  // Rewritten here, where nothing has values that a certificate would be about.
  Request request = plan_request(rewrite(int8_shapes(graph), ConstantChannels::kKept), options);
  request.graph.rewrite = false;
  const Compiled compiled = planned(request);
  Footprint result{.arena_bytes = compiled.program.arena_bytes(),
                   .weight_bytes = int8_weight_bytes(graph),
                   .macs = compiled.cost.macs};
  std::map<std::string, TensorId> by_name;
  for (size_t t = 0; t < graph.tensors.size(); ++t)
    by_name[graph.tensors[t].name] = TensorId{static_cast<int32_t>(t)};
  const std::optional<Peak> peak = peak_of(compiled.graph, compiled.plan, compiled.cost.live_bytes);
  if (!peak) return result;
  for (const BufferId b : peak->buffers) {
    const Buffer& buffer = compiled.plan.schedule.buffers[b.index()];
    if (!buffer.tensor.valid()) continue;
    const auto found = by_name.find(compiled.graph.tensor(buffer.tensor).name);
    if (found != by_name.end()) result.at_peak.push_back({found->second, buffer.size_bytes()});
  }
  return result;
}

}  // namespace thimble::training
