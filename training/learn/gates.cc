// SPDX-License-Identifier: Apache-2.0
#include "training/learn/gates.h"

#include <algorithm>

namespace thimble::training {
namespace {

constexpr double kShareOfBatch = 0.02;  ///< of a batch in the average
constexpr float kMuchMore = 3;      ///< than an open channel, for a closed one to take its place
constexpr float kNoWorth = 1e-12F;  ///< of what has no gradient yet

std::vector<float> numbers_of(const torch::Tensor& tensor) {
  return {tensor.data_ptr<float>(), tensor.data_ptr<float>() + tensor.numel()};
}

}  // namespace

Gates::Gates(const Channels& channels, const Network& network)
    : channels_(channels), gated_(network.graph().tensors.size(), false) {
  for (size_t g = 0; g < channels.groups(); ++g) {
    gates_.push_back(torch::ones({channels.count(g)}).requires_grad_(true));
    averages_.push_back(torch::zeros({channels.count(g)}));
    for (const OpId o : channels.makers(g)) gated_[network.graph().op(o).outputs[0].index()] = true;
  }
}

torch::Tensor Gates::tap(TensorId t, const torch::Tensor& x) const {
  if (!gated_[t.index()]) return x;
  // Channels of one tensor are mostly those of one group, in order.
  const std::vector<ChannelOf>& of = channels_.of(t);
  std::vector<torch::Tensor> pieces;
  for (size_t k = 0; k < of.size();) {
    const size_t begin = k;
    std::vector<int64_t> indices;
    for (; k < of.size() && of[k].group == of[begin].group; ++k) indices.push_back(of[k].channel);
    pieces.push_back(of[begin].group < 0
                         ? torch::ones({static_cast<int64_t>(k - begin)})
                         : gates_[static_cast<size_t>(of[begin].group)].index_select(
                               0, torch::tensor(indices, torch::kInt64)));
  }
  const torch::Tensor all = torch::cat(pieces);
  return x.dim() == 4 ? x * all.reshape({1, -1, 1, 1}) : x * all;
}

void Gates::learn() {
  const torch::NoGradGuard guard;
  for (size_t g = 0; g < gates_.size(); ++g) {
    torch::Tensor& gradient = gates_[g].mutable_grad();
    if (!gradient.defined()) continue;
    averages_[g].lerp_(gradient.square(), kShareOfBatch);
    gradient.zero_();
  }
}

Kept Gates::kept() const {
  Kept kept;
  for (const torch::Tensor& gate : gates_) {
    std::vector<bool>& open = kept.emplace_back();
    for (const float is_open : numbers_of(gate)) open.push_back(is_open > 0);
  }
  return kept;
}

void Gates::keep(const Kept& kept) {
  const torch::NoGradGuard guard;
  for (size_t g = 0; g < gates_.size(); ++g) {
    auto* gate = gates_[g].data_ptr<float>();
    for (size_t c = 0; c < kept[g].size(); ++c) gate[c] = kept[g][c] ? 1 : 0;
  }
}

void Gates::exchange() {
  Kept kept = this->kept();
  const std::vector<std::vector<float>> worths = this->worths();
  for (size_t g = 0; g < kept.size(); ++g) {
    std::vector<size_t> order(kept[g].size());
    for (size_t c = 0; c < order.size(); ++c) order[c] = c;
    std::ranges::stable_sort(order, {}, [&](size_t c) { return worths[g][c]; });
    // The least of those that are open with the most of those that are closed, and so on.
    auto least = order.begin();
    auto most = order.rbegin();
    for (;; ++least, ++most) {
      while (least != order.end() && !kept[g][*least]) ++least;
      while (most != order.rend() && kept[g][*most]) ++most;
      if (least == order.end() || most == order.rend() ||
          worths[g][*most] < kMuchMore * worths[g][*least])
        break;
      kept[g][*least] = false;
      kept[g][*most] = true;
    }
  }
  keep(kept);
}

std::vector<std::vector<float>> Gates::worths() const {
  std::vector<std::vector<float>> result;
  for (const torch::Tensor& average : averages_)
    result.push_back(numbers_of(average.clamp_min(kNoWorth)));
  return result;
}

std::vector<std::vector<float>> magnitudes(const Channels& channels, const Network& network) {
  std::vector<std::vector<float>> result;
  for (size_t g = 0; g < channels.groups(); ++g) {
    std::vector<float>& sums = result.emplace_back(static_cast<size_t>(channels.count(g)), 0.0F);
    for (const OpId o : channels.makers(g)) {
      const std::vector<float> sizes = network.magnitudes(o);
      const std::vector<ChannelOf>& of = channels.of(network.graph().op(o).outputs[0]);
      for (size_t k = 0; k < of.size(); ++k) {
        if (of[k].group == static_cast<int32_t>(g))
          sums[static_cast<size_t>(of[k].channel)] += sizes[k];
      }
    }
    for (float& sum : sums) sum = std::max(sum, kNoWorth);
  }
  return result;
}

}  // namespace thimble::training
