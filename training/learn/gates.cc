// SPDX-License-Identifier: Apache-2.0
#include "training/learn/gates.h"

#include <algorithm>

namespace thimble::training {
namespace {

constexpr double kSoftness = 0.1;  ///< of the sigmoid, beside importances of mean 1

torch::Tensor sum_of_magnitudes(const Channels& channels, const Network& network, size_t group) {
  torch::Tensor sum = torch::zeros({channels.count(group)});
  auto* sums = sum.data_ptr<float>();
  for (const OpId o : channels.makers(group)) {
    const std::vector<float> sizes = network.magnitudes(o);
    const std::vector<ChannelOf>& of = channels.of(network.graph().op(o).outputs[0]);
    for (size_t k = 0; k < of.size(); ++k) {
      if (of[k].group == static_cast<int32_t>(group)) sums[of[k].channel] += sizes[k];
    }
  }
  const double mean = sum.mean().item<double>();
  return mean > 0 ? sum / mean : torch::ones_like(sum);
}

}  // namespace

Gates::Gates(const Channels& channels, const Network& network)
    : channels_(channels), gated_(network.graph().tensors.size(), false) {
  for (size_t g = 0; g < channels.groups(); ++g) {
    importances_.push_back(sum_of_magnitudes(channels, network, g).requires_grad_(true));
    // Below all of them, so that everything is open at first.
    thresholds_.push_back(torch::zeros({}).requires_grad_(true));
    for (const OpId o : channels.makers(g)) gated_[network.graph().op(o).outputs[0].index()] = true;
  }
}

torch::Tensor Gates::gate(size_t group) const {
  const torch::Tensor over = importances_[group] - thresholds_[group];
  const torch::Tensor soft = torch::sigmoid(over / kSoftness);
  return (over > 0).to(torch::kFloat32) - soft.detach() + soft;
}

torch::Tensor Gates::tap(TensorId t, torch::Tensor x) const {
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
                         : gate(static_cast<size_t>(of[begin].group))
                               .index_select(0, torch::tensor(indices, torch::kInt64)));
  }
  const torch::Tensor all = torch::cat(pieces);
  return x.dim() == 4 ? x * all.reshape({1, -1, 1, 1}) : x * all;
}

std::vector<torch::Tensor> Gates::widths() const {
  std::vector<torch::Tensor> result;
  for (size_t g = 0; g < importances_.size(); ++g) result.push_back(gate(g).sum());
  return result;
}

std::vector<std::vector<float>> Gates::margins() const {
  std::vector<std::vector<float>> result;
  for (size_t g = 0; g < importances_.size(); ++g) {
    const torch::Tensor over = (importances_[g] - thresholds_[g]).detach().contiguous();
    result.emplace_back(over.data_ptr<float>(), over.data_ptr<float>() + over.numel());
  }
  return result;
}

Kept Gates::kept() const {
  Kept kept;
  for (const std::vector<float>& over : margins()) {
    std::vector<bool>& open = kept.emplace_back();
    for (const float margin : over) open.push_back(margin > 0);
    // The last one stays.
    if (std::ranges::none_of(open, [](bool is) { return is; }))
      open[static_cast<size_t>(std::ranges::max_element(over) - over.begin())] = true;
  }
  return kept;
}

}  // namespace thimble::training
