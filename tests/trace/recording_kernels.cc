// SPDX-License-Identifier: Apache-2.0
// Kernels that compute nothing: each writes a line of the trace. One that is missing does not link.
#include "recorder.h"

namespace thimble::runtime {
namespace {

template <class Params>
void unary(const char* kernel, const Params& p, const View& x, const View& out,
           const Region& region) {
  const std::string params = traced_params(p);
  write_line(kernel + params + traced_views({&x, &out}) + trace_region(region));
}

template <class Params>
void binary(const char* kernel, const Params& p, const View& a, const View& b, const View& out,
            const Region& region) {
  const std::string params = traced_params(p);
  write_line(kernel + params + traced_views({&a, &b, &out}) + trace_region(region));
}

template <class Params>
void accumulate(const char* kernel, const Params& p, const View& x, const View& out,
                const Region& region, int32_t begin, int32_t end) {
  const std::string params = traced_params(p);
  write_line(kernel + params + traced_views({&x, &out}) + trace_region(region) +
             trace_chunk(begin, end));
}

void copy(const char* kernel, const View& x, const View& out, const Region& region) {
  write_line(kernel + traced_views({&x, &out}) + trace_region(region));
}

}  // namespace

void conv_2d(const Conv2DParams& p, const View& x, const View& out, const Region& region) noexcept {
  unary("conv_2d", p, x, out, region);
}
void conv_2d_finalise(const Conv2DParams& p, const View& x, const View& out,
                      const Region& region) noexcept {
  unary("conv_2d_finalise", p, x, out, region);
}
void depthwise_conv_2d(const DepthwiseConv2DParams& p, const View& x, const View& out,
                       const Region& region) noexcept {
  unary("depthwise_conv_2d", p, x, out, region);
}
void average_pool_2d(const Pool2DParams& p, const View& x, const View& out,
                     const Region& region) noexcept {
  unary("average_pool_2d", p, x, out, region);
}
void average_pool_2d_finalise(const Pool2DParams& p, const View& x, const View& out,
                              const Region& region) noexcept {
  unary("average_pool_2d_finalise", p, x, out, region);
}
void max_pool_2d(const Pool2DParams& p, const View& x, const View& out,
                 const Region& region) noexcept {
  unary("max_pool_2d", p, x, out, region);
}
void mean(const MeanParams& p, const View& x, const View& out, const Region& region) noexcept {
  unary("mean", p, x, out, region);
}
void mean_finalise(const MeanParams& p, const View& x, const View& out,
                   const Region& region) noexcept {
  unary("mean_finalise", p, x, out, region);
}
void pad(const PadParams& p, const View& x, const View& out, const Region& region) noexcept {
  unary("pad", p, x, out, region);
}
void rescale_i8_i8(const RescaleParams& p, const View& x, const View& out,
                   const Region& region) noexcept {
  unary("rescale_i8_i8", p, x, out, region);
}
void rescale_i8_u8(const RescaleParams& p, const View& x, const View& out,
                   const Region& region) noexcept {
  unary("rescale_i8_u8", p, x, out, region);
}
void rescale_u8_i8(const RescaleParams& p, const View& x, const View& out,
                   const Region& region) noexcept {
  unary("rescale_u8_i8", p, x, out, region);
}
void rescale_i8_i16(const RescaleParams& p, const View& x, const View& out,
                    const Region& region) noexcept {
  unary("rescale_i8_i16", p, x, out, region);
}
void rescale_i16_i8(const RescaleParams& p, const View& x, const View& out,
                    const Region& region) noexcept {
  unary("rescale_i16_i8", p, x, out, region);
}
void rescale_i32_i8(const RescaleParams& p, const View& x, const View& out,
                    const Region& region) noexcept {
  unary("rescale_i32_i8", p, x, out, region);
}
void rescale_i16_i32(const RescaleParams& p, const View& x, const View& out,
                     const Region& region) noexcept {
  unary("rescale_i16_i32", p, x, out, region);
}
void clamp(const ClampParams& p, const View& x, const View& out, const Region& region) noexcept {
  unary("clamp", p, x, out, region);
}
void lookup_i8(const LookupParams& p, const View& x, const View& out,
               const Region& region) noexcept {
  unary("lookup_i8", p, x, out, region);
}
void quantize_f32_i8(const FloatParams& p, const View& x, const View& out,
                     const Region& region) noexcept {
  unary("quantize_f32_i8", p, x, out, region);
}
void quantize_f32_i16(const FloatParams& p, const View& x, const View& out,
                      const Region& region) noexcept {
  unary("quantize_f32_i16", p, x, out, region);
}
void dequantize_i8_f32(const FloatParams& p, const View& x, const View& out,
                       const Region& region) noexcept {
  unary("dequantize_i8_f32", p, x, out, region);
}
void dequantize_i16_f32(const FloatParams& p, const View& x, const View& out,
                        const Region& region) noexcept {
  unary("dequantize_i16_f32", p, x, out, region);
}
void softmax_i8_i8(const SoftmaxParams& p, const View& x, const View& out,
                   const Region& region) noexcept {
  unary("softmax_i8_i8", p, x, out, region);
}
void softmax_i8_i16(const SoftmaxParams& p, const View& x, const View& out,
                    const Region& region) noexcept {
  unary("softmax_i8_i16", p, x, out, region);
}
void resize_nearest_neighbor(const ResizeNearestNeighborParams& p, const View& x, const View& out,
                             const Region& region) noexcept {
  unary("resize_nearest_neighbor", p, x, out, region);
}
void resize_bilinear(const ResizeBilinearParams& p, const View& x, const View& out,
                     const Region& region) noexcept {
  unary("resize_bilinear", p, x, out, region);
}
void fully_connected(const FullyConnectedParams& p, const View& a, const View& b, const View& out,
                     const Region& region) noexcept {
  binary("fully_connected", p, a, b, out, region);
}
void batch_matmul(const BatchMatMulParams& p, const View& a, const View& b, const View& out,
                  const Region& region) noexcept {
  binary("batch_matmul", p, a, b, out, region);
}
void add(const AddParams& p, const View& a, const View& b, const View& out,
         const Region& region) noexcept {
  binary("add", p, a, b, out, region);
}
void mul(const MulParams& p, const View& a, const View& b, const View& out,
         const Region& region) noexcept {
  binary("mul", p, a, b, out, region);
}
void conv_2d_accumulate(const Conv2DParams& p, const View& x, const View& out, const Region& region,
                        int32_t begin, int32_t end) noexcept {
  accumulate("conv_2d_accumulate", p, x, out, region, begin, end);
}
void conv_2d_accumulate_i16(const Conv2DNarrowParams& p, const View& x, const View& out,
                            const Region& region, int32_t begin, int32_t end) noexcept {
  accumulate("conv_2d_accumulate_i16", p, x, out, region, begin, end);
}
void conv_2d_accumulate_i8(const Conv2DNarrowParams& p, const View& x, const View& out,
                           const Region& region, int32_t begin, int32_t end) noexcept {
  accumulate("conv_2d_accumulate_i8", p, x, out, region, begin, end);
}
void sum_accumulate(const SumParams& p, const View& x, const View& out, const Region& region,
                    int32_t begin, int32_t end) noexcept {
  accumulate("sum_accumulate", p, x, out, region, begin, end);
}
void copy_8(const View& x, const View& out, const Region& region) noexcept {
  copy("copy_8", x, out, region);
}
void copy_16(const View& x, const View& out, const Region& region) noexcept {
  copy("copy_16", x, out, region);
}
void copy_32(const View& x, const View& out, const Region& region) noexcept {
  copy("copy_32", x, out, region);
}
void transpose_in_place_8(const View& x, const View& out, const Region& region) noexcept {
  copy("transpose_in_place_8", x, out, region);
}
void depthwise_conv_2d_in_place(const DepthwiseConv2DParams& p, const View& x, const View& out,
                                const Region& region, int8_t* scratch) noexcept {
  const std::string params = traced_params(p);
  write_line("depthwise_conv_2d_in_place" + params + traced_views({&x, &out}) +
             trace_region(region) + " | scratch " + place_of(scratch));
}

}  // namespace thimble::runtime
