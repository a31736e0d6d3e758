// SPDX-License-Identifier: Apache-2.0
#include "thimble/reference/partial_sums.h"

#include <algorithm>
#include <cmath>

#include "thimble/model/error.h"
#include "thimble/reference/activation_range.h"
#include "thimble/reference/evaluate.h"
#include "thimble/reference/narrow_sums.h"

namespace thimble {
namespace {

using namespace reference;

/// The values that an activation tensor can take.
ActivationRange values_of(const Graph& graph, TensorId tensor) {
  const Tensor& t = graph.tensor(tensor);
  const OpId producer = producers(graph)[tensor.index()];
  if (!producer.valid()) return activation_range(Activation::kNone, t);
  const Attributes& attributes = graph.op(producer).attributes;
  if (const auto* relu = std::get_if<Relu>(&attributes)) return activation_range(relu->range, t);
  if (std::holds_alternative<Relu6>(attributes)) return activation_range(Activation::kRelu6, t);
  return std::visit(
      [&](const auto& a) {
        if constexpr (requires { a.activation; }) return activation_range(a.activation, t);
        return activation_range(Activation::kNone, t);
      },
      attributes);
}

double real_scale(const Graph& graph, const Op& op, size_t out_channel) {
  const std::vector<float>& scales = graph.tensor(op.inputs[1]).quantization.scales;
  return double{scale_of(graph.tensor(op.inputs[0]))} *
         double{scales[scales.size() == 1 ? 0 : out_channel]};
}

SumRange joined(const SumRange& a, const SumRange& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

/// No sum of any input may exceed 32 bits, scaled, before it saturates: steps of the accumulator
/// are at least 2^-29 of the bound.
SumRange widened(SumRange range, const SumRange& bound, const Accumulator& accumulator) {
  const IntegerRange values = range_of(accumulator.type);
  const double steps = static_cast<double>(values.max - values.min);
  range.high = std::max(range.high, range.low + std::ldexp(bound.high - bound.low, -29) * steps);
  return range;
}

}  // namespace

SumRange bounded_sums(const Graph& graph, const Op& op) {
  const TensorValues none;
  const OpContext context{graph, op, none};
  const std::vector<int8_t> weights = context.read<int8_t>(1);
  const auto channels = static_cast<size_t>(context.input(1).shape.front());
  const std::vector<int32_t> bias = bias_of(context, static_cast<int64_t>(channels));
  const ActivationRange x = values_of(graph, op.inputs[0]);
  const int64_t zero_point = zero_point_of(context.input(0));
  const int64_t least = std::min<int64_t>(x.min - zero_point, 0);  // padding is 0
  const int64_t most = std::max<int64_t>(x.max - zero_point, 0);
  SumRange range;
  for (size_t o = 0; o < channels; ++o) {
    int64_t low = bias[o];
    int64_t high = bias[o];
    for (size_t k = o * weights.size() / channels; k < (o + 1) * weights.size() / channels; ++k) {
      low += std::min(weights[k] * least, weights[k] * most);
      high += std::max(weights[k] * least, weights[k] * most);
    }
    high = std::max<int64_t>(high, 1);  // a channel of zeros has a scale, too
    const double scale = real_scale(graph, op, o);
    range = joined(range, {static_cast<double>(low) * scale, static_cast<double>(high) * scale});
  }
  return range;
}

SumRange measured_sums(const Graph& graph, const Op& op, const TensorValues& values,
                       int64_t chunk) {
  const OpContext context{graph, op, values};
  SumRange range;
  const auto visit = [&](size_t o, const std::vector<int32_t>& sums) {
    const double scale = real_scale(graph, op, o);
    int32_t partial = 0;
    for (const int32_t sum : sums) {
      partial = wrapping_add(partial, sum);
      range = joined(range, {partial * scale, partial * scale});
    }
  };
  if (const auto* convolution = std::get_if<Conv2D>(&op.attributes)) {
    each_chunk_sums(*convolution, context, chunk, visit);
  } else {
    each_chunk_sums(std::get<FullyConnected>(op.attributes), context, chunk, visit);
  }
  return range;
}

Accumulator accumulator_for(TensorId tensor, DType type, int64_t chunk, const SumRange& range) {
  const IntegerRange values = range_of(type);
  Accumulator result{.tensor = tensor, .type = type, .chunk = chunk};
  const double steps = static_cast<double>(values.max - values.min);
  const auto scale = static_cast<float>((range.high - range.low) / steps);
  if (std::isnormal(scale)) result.scale = scale;  // else all sums are 0
  const double zero_point = static_cast<double>(values.min) - range.low / double{result.scale};
  result.zero_point = static_cast<int32_t>(std::clamp(
      std::round(zero_point), static_cast<double>(values.min), static_cast<double>(values.max)));
  return result;
}

std::vector<Accumulator> calibrated(const Graph& graph,
                                    const std::vector<Accumulator>& accumulators,
                                    const std::vector<std::vector<Bytes>>& inputs) {
  Graph exact = graph;
  exact.accumulators.clear();
  const std::vector<OpId> producer = producers(exact);
  std::vector<SumRange> ranges(accumulators.size());
  for (const std::vector<Bytes>& set : inputs) {
    const TensorValues values = interpret(exact, set);
    for (size_t k = 0; k < accumulators.size(); ++k) {
      const Op& op = exact.op(producer[accumulators[k].tensor.index()]);
      ranges[k] = joined(ranges[k], measured_sums(exact, op, values, accumulators[k].chunk));
    }
  }
  std::vector<Accumulator> result;
  for (size_t k = 0; k < accumulators.size(); ++k) {
    const Accumulator& a = accumulators[k];
    const Op& op = exact.op(producer[a.tensor.index()]);
    result.push_back(
        accumulator_for(a.tensor, a.type, a.chunk, widened(ranges[k], bounded_sums(exact, op), a)));
  }
  return result;
}

}  // namespace thimble
