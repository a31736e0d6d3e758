// SPDX-License-Identifier: Apache-2.0
// Parameters bound to constants, and calls of the shipping kernels on the host.
#include <type_traits>

#include "thimble/model/error.h"
#include "thimble/target/kernels/fields.h"
#include "thimble/target/kernels/kernel.h"

namespace thimble {
namespace {

// Every number of the parameters; pointers do not count.
std::vector<double> leaves(const KernelParams& params) {
  std::vector<double> result;
  const auto add = [&](const auto& leaf) {
    if constexpr (!std::is_pointer_v<std::remove_cvref_t<decltype(leaf)>>)
      result.push_back(static_cast<double>(leaf));
  };
  std::visit(
      [&](const auto& p) {
        if constexpr (!std::is_same_v<decltype(p), const std::monostate&>) each_leaf(p, add);
      },
      params);
  return result;
}

template <class Params>
using UnaryKernel = void (*)(const Params&, const runtime::View&, const runtime::View&,
                             const runtime::Region&) noexcept;

template <class Params>
const Params& params_of(const Invocation& call) {
  check(call.params != nullptr, "invoke: the kernel needs parameters");
  const auto* params = std::get_if<Params>(call.params);
  check(params != nullptr, "invoke: parameters of another kernel");
  return *params;
}

const runtime::View& operand(const Invocation& call, size_t k) {
  check(k < call.in.size(), "invoke: an operand is missing");
  return call.in[k];
}

template <class Params>
void unary(UnaryKernel<Params> kernel, const Invocation& call) {
  kernel(params_of<Params>(call), operand(call, 0), call.out, call.region);
}

void weighted(const Invocation& call) {
  using namespace runtime;
  switch (call.kernel) {
    case KernelId::kConv2DAccumulate:
      return conv_2d_accumulate(params_of<Conv2DParams>(call), operand(call, 0), call.out,
                                call.region, call.chunk_begin, call.chunk_end);
    case KernelId::kConv2DAccumulateI16:
      return conv_2d_accumulate_i16(params_of<Conv2DNarrowParams>(call), operand(call, 0), call.out,
                                    call.region, call.chunk_begin, call.chunk_end);
    case KernelId::kConv2DAccumulateI8:
      return conv_2d_accumulate_i8(params_of<Conv2DNarrowParams>(call), operand(call, 0), call.out,
                                   call.region, call.chunk_begin, call.chunk_end);
    case KernelId::kFullyConnected:
      return fully_connected(params_of<FullyConnectedParams>(call), operand(call, 0),
                             operand(call, 1), call.out, call.region);
    case KernelId::kDepthwiseConv2DInPlace:
      check(call.scratch != nullptr, "invoke: the kernel needs scratch");
      return depthwise_conv_2d_in_place(params_of<DepthwiseConv2DParams>(call), operand(call, 0),
                                        call.out, call.region, call.scratch);
    default:
      throw InternalError("invoke: unknown kernel");
  }
}

}  // namespace

KernelParams bind(const KernelParams& params, std::span<const void* const> constants) {
  KernelParams bound = params;
  size_t next = 0;
  const auto point = [&](auto& leaf) {
    using Leaf = std::remove_reference_t<decltype(leaf)>;
    if constexpr (std::is_pointer_v<Leaf>) {
      check(next < constants.size(), "bind: too few constants");
      leaf = static_cast<Leaf>(constants[next++]);
    }
  };
  std::visit(
      [&](auto& p) {
        if constexpr (!std::is_same_v<decltype(p), std::monostate&>) each_leaf(p, point);
      },
      bound);
  check(next == constants.size(), "bind: too many constants");
  return bound;
}

bool same_values(const KernelParams& a, const KernelParams& b) {
  return a.index() == b.index() && leaves(a) == leaves(b);
}

void invoke(const Invocation& call) {
  using namespace runtime;
  switch (call.kernel) {
    case KernelId::kConv2D:
      return unary<Conv2DParams>(conv_2d, call);
    case KernelId::kConv2DFinalise:
      return unary<Conv2DParams>(conv_2d_finalise, call);
    case KernelId::kConv2DAccumulate:
    case KernelId::kConv2DAccumulateI16:
    case KernelId::kConv2DAccumulateI8:
    case KernelId::kFullyConnected:
    case KernelId::kDepthwiseConv2DInPlace:
      return weighted(call);
    case KernelId::kBatchMatMul:
      return batch_matmul(params_of<BatchMatMulParams>(call), operand(call, 0), operand(call, 1),
                          call.out, call.region);
    case KernelId::kDepthwiseConv2D:
      return unary<DepthwiseConv2DParams>(depthwise_conv_2d, call);
    case KernelId::kAveragePool2D:
      return unary<Pool2DParams>(average_pool_2d, call);
    case KernelId::kAveragePool2DFinalise:
      return unary<Pool2DParams>(average_pool_2d_finalise, call);
    case KernelId::kMaxPool2D:
      return unary<Pool2DParams>(max_pool_2d, call);
    case KernelId::kMean:
      return unary<MeanParams>(mean, call);
    case KernelId::kMeanFinalise:
      return unary<MeanParams>(mean_finalise, call);
    case KernelId::kSumAccumulate:
      return sum_accumulate(params_of<SumParams>(call), operand(call, 0), call.out, call.region,
                            call.chunk_begin, call.chunk_end);
    case KernelId::kAdd:
      return add(params_of<AddParams>(call), operand(call, 0), operand(call, 1), call.out,
                 call.region);
    case KernelId::kMul:
      return mul(params_of<MulParams>(call), operand(call, 0), operand(call, 1), call.out,
                 call.region);
    case KernelId::kPad:
      return unary<PadParams>(pad, call);
    case KernelId::kCopy8:
      return copy_8(operand(call, 0), call.out, call.region);
    case KernelId::kCopy16:
      return copy_16(operand(call, 0), call.out, call.region);
    case KernelId::kCopy32:
      return copy_32(operand(call, 0), call.out, call.region);
    case KernelId::kTransposeInPlace8:
      return transpose_in_place_8(operand(call, 0), call.out, call.region);
    case KernelId::kRescaleI8I8:
      return unary<RescaleParams>(rescale_i8_i8, call);
    case KernelId::kRescaleI8U8:
      return unary<RescaleParams>(rescale_i8_u8, call);
    case KernelId::kRescaleU8I8:
      return unary<RescaleParams>(rescale_u8_i8, call);
    case KernelId::kRescaleI8I16:
      return unary<RescaleParams>(rescale_i8_i16, call);
    case KernelId::kRescaleI16I8:
      return unary<RescaleParams>(rescale_i16_i8, call);
    case KernelId::kRescaleI32I8:
      return unary<RescaleParams>(rescale_i32_i8, call);
    case KernelId::kRescaleI16I32:
      return unary<RescaleParams>(rescale_i16_i32, call);
    case KernelId::kClamp:
      return unary<ClampParams>(clamp, call);
    case KernelId::kLookupI8:
      return unary<LookupParams>(lookup_i8, call);
    case KernelId::kQuantizeF32I8:
      return unary<FloatParams>(quantize_f32_i8, call);
    case KernelId::kQuantizeF32I16:
      return unary<FloatParams>(quantize_f32_i16, call);
    case KernelId::kDequantizeI8F32:
      return unary<FloatParams>(dequantize_i8_f32, call);
    case KernelId::kDequantizeI16F32:
      return unary<FloatParams>(dequantize_i16_f32, call);
    case KernelId::kSoftmaxI8I8:
      return unary<SoftmaxParams>(softmax_i8_i8, call);
    case KernelId::kSoftmaxI8I16:
      return unary<SoftmaxParams>(softmax_i8_i16, call);
    case KernelId::kResizeNearestNeighbor:
      return unary<ResizeNearestNeighborParams>(resize_nearest_neighbor, call);
    case KernelId::kResizeBilinear:
      return unary<ResizeBilinearParams>(resize_bilinear, call);
  }
  throw InternalError("invoke: unknown kernel");
}

}  // namespace thimble
