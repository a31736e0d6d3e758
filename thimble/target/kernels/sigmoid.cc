// SPDX-License-Identifier: Apache-2.0
// Logistic and tanh of int16, between the steps of a table.
#include "thimble/reference/sigmoid.h"

#include <cstring>

#include "thimble/target/kernels/axes.h"
#include "thimble/target/kernels/operands.h"
#include "thimble/target/kernels/sigmoid.h"

namespace thimble {

KernelUse sigmoid_use(const Operands& t, Family family, int most_exponent) {
  const auto scaling = reference::sigmoid_scaling(scale_of(t.in(0)), most_exponent);
  const runtime::SigmoidParams params{nullptr, scaling.multiplier, scaling.shift};
  return elementwise_use(portable_kernel(family, DType::kInt16, DType::kInt16), params,
                         {t.in(0).shape}, t.out().shape);
}

std::vector<PackedConstant> pack_sigmoid(const Operands&) {
  const auto& values = reference::sigmoid_table();
  PackedConstant table{"table", DType::kInt16, {static_cast<int64_t>(values.size())}, {}};
  Bytes bytes(sizeof values);
  std::memcpy(bytes.data(), values.data(), sizeof values);
  table.data = std::move(bytes);
  return {table};
}

}  // namespace thimble
