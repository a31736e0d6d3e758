// SPDX-License-Identifier: Apache-2.0
#include "tests/runtime/cases.h"

namespace thimble::testing {

runtime::Scale random_scale(Random& random, int32_t least_shift, int32_t most_shift) {
  return {random.between(1 << 30, 0x7FFFFFFF), random.between(least_shift, most_shift)};
}

Extents random_extents(Random& random) {
  return {2, random.between(1, 7), random.between(1, 7), random.between(1, 11)};
}

// No default: a new family does not compile until random cases cover it.
static Case case_of_family(KernelId kernel, Random& random) {
  if (info(kernel).in == DType::kFloat32 && info(kernel).out == DType::kFloat32)
    return float_case(kernel, random);
  switch (info(kernel).family) {
    case Family::kConv2D:
    case Family::kConv2DOffset:
    case Family::kConv2DAccumulate:
    case Family::kConv2DFinalise:
    case Family::kTransposeConv:
    case Family::kFullyConnected:
    case Family::kDepthwiseConv2D:
    case Family::kDepthwiseConv2DInPlace:
      return weighted_case(kernel, random);
    case Family::kAveragePool2DFinalise:
    case Family::kMeanFinalise:
    case Family::kAdd:
    case Family::kMul:
    case Family::kSub:
    case Family::kDiv:
    case Family::kSquaredDifference:
    case Family::kMaximum:
    case Family::kMinimum:
    case Family::kComparison:
    case Family::kSelect:
    case Family::kCopy:
    case Family::kCast:
    case Family::kRescale:
    case Family::kClamp:
    case Family::kLeakyRelu:
    case Family::kPrelu:
    case Family::kLookup:
    case Family::kLogistic:
    case Family::kTanh:
    case Family::kRsqrt:
    case Family::kFloorDiv:
    case Family::kFloorMod:
    case Family::kQuantize:
    case Family::kDequantize:
      return elementwise_case(kernel, random);
    case Family::kBatchMatMul:
    case Family::kAveragePool2D:
    case Family::kAveragePool2DTiesUp:
    case Family::kMaxPool2D:
    case Family::kMinPool2D:
    case Family::kMean:
    case Family::kSumAccumulate:
    case Family::kPad:
    case Family::kTransposeInPlace:
    case Family::kSoftmax:
    case Family::kLogSoftmax:
    case Family::kGather:
    case Family::kUpdateSlice:
    case Family::kArgMax:
    case Family::kCumSum:
    case Family::kL2Normalization:
    case Family::kResizeNearestNeighbor:
    case Family::kResizeBilinear:
      return gathering_case(kernel, random);
    case Family::kSvdfFeatures:
    case Family::kShiftIn:
    case Family::kSvdf:
    case Family::kLstm:
      return recurrent_case(kernel, random);
    case Family::kSignalWindow:
    case Family::kSignalAutoShift:
    case Family::kSignalShift:
    case Family::kSignalRfft:
    case Family::kSignalIrfft:
    case Family::kSignalEnergy:
    case Family::kSignalFilterBank:
    case Family::kSignalSquareRoot:
    case Family::kSignalNoise:
    case Family::kSignalSubtraction:
    case Family::kSignalPcan:
    case Family::kSignalLog:
      return signal_case(kernel, random);
    case Family::kConv2DHybrid:
    case Family::kLstmHybrid:
    case Family::kL2Pool2D:
    case Family::kDetectionPostProcess:
    case Family::kAbs:
    case Family::kElu:
    case Family::kGelu:
    case Family::kGeluByTanh:
    case Family::kHardSwish:
    case Family::kCeil:
    case Family::kCos:
    case Family::kExp:
    case Family::kFloor:
    case Family::kLog:
    case Family::kNeg:
    case Family::kRound:
    case Family::kSin:
    case Family::kSqrt:
    case Family::kSquare:
      break;  // of float32 alone
  }
  throw std::logic_error("random_case: no such kernel");
}

Case random_case(KernelId kernel, Random& random) {
  Case result = case_of_family(kernel, random);
  result.rings = info(kernel).rings;
  result.dense_channels = info(kernel).dense_channels;
  result.dense_output = info(kernel).dense_output;
  return result;
}

Element element_of(DType type) {
  switch (size_bytes(type)) {
    case 1:
      return Element::kInt8;
    case 2:
      return Element::kInt16;
    case 8:
      return Element::kInt64;
    default:
      return type == DType::kFloat32 ? Element::kFloat32 : Element::kInt32;
  }
}

void run(KernelId kernel, const KernelParams& params, const Call& call) {
  invoke({.kernel = kernel,
          .params = &params,
          .in = call.in,
          .out = call.out,
          .region = call.region,
          .chunk_begin = call.chunk.begin,
          .chunk_end = call.chunk.end,
          .scratch = call.scratch});
}

}  // namespace thimble::testing
