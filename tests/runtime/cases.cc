// SPDX-License-Identifier: Apache-2.0
#include "tests/runtime/cases.h"

namespace thimble::testing {

runtime::Scale random_scale(Random& random, int32_t least_shift, int32_t most_shift) {
  return {random.between(1 << 30, 0x7FFFFFFF), random.between(least_shift, most_shift)};
}

Extents random_extents(Random& random) {
  return {2, random.between(1, 7), random.between(1, 7), random.between(1, 11)};
}

// No default: a new kernel does not compile until random cases cover it.
Case random_case(KernelId kernel, Random& random) {
  switch (kernel) {
    case KernelId::kConv2D:
    case KernelId::kConv2DAccumulate:
    case KernelId::kConv2DAccumulateI16:
    case KernelId::kConv2DAccumulateI8:
    case KernelId::kConv2DFinalise:
    case KernelId::kFullyConnected:
    case KernelId::kDepthwiseConv2D:
    case KernelId::kDepthwiseConv2DInPlace:
      return weighted_case(kernel, random);
    case KernelId::kAveragePool2DFinalise:
    case KernelId::kMeanFinalise:
    case KernelId::kAdd:
    case KernelId::kMul:
    case KernelId::kCopy8:
    case KernelId::kCopy16:
    case KernelId::kCopy32:
    case KernelId::kRescaleI8I8:
    case KernelId::kRescaleI8U8:
    case KernelId::kRescaleU8I8:
    case KernelId::kRescaleI8I16:
    case KernelId::kRescaleI16I8:
    case KernelId::kRescaleI32I8:
    case KernelId::kRescaleI16I32:
    case KernelId::kClamp:
    case KernelId::kLookupI8:
    case KernelId::kQuantizeF32I8:
    case KernelId::kQuantizeF32I16:
    case KernelId::kDequantizeI8F32:
    case KernelId::kDequantizeI16F32:
      return elementwise_case(kernel, random);
    case KernelId::kBatchMatMul:
    case KernelId::kAveragePool2D:
    case KernelId::kMaxPool2D:
    case KernelId::kMean:
    case KernelId::kSumAccumulate:
    case KernelId::kPad:
    case KernelId::kTransposeInPlace8:
    case KernelId::kSoftmaxI8I8:
    case KernelId::kSoftmaxI8I16:
    case KernelId::kResizeNearestNeighbor:
    case KernelId::kResizeBilinear:
      return gathering_case(kernel, random);
  }
  throw std::logic_error("random_case: no such kernel");
}

}  // namespace thimble::testing
