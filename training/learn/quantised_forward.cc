// SPDX-License-Identifier: Apache-2.0
#include "training/learn/quantised_forward.h"

#include <algorithm>
#include <utility>

#include "thimble/model/error.h"
#include "thimble/operators/operators.h"
#include "training/learn/layer_functions.h"

namespace thimble::training {
namespace {

constexpr float kShare = 0.02F;  ///< of a batch in a range that is known already

Range range_of_batch(const torch::Tensor& x) {
  const torch::NoGradGuard guard;
  return {x.min().item<float>(), x.max().item<float>()};
}

/// Per output channel, from -127 to 127.
torch::Tensor rounded_weights(const torch::Tensor& weights) {
  torch::Tensor scales;
  {
    const torch::NoGradGuard guard;
    scales = std::get<0>(weights.abs().flatten(1).max(1)) / 127;
    scales = torch::where(scales > 0, scales, torch::ones_like(scales));
  }
  return torch::fake_quantize_per_channel_affine(
      weights.contiguous(), scales, torch::zeros({scales.size(0)}, torch::kInt32), 0, -127, 127);
}

}  // namespace

QuantisedForward::QuantisedForward(const Graph& graph, LearntAccumulators accumulators)
    : graph_(graph),
      quantised_(graph.tensors.size(), false),
      ranges_(graph.tensors.size()),
      accumulators_(std::move(accumulators)) {
  for (const Op& op : graph.ops) {
    demands_.push_back(demands_of(op.attributes, op.inputs.size(), Format::kInt8));
    if (!demands_.back()) continue;
    for (const auto* tensors : {&op.inputs, &op.outputs}) {
      for (const TensorId t : *tensors) {
        if (!graph.tensor(t).is_constant()) quantised_[t.index()] = true;
      }
    }
  }
}

void QuantisedForward::observe(TensorId t, const torch::Tensor& x) {
  const Range seen = range_of_batch(x);
  Range& range = ranges_[t.index()];
  if (range.empty()) {
    range = seen;
  } else {
    range.min += kShare * (seen.min - range.min);
    range.max += kShare * (seen.max - range.max);
  }
  scales_.reset();
}

const ScaleGroups& QuantisedForward::scales() {
  if (!scales_) scales_.emplace(graph_, demands_, ranges_);
  return *scales_;
}

torch::Tensor QuantisedForward::rounded(TensorId t, const torch::Tensor& x) {
  const Quantization& q = scales().of(t, DType::kInt8);
  return torch::fake_quantize_per_tensor_affine(x, q.scales[0], q.zero_points[0], -128, 127);
}

Taps QuantisedForward::taps(bool observes) {
  Taps taps;
  taps.activation = [this, observes](TensorId t, torch::Tensor x) {
    if (!quantised_[t.index()]) return x;
    if (observes) observe(t, x.detach());
    return rounded(t, x);
  };
  taps.weights = [](const Op&, const torch::Tensor& weights) { return rounded_weights(weights); };
  if (!accumulators_.empty()) {
    taps.sums = [this](const Op& op, const torch::Tensor& x, const torch::Tensor& weights,
                       const torch::Tensor& bias) {
      const auto found = accumulators_.find(graph_.tensor(op.outputs[0]).name);
      if (found == accumulators_.end()) return torch::Tensor();
      return narrow_sums(op, x, weights, bias, found->second, observes_sums_);
    };
  }
  return taps;
}

}  // namespace thimble::training
