// SPDX-License-Identifier: Apache-2.0
#include "training/learn/shrink.h"

#include "thimble/model/error.h"

namespace thimble::training {
namespace {

torch::Tensor of_kept(const torch::Tensor& tensor, int64_t axis,
                      const std::vector<ChannelOf>& channels, const Kept& kept) {
  if (channels.empty()) return tensor;
  std::vector<int64_t> indices;
  for (size_t k = 0; k < channels.size(); ++k) {
    const ChannelOf& c = channels[k];
    if (c.group < 0 || kept[static_cast<size_t>(c.group)][static_cast<size_t>(c.channel)])
      indices.push_back(static_cast<int64_t>(k));
  }
  return tensor.index_select(axis, torch::tensor(indices, torch::kInt64));
}

}  // namespace

void shrink(const Network& from, const Channels& channels, const Kept& kept, Network& to) {
  const torch::NoGradGuard guard;
  const auto copy = [&](const std::map<std::string, torch::Tensor>& tensors,
                        const std::string& name, const torch::Tensor& value) {
    torch::Tensor target = tensors.at(name);
    check(target.sizes() == value.sizes(), "a shrunk tensor has the shape of the smaller network");
    target.copy_(value);
  };
  for (const auto& [name, tensor] : from.parameters()) {
    torch::Tensor value = tensor;
    if (const std::optional<TensorId> constant = from.constant_of(name)) {
      const std::vector<std::vector<ChannelOf>> axes = channels.axes_of(*constant);
      for (size_t a = 0; a < axes.size(); ++a)
        value = of_kept(value, static_cast<int64_t>(a), axes[a], kept);
    } else {
      value = of_kept(value, 0, channels.of(from.normalised_tensor(name)), kept);
    }
    copy(to.parameters(), name, value);
  }
  for (const auto& [name, tensor] : from.statistics())
    copy(to.statistics(), name,
         of_kept(tensor, 0, channels.of(from.normalised_tensor(name)), kept));
}

}  // namespace thimble::training
