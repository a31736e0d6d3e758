// SPDX-License-Identifier: Apache-2.0
#include "thimble/quantise/rounding.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "thimble/quantise/layer_values.h"
#include "thimble/quantise/patch_sums.h"
#include "thimble/quantise/scales.h"
#include "thimble/reference/elements.h"
#include "thimble/search/parallel.h"

namespace thimble {
namespace {

constexpr int kMostSweeps = 20;

/// A layer's numbers, real and quantised.
class LayerWeights {
 public:
  LayerWeights(const Quantised& made, const Graph& real, const MadeLayer& layer)
      : tensor_(made.graph.tensor(made.graph.op(layer.made).inputs[1])),
        last_(std::holds_alternative<DepthwiseConv2D>(real.op(layer.original).attributes)),
        outputs_(static_cast<size_t>(last_ ? tensor_.shape.back() : tensor_.shape[0])) {
    const Tensor& original = real.tensor(real.op(layer.original).inputs[1]);
    real_ = dequantised(original, *original.data);
    integers_ = reference::elements_from<int8_t>(*tensor_.data);
  }

  [[nodiscard]] size_t outputs() const { return outputs_; }
  [[nodiscard]] float real(size_t output, size_t place) const { return real_[at(output, place)]; }
  [[nodiscard]] int8_t& integer(size_t output, size_t place) {
    return integers_[at(output, place)];
  }
  [[nodiscard]] float scale(size_t output) const {
    const std::vector<float>& scales = tensor_.quantization.scales;
    return scales[scales.size() > 1 ? output : 0];
  }
  [[nodiscard]] bool per_channel() const { return tensor_.quantization.per_channel(); }
  [[nodiscard]] std::vector<int8_t>& integers() { return integers_; }
  /// Weights of an output in steps of a scale.
  [[nodiscard]] std::vector<double> steps(size_t output, size_t places, float scale) const {
    std::vector<double> v(places);
    for (size_t k = 0; k < places; ++k) v[k] = double{real(output, k)} / scale;
    return v;
  }

 private:
  [[nodiscard]] size_t at(size_t output, size_t place) const {
    return last_ ? place * outputs_ + output : output * (real_.size() / outputs_) + place;
  }

  const Tensor& tensor_;
  bool last_;  ///< outputs are the last axis
  size_t outputs_;
  RealValues real_;
  std::vector<int8_t> integers_;
};

template <class T>
std::shared_ptr<const Bytes> shared_bytes(const std::vector<T>& values) {
  Bytes bytes(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return std::make_shared<const Bytes>(std::move(bytes));
}

/// What keeps weights near their numbers where samples say little: the fewer windows a place has,
/// the more.
void damp(std::vector<double>& moments, size_t places, int64_t windows) {
  double trace = 0;
  for (size_t k = 0; k < places; ++k) trace += moments[k * places + k];
  const double few =
      static_cast<double>(places) / static_cast<double>(std::max<int64_t>(windows, 1));
  const double damping = trace / static_cast<double>(places) * (0.05 + 0.5 * few);
  for (size_t k = 0; k < places; ++k) moments[k * places + k] += damping;
}

double error_of(const std::vector<double>& moments, const std::vector<double>& pull,
                const std::vector<double>& v, const std::vector<int32_t>& q) {
  double error = 0;
  for (size_t k = 0; k < v.size(); ++k) {
    double row = -2 * pull[k];
    for (size_t j = 0; j < v.size(); ++j) row += moments[k * v.size() + j] * (q[j] - v[j]);
    error += row * (q[k] - v[k]);
  }
  return error;
}

std::vector<double> product(const std::vector<double>& matrix, const std::vector<double>& v) {
  std::vector<double> result(v.size());
  for (size_t k = 0; k < v.size(); ++k)
    for (size_t j = 0; j < v.size(); ++j) result[k] += matrix[k * v.size() + j] * v[j];
  return result;
}

/// Weights of one output, and their scale.
struct Rounded {
  std::vector<int32_t> integers;
  float scale = 1;
};

/// What the outputs of one group of input channels have in common.
struct GroupMoments {
  std::vector<double> moments, drift;
};

Rounded rounded(const LayerWeights& weights, size_t output, const GroupMoments& group,
                size_t places, int32_t largest) {
  const float given = weights.scale(output);
  const bool fixed = largest == 127 || !weights.per_channel();
  // The given one may be 0.4 of that of the largest magnitude already.
  static constexpr std::array kFactors = {1.0F, 0.7F, 0.8F, 0.9F, 1.1F, 1.2F, 1.35F, 1.5F};
  Rounded best;
  double least = HUGE_VAL;
  for (const float factor : kFactors) {
    const float scale = given * factor;
    const std::vector<double> v = weights.steps(output, places, scale);
    const std::vector<double> pull = product(group.drift, v);
    std::vector<int32_t> q = least_error_integers(group.moments, pull, v, largest);
    if (fixed) return {std::move(q), given};
    const double error = error_of(group.moments, pull, v, q) * scale * scale;
    if (error >= least) continue;
    least = error;
    best = {std::move(q), scale};
  }
  return best;
}

/// The bias in steps of other scales.
void rescale_bias(Quantised& made, const Graph& real, const MadeLayer& layer,
                  const std::vector<float>& scales) {
  const Op &op = made.graph.op(layer.made), &original = real.op(layer.original);
  if (op.inputs.size() < 3) return;
  Tensor& bias = made.graph.tensor(op.inputs[2]);
  const float x_scale = made.graph.tensor(op.inputs[0]).quantization.scales[0];
  const Tensor& from = real.tensor(original.inputs[2]);
  bias = quantised_bias(dequantised(from, *from.data), bias, scales, x_scale);
}

void round_weights(Quantised& made, const Graph& real, const MadeLayer& layer,
                   const PatchSums& sums, int jobs) {
  const bool has_bias = made.graph.op(layer.made).inputs.size() > 2;
  const size_t places = sums.places();
  LayerWeights weights(made, real, layer);
  std::vector<Rounded> results(weights.outputs());
  std::vector<GroupMoments> groups(sums.groups());
  in_parallel(groups.size(), jobs, [&](size_t g, size_t) {
    groups[g] = {sums.moments(g, has_bias), sums.drift(g, has_bias)};
    damp(groups[g].moments, places, sums.windows());
  });
  in_parallel(results.size(), jobs, [&](size_t o, size_t) {
    results[o] =
        rounded(weights, o, groups[sums.group_of(o)], places, largest_weight(layer.format));
  });
  Tensor& tensor = made.graph.tensor(made.graph.op(layer.made).inputs[1]);
  std::vector<float> scales = tensor.quantization.scales;
  for (size_t o = 0; o < results.size(); ++o) {
    for (size_t k = 0; k < places; ++k)
      weights.integer(o, k) = static_cast<int8_t>(results[o].integers[k]);
    if (scales.size() > 1) scales[o] = results[o].scale;
  }
  tensor.data = shared_bytes(weights.integers());
  if (scales == tensor.quantization.scales) return;
  tensor.quantization.scales = scales;
  rescale_bias(made, real, layer, scales);
}

std::vector<int64_t> bias_steps(const Tensor& bias) {
  if (bias.type == DType::kInt64) return reference::elements_from<int64_t>(*bias.data);
  const auto narrow = reference::elements_from<int32_t>(*bias.data);
  return {narrow.begin(), narrow.end()};
}

void set_bias_steps(Tensor& bias, const std::vector<int64_t>& steps) {
  if (bias.type == DType::kInt64) {
    bias.data = shared_bytes(steps);
    return;
  }
  std::vector<int32_t> narrow;
  for (const int64_t step : steps)
    narrow.push_back(static_cast<int32_t>(std::clamp<int64_t>(step, -2147483647, 2147483647)));
  bias.data = shared_bytes(narrow);
}

void correct_bias(Quantised& made, const Graph& real, const MadeLayer& layer,
                  const PatchSums& sums) {
  const Op& op = made.graph.op(layer.made);
  if (op.inputs.size() < 3) return;
  LayerWeights weights(made, real, layer);
  Tensor& bias = made.graph.tensor(op.inputs[2]);
  std::vector<int64_t> steps = bias_steps(bias);
  for (size_t o = 0; o < steps.size(); ++o) {
    const size_t g = sums.group_of(o);
    double lost = 0;
    for (size_t k = 0; k < sums.places(); ++k) {
      const double v = double{weights.real(o, k)} / weights.scale(o);
      lost += (v - weights.integer(o, k)) * sums.mean(g, k) + v * sums.mean_drift(g, k);
    }
    steps[o] += std::llround(std::clamp(lost, -0x1p46, 0x1p46));
  }
  set_bias_steps(bias, steps);
}

/// What a layer's weights meet in all inferences.
PatchSums patch_sums(const Graph& graph, const Op& op, const LayerValues& made, const Graph& real,
                     TensorId real_x, const LayerValues& reals, const LayerRefinement& refinement) {
  std::vector<PatchSums> each(static_cast<size_t>(std::max(refinement.jobs, 1)),
                              PatchSums(graph, op, refinement.rounds));
  in_parallel(made.inferences(), refinement.jobs, [&](size_t k, size_t worker) {
    each[worker].add(made.value(k, op.inputs[0]),
                     dequantised(real.tensor(real_x), reals.value(k, real_x)));
  });
  for (size_t k = 1; k < each.size(); ++k) each[0].include(each[k]);
  return std::move(each[0]);
}

}  // namespace

std::vector<int32_t> least_error_integers(const std::vector<double>& moments,
                                          const std::vector<double>& pull,
                                          const std::vector<double>& v, int32_t largest) {
  const size_t n = v.size();
  const double most = largest;
  std::vector<double> q(n), slope(n);
  for (size_t k = 0; k < n; ++k) q[k] = std::clamp(std::round(v[k]), -most, most);
  for (size_t k = 0; k < n; ++k) {
    slope[k] = -pull[k];
    for (size_t j = 0; j < n; ++j) slope[k] += moments[k * n + j] * (q[j] - v[j]);
  }
  bool changed = true;
  for (int sweep = 0; sweep < kMostSweeps && changed; ++sweep) {
    changed = false;
    for (size_t k = 0; k < n; ++k) {
      const double curvature = moments[k * n + k];
      if (curvature <= 0) continue;
      const double down = std::clamp(std::floor(v[k]), -most, most),
                   up = std::clamp(std::ceil(v[k]), -most, most);
      const double to = std::clamp(q[k] + std::round(-slope[k] / curvature), down, up);
      const double step = to - q[k];
      if (step == 0 || step * (2 * slope[k] + step * curvature) >= -1e-9 * curvature) continue;
      q[k] = to;
      for (size_t j = 0; j < n; ++j) slope[j] += step * moments[k * n + j];
      changed = true;
    }
  }
  return {q.begin(), q.end()};
}

void refine_layers(Quantised& made, const Graph& real,
                   const std::vector<std::vector<Bytes>>& made_inputs,
                   const std::vector<std::vector<Bytes>>& real_inputs,
                   const LayerRefinement& refinement) {
  LayerValues values(made.graph, made_inputs), reals(real, real_inputs);
  for (size_t l = 0; l < made.layers.size(); ++l) {
    const MadeLayer& layer = made.layers[l];
    const Op& op = made.graph.op(layer.made);
    if (PatchSums::knows(op)) {
      values.compute(layer.made, refinement.jobs);
      reals.compute(layer.original, refinement.jobs);
      const PatchSums sums = patch_sums(made.graph, op, values, real,
                                        real.op(layer.original).inputs[0], reals, refinement);
      if (refinement.rounds && sums.has_products())
        round_weights(made, real, layer, sums, refinement.jobs);
      correct_bias(made, real, layer, sums);
    }
    if (refinement.progress) refinement.progress(l + 1, made.layers.size());
  }
}

}  // namespace thimble
