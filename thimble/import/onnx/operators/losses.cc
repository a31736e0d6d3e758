// SPDX-License-Identifier: Apache-2.0
// Losses for constant targets: what they pick of the logarithms of probabilities.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "thimble/import/onnx/along_axis.h"

namespace thimble::onnx {
namespace {

/// Per target: where its class stands in the row of all elements, and what it counts.
struct Picks {
  std::vector<int64_t> positions;
  std::vector<float> weights;
};

Picks picks_of(const Reading& r, const Shape& x, const Constant& targets) {
  if (x.size() < 2 || elements(x) < 1 || targets.size() * x[1] != elements(x))
    r.node.damaged(fmt::format("targets {} of {}", to_string(targets.shape), to_string(x)));
  std::vector<float> weights(static_cast<size_t>(x[1]), 1);
  if (r.has(2)) weights = reals(r.constant(2, "weights"));
  if (std::ssize(weights) != x[1]) r.node.damaged("weights of other classes");
  const bool ignores = r.node.has("ignore_index");
  const int64_t ignored = r.node.whole("ignore_index", 0);
  const int64_t inner = elements(x) / x[0] / x[1];
  const std::vector<int64_t> classes = wholes(targets);
  Picks picks;
  for (int64_t k = 0; k < std::ssize(classes); ++k) {
    int64_t of = classes[static_cast<size_t>(k)];
    const bool counts = !ignores || of != ignored;
    if (!counts) of = 0;
    if (of < 0 || of >= x[1]) r.node.damaged(fmt::format("class {} of {}", of, x[1]));
    picks.positions.push_back((k / inner * x[1] + of) * inner + k % inner);
    picks.weights.push_back(counts ? weights[static_cast<size_t>(of)] : 0);
  }
  return picks;
}

Value loss_of(const Reading& r, const Value& x) {
  const Constant& targets = r.constant(1, "targets");
  if (x.rank() < 2 || elements(x.shape) < 1) r.node.damaged("its input has no classes");
  const int64_t classes = x.shape[1];
  const Shape flat = {x.shape[0], classes, elements(x.shape) / x.shape[0] / classes};
  Picks picks = picks_of(r, flat, targets);
  const std::string reduction = r.node.text("reduction", "mean");
  float factor = -1;
  if (reduction == "mean")
    factor = -1 / std::accumulate(picks.weights.begin(), picks.weights.end(), 0.0F);
  for (float& weight : picks.weights) weight *= factor;
  const Value picked = taken(r, in_shape(in_shape(x, flat), {elements(flat)}), 0, picks.positions);
  const Shape row = {targets.size()};
  const Value losses = r.each(Mul{}, picked, r.known(constant_of(row, picks.weights)));
  if (reduction == "none") return in_shape(losses, targets.shape);
  return r.value(Sum{.axes = {0}}, {losses.tensor}, x.type, {}, {});
}

void negative_log_likelihood(Reading& r) { r.make(0, loss_of(r, r.input(0))); }

void cross_entropy(Reading& r) {
  const Value& x = r.input(0);
  if (x.rank() < 2) r.node.damaged("its input has no classes");
  const int64_t each = elements(x.shape) / std::max<int64_t>(x.shape[0] * x.shape[1], 1);
  const Shape flat = {x.shape[0], x.shape[1], each};
  const Order order = channels_last(flat.size());
  const TensorId rows = r.network.tensor(r.node, in_shape(x, flat), order);
  const Value logarithms = r.value(LogSoftmax{}, {rows}, x.type, flat, order);
  r.make(0, loss_of(r, logarithms));
  if (r.wants(1)) r.make(1, in_shape(logarithms, x.shape));
}

}  // namespace

const ReadNodes& loss_operators() {
  static const ReadNodes all = {{"NegativeLogLikelihoodLoss", negative_log_likelihood},
                                {"SoftmaxCrossEntropyLoss", cross_entropy}};
  return all;
}

}  // namespace thimble::onnx
