// SPDX-License-Identifier: Apache-2.0
#include "training/learn/layout.h"

#include <cstring>

#include "thimble/model/error.h"

namespace thimble::training {

int64_t torch_axis(int axis, size_t rank) {
  if (rank != 4) return axis;
  constexpr int64_t kAxes[] = {0, 2, 3, 1};
  return kAxes[axis];
}

torch::Tensor channels_second(const torch::Tensor& x) {
  return x.dim() == 4 ? x.permute({0, 3, 1, 2}) : x;
}

torch::Tensor channels_last(const torch::Tensor& x) {
  return x.dim() == 4 ? x.permute({0, 2, 3, 1}) : x;
}

torch::Tensor tensor_of(const Tensor& constant) {
  check(constant.type == DType::kFloat32 && constant.is_constant(), "no constant of float32");
  torch::Tensor result = torch::empty(c10::IntArrayRef(constant.shape));
  std::memcpy(result.data_ptr<float>(), constant.data->data(), constant.data->size());
  return result;
}

std::shared_ptr<const Bytes> bytes_of(const torch::Tensor& tensor) {
  const torch::Tensor plain = tensor.detach().to(torch::kFloat32).contiguous();
  Bytes bytes(static_cast<size_t>(plain.numel()) * sizeof(float));
  std::memcpy(bytes.data(), plain.data_ptr<float>(), bytes.size());
  return std::make_shared<const Bytes>(std::move(bytes));
}

}  // namespace thimble::training
