// SPDX-License-Identifier: Apache-2.0
// From a graph's order of axes to LibTorch's, and back.
#pragma once

#include <torch/torch.h>

#include <vector>

#include "thimble/model/graph.h"

namespace thimble::training {

/// The axis of LibTorch's tensor that is this one of the graph's.
[[nodiscard]] int64_t torch_axis(int axis, size_t rank);
/// N x H x W x C to N x C x H x W and back; all but images stay as they are.
[[nodiscard]] torch::Tensor channels_second(const torch::Tensor& x);
[[nodiscard]] torch::Tensor channels_last(const torch::Tensor& x);
/// A graph's constant of float32, its axes as they are.
[[nodiscard]] torch::Tensor tensor_of(const Tensor& constant);
/// The bytes of a tensor of float32, row-major.
[[nodiscard]] std::shared_ptr<const Bytes> bytes_of(const torch::Tensor& tensor);

}  // namespace thimble::training
