// SPDX-License-Identifier: Apache-2.0
#include "training/learn/accumulators.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "thimble/operators/operators.h"
#include "thimble/reference/elements.h"
#include "training/learn/layer_functions.h"

namespace thimble::training {
namespace {

/// The scale and zero point between which all numbers from least to most lie.
void make_room(LearntAccumulator& a, double least, double most) {
  const torch::NoGradGuard guard;
  const reference::IntegerRange values = reference::range_of(a.type);
  const auto low = static_cast<double>(values.min), high = static_cast<double>(values.max);
  if (a.seen) {
    const double scale = std::exp(a.log_scale.item<double>()), zero = a.zero_point.item<double>();
    least = std::min(least, (low - zero) * scale);
    most = std::max(most, (high - zero) * scale);
  }
  const double scale = std::max(most - least, 1e-6) / (high - low);
  a.log_scale.fill_(std::log(scale));
  a.zero_point.fill_(std::clamp(std::round(low - least / scale), low, high));
  a.seen = true;
}

}  // namespace

LearntAccumulators accumulators_of(const Graph& graph, const PlanOptions& options) {
  const Compiled compiled = planned(plan_request(int8_shapes(graph), options));
  LearntAccumulators result;
  for (const Accumulator& a : compiled.plan.accumulators) {
    result[compiled.graph.tensor(a.tensor).name] = {.type = a.type,
                                                    .chunk = a.chunk,
                                                    .log_scale = torch::zeros({}),
                                                    .zero_point = torch::zeros({})};
  }
  for (auto& [name, accumulator] : result) accumulator.log_scale.set_requires_grad(true);
  return result;
}

torch::Tensor narrow_sums(const Op& op, const torch::Tensor& x, const torch::Tensor& weights,
                          const torch::Tensor& bias, LearntAccumulator& accumulator,
                          bool observes) {
  const auto* conv = std::get_if<Conv2D>(&op.attributes);
  const torch::Tensor all = conv == nullptr ? x.flatten(1) : x;
  const auto summed = [&](int64_t begin, int64_t end) {
    const torch::Tensor piece = all.slice(1, begin, end), by = weights.slice(1, begin, end);
    const torch::Tensor first = begin == 0 ? bias : torch::Tensor();
    return conv == nullptr ? torch::linear(piece, by, first)
                           : convolution(piece, by, first, conv->window);
  };
  const auto for_chunks = [&](const auto& visit) {
    for (int64_t begin = 0; begin < weights.size(1); begin += accumulator.chunk)
      visit(summed(begin, std::min(begin + accumulator.chunk, weights.size(1))));
  };
  if (observes) {
    const torch::NoGradGuard guard;
    double least = 0, most = 0;
    torch::Tensor sum;
    for_chunks([&](const torch::Tensor& part) {
      sum = sum.defined() ? sum.add_(part) : part;
      least = std::min(least, sum.min().item<double>());
      most = std::max(most, sum.max().item<double>());
    });
    make_room(accumulator, least, most);
  }
  // Chunks are summed without a record; gradients are those of the whole sum, where it is within
  // the range, and of the scale as in Esser et al. 2020 ("Learned step size quantization").
  const torch::Tensor total = summed(0, weights.size(1));
  const torch::Tensor scale = accumulator.log_scale.exp();
  torch::Tensor steps, inside;
  {
    const torch::NoGradGuard guard;
    const reference::IntegerRange values = reference::range_of(accumulator.type);
    steps = torch::zeros_like(total) + accumulator.zero_point;
    const double each = 1 / scale.item<double>();
    for_chunks([&](torch::Tensor part) {
      steps.add_(part.mul_(each).round_()).clamp_(values.min, values.max);
    });
    inside = torch::logical_and(steps > values.min, steps < values.max).to(torch::kFloat32);
    steps.sub_(accumulator.zero_point).sub_(inside * total * each);
  }
  return inside * total + scale * steps;
}

AccumulatorScales learnt_scales(const LearntAccumulators& accumulators) {
  AccumulatorScales result;
  for (const auto& [name, a] : accumulators) {
    result.push_back({.name = name,
                      .type = a.type,
                      .scale = std::exp(a.log_scale.item<float>()),
                      .zero_point = a.zero_point.to(torch::kInt32).item<int32_t>()});
  }
  return result;
}

}  // namespace thimble::training
