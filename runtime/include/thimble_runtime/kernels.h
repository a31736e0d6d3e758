// SPDX-License-Identifier: Apache-2.0
// The kernels that ship: plain functions on views. Preconditions are proved by the compiler on the
// host (thimble/target/kernels, thimble/program/verify); the kernels check nothing and return
// nothing.
//
// The order in which a kernel reads and writes is part of its contract (`progress`), since an
// output may overlap an input that is no longer needed:
//
//   element  reads an element of each input, then writes it; row-major order of the region
//
//   pixel    output pixels (n, y, x) in row-major order; within a pixel, writes may come first
//
//   plane    output channels in order; reads a whole input channel before writing that channel
//
//   whole    reads all of its input before it writes anything
//
//   none     any order
//
// With an empty region (view.h) a kernel does nothing: it reads and writes no element of its
// operands or scratch, and views may point anywhere. An empty chunk [k, k) of a kernel that
// accumulates does nothing either, also [0, 0): the sums stay as they are, and the chunk that sets
// them first is the one that begins at 0 and is not empty. Loops that are cut to the border of a
// tensor make such calls.
//
// A kernel's name is its family's; where a family is there for several types, those of its elements
// (i8, u8, i16, i32, f32, b8 (0 or 1): input, then output, one if all are alike; none: int8;
// accumulators where the input is always int8, but not sums over axes, which are always int32; bits
// where only the size counts); what it is limited to; its instruction set unless it is portable:
// rescale_i8_i16, conv_2d_accumulate_i16, copy_8, conv_2d_1x1_mve. Kernels of one family and types
// do the same to the bit. The size of its scratch is NAME_scratch_bytes, of its parameters.
//
// No kernel reads an element that the region and the access map of the operator do not demand. All
// take operands in any strides, in rings too, unless their comment says otherwise.
#pragma once

#include "thimble_runtime/conv_2d.h"
#include "thimble_runtime/depthwise.h"
#include "thimble_runtime/floats.h"
#include "thimble_runtime/parameters.h"
#include "thimble_runtime/signal.h"
#include "thimble_runtime/step_loop.h"
#include "thimble_runtime/to_even.h"
#include "thimble_runtime/view.h"

namespace thimble::runtime {

/// A fully connected layer whose weights are an activation, or have a zero point of their own:
/// nothing can be folded into the bias.
struct FullyConnectedParams {
  const int32_t* bias;   ///< [out channel], the model's
  ChannelScales scales;  ///< [out channel]
  int32_t in_channels;
  int32_t input_zero_point, weights_zero_point, output_zero_point;
  int32_t clamp_min, clamp_max;
};
/// weights: (x, c) of the view are (out channel, in channel). progress: pixel.
void fully_connected(const FullyConnectedParams& p, const View& x, const View& weights,
                     const View& out, const Region& region) noexcept;

/// The newest column of the state of SVDF.
struct SvdfFeaturesParams {
  const int8_t* weights;  ///< [filter][depth]
  int32_t depth;
  int32_t input_zero_point, output_zero_point;  ///< the latter is added after the clamp, and wraps
  Scale scale;
};
/// Views: x (n, y, c) is (., batch, input), out (n, y, x) is (., batch, filter). progress: pixel.
void svdf_features_i8_i8(const SvdfFeaturesParams& p, const View& x, const View& out,
                         const Region& region) noexcept;
void svdf_features_i8_i16(const SvdfFeaturesParams& p, const View& x, const View& out,
                          const Region& region) noexcept;
/// Four filters at a time; inputs are neighbours.
void svdf_features_i8_i8_dsp(const SvdfFeaturesParams& p, const View& x, const View& out,
                             const Region& region) noexcept;
void svdf_features_i8_i16_dsp(const SvdfFeaturesParams& p, const View& x, const View& out,
                              const Region& region) noexcept;
void svdf_features_i8_i8_mve(const SvdfFeaturesParams& p, const View& x, const View& out,
                             const Region& region) noexcept;
void svdf_features_i8_i16_mve(const SvdfFeaturesParams& p, const View& x, const View& out,
                              const Region& region) noexcept;

/// Sums of SVDF over the filters of a unit and their time.
struct SvdfParams {
  const int32_t* bias;   ///< [unit]
  int32_t rank, memory;  ///< filters of a unit; columns of the state
  int32_t state_zero_point, output_zero_point;
  Scale scale;
};
/// Views: state (y, x, c) is (batch, filter, time), weights (x, c) are (filter, time), out (y, x)
/// is (batch, unit). progress: pixel.
void svdf(const SvdfParams& p, const View& state, const View& weights, const View& out,
          const Region& region) noexcept;
void svdf_i16_i8(const SvdfParams& p, const View& state, const View& weights, const View& out,
                 const Region& region) noexcept;

/// Gates are input, forget, cell, output, in this order.
struct LstmParams {
  const int8_t* weights;    ///< [gate][unit][input]
  const int8_t* recurrent;  ///< [gate][unit][unit]
  const int32_t* biases;    ///< [gate][unit][2]: of both, less zero point * sum of the weights
  const int16_t* table;     ///< of SigmoidParams
  int32_t times, inputs, units;
  int32_t output_zero_point;
  Scale input_scale[4], recurrent_scale[4];
  Scale forget_scale, update_scale, output_scale;
  int32_t cell_multiplier, cell_shift;  ///< of SigmoidParams, for the cell state
  int32_t cell_limit;                   ///< the most that the cell state can be
};
/// Views: x (y, x, c) is (batch, time, input), state (x, c) is (batch, byte), out (x, c) is (batch,
/// byte): hidden states, then the bytes of the cell state. progress: none.
void lstm(const LstmParams& p, const View& x, const View& state, const View& out,
          const Region& region) noexcept;
void lstm_dsp(const LstmParams& p, const View& x, const View& state, const View& out,
              const Region& region) noexcept;
void lstm_mve(const LstmParams& p, const View& x, const View& state, const View& out,
              const Region& region) noexcept;

/// Products of matrices: out[.., m, o] = sum over k of x[.., m, k] * y[.., k, o].
struct BatchMatMulParams {
  int32_t depth;          ///< extent of k
  int32_t zero_point[2];  ///< of x and y
  int32_t output_zero_point;
  Scale scale;
};
/// Views: x (n, y, m, k), y (n, y, o, k), out (n, y, m, o). progress: pixel.
void batch_matmul(const BatchMatMulParams& p, const View& x, const View& y, const View& out,
                  const Region& region) noexcept;
void batch_matmul_dsp(const BatchMatMulParams& p, const View& x, const View& y, const View& out,
                      const Region& region) noexcept;
/// Zero points are 0; sums of 64 bits, rounded once with 16 bits of the multiplier.
void batch_matmul_i16(const BatchMatMulParams& p, const View& x, const View& y, const View& out,
                      const Region& region) noexcept;

struct Pool2DParams {
  Window2D window;
  int32_t clamp_min, clamp_max;
};

/// Raw values, rounded half away from zero; padding left out of the count. progress: pixel.
void average_pool_2d(const Pool2DParams& p, const View& x, const View& out,
                     const Region& region) noexcept;
/// average_pool_2d with ties rounded up, as if all values were 128 more. progress: pixel.
void average_pool_2d_ties_up(const Pool2DParams& p, const View& x, const View& out,
                             const Region& region) noexcept;
/// average_pool_2d in eights of channels, which are neighbours in x; no rings. progress: pixel.
void average_pool_2d_dsp(const Pool2DParams& p, const View& x, const View& out,
                         const Region& region) noexcept;
void average_pool_2d_mve(const Pool2DParams& p, const View& x, const View& out,
                         const Region& region) noexcept;
void average_pool_2d_i16(const Pool2DParams& p, const View& x, const View& out,
                         const Region& region) noexcept;
/// progress: pixel.
void max_pool_2d(const Pool2DParams& p, const View& x, const View& out,
                 const Region& region) noexcept;
/// max_pool_2d in eights (MVE: sixteens) of channels, which are neighbours in x and out; no rings.
/// progress: pixel.
void max_pool_2d_dsp(const Pool2DParams& p, const View& x, const View& out,
                     const Region& region) noexcept;
void max_pool_2d_mve(const Pool2DParams& p, const View& x, const View& out,
                     const Region& region) noexcept;
void max_pool_2d_i16(const Pool2DParams& p, const View& x, const View& out,
                     const Region& region) noexcept;
void min_pool_2d(const Pool2DParams& p, const View& x, const View& out,
                 const Region& region) noexcept;
void min_pool_2d_i16(const Pool2DParams& p, const View& x, const View& out,
                     const Region& region) noexcept;

struct MeanParams {
  int32_t in_extent[4];  ///< of the whole input
  int32_t reduced[4];    ///< 1: the axis is summed over (the region's interval on it is [0, 1))
  Scale scale;           ///< input scale / output scale, of means / count as the reference folds it
  int32_t input_zero_point, output_zero_point;
};

/// Means and sums: out in the coordinates of x with reduced axes of extent 1. progress: none.
void mean(const MeanParams& p, const View& x, const View& out, const Region& region) noexcept;
void mean_i16(const MeanParams& p, const View& x, const View& out, const Region& region) noexcept;
/// mean over y or x or both, in eights of channels, which are neighbours in x; no rings. progress:
/// none.
void mean_dsp(const MeanParams& p, const View& x, const View& out, const Region& region) noexcept;
void mean_mve(const MeanParams& p, const View& x, const View& out, const Region& region) noexcept;
/// Complete sums -> means. progress: element.
void mean_finalise(const MeanParams& p, const View& sums, const View& out,
                   const Region& region) noexcept;
void mean_finalise_i16(const MeanParams& p, const View& sums, const View& out,
                       const Region& region) noexcept;
/// Complete sums of a window that covers the input -> averages. progress: element.
void average_pool_2d_finalise(const Pool2DParams& p, const View& sums, const View& out,
                              const Region& region) noexcept;
void average_pool_2d_finalise_i16(const Pool2DParams& p, const View& sums, const View& out,
                                  const Region& region) noexcept;

struct SumParams {
  int32_t in_extent[4];  ///< of the whole input
  int32_t reduced[4];    ///< 1: the axis is summed over; not the last
  int32_t chunk_axis;    ///< one of them
};

/// sums (int32) += x over what the indices [begin, end) of the chunk axis hold; they are set
/// to 0 first if begin is 0. sums in the coordinates of x with reduced axes of extent 1. progress:
/// none.
void sum_accumulate(const SumParams& p, const View& x, const View& sums, const Region& region,
                    int32_t begin, int32_t end) noexcept;
void sum_accumulate_i16(const SumParams& p, const View& x, const View& sums, const Region& region,
                        int32_t begin, int32_t end) noexcept;

/// Fixed-point arithmetic of TensorFlow Lite: both inputs shifted left, scaled, combined, scaled.
struct AddParams {
  int32_t left_shift;
  int32_t zero_point[2], output_zero_point;
  Scale scale[2], output_scale;
  int32_t clamp_min, clamp_max;
};

/// Broadcast operands have stride 0. progress: element.
void add(const AddParams& p, const View& a, const View& b, const View& out,
         const Region& region) noexcept;
/// add for a left shift of 20, one scale of a half, right shifts of 1 to 22 in the others (the
/// second scale may be a half, too).
void add_dsp(const AddParams& p, const View& a, const View& b, const View& out,
             const Region& region) noexcept;
/// add as add_dsp takes it, but for one scale of a half alone.
void add_mve(const AddParams& p, const View& a, const View& b, const View& out,
             const Region& region) noexcept;
void sub(const AddParams& p, const View& a, const View& b, const View& out,
         const Region& region) noexcept;
void squared_difference(const AddParams& p, const View& a, const View& b, const View& out,
                        const Region& region) noexcept;
void add_i16(const AddParams& p, const View& a, const View& b, const View& out,
             const Region& region) noexcept;
void sub_i16(const AddParams& p, const View& a, const View& b, const View& out,
             const Region& region) noexcept;
void squared_difference_i16(const AddParams& p, const View& a, const View& b, const View& out,
                            const Region& region) noexcept;

struct MulParams {
  int32_t zero_point[2], output_zero_point;
  Scale output_scale;
  int32_t clamp_min, clamp_max;
};

/// progress: element.
void mul(const MulParams& p, const View& a, const View& b, const View& out,
         const Region& region) noexcept;

void mul_i16(const MulParams& p, const View& a, const View& b, const View& out,
             const Region& region) noexcept;

/// mul for an output scale that shifts by 1 to 22 to the right, without clamps.
void mul_dsp(const MulParams& p, const View& a, const View& b, const View& out,
             const Region& region) noexcept;
/// mul for an output scale that shifts to the right.
void mul_mve(const MulParams& p, const View& a, const View& b, const View& out,
             const Region& region) noexcept;

/// Over zero: the clamp on the side of the dividend, or the zero point of 0 over 0. progress:
/// element.
void div(const MulParams& p, const View& a, const View& b, const View& out,
         const Region& region) noexcept;

/// Operators of int32 as they are, modulo 2^32; div towards zero, floor_div down, floor_mod with
/// the sign of b; over zero 0. Broadcast operands have stride 0. progress: element.
void add_i32(const View& a, const View& b, const View& out, const Region& region) noexcept;
void sub_i32(const View& a, const View& b, const View& out, const Region& region) noexcept;
void mul_i32(const View& a, const View& b, const View& out, const Region& region) noexcept;
void floor_div_i32(const View& a, const View& b, const View& out, const Region& region) noexcept;
void floor_mod_i32(const View& a, const View& b, const View& out, const Region& region) noexcept;
void div_i32(const View& a, const View& b, const View& out, const Region& region) noexcept;

/// Elements outside [0, in_extent) after subtracting `before` are `value`. progress: none. One
/// function per element size; `pad` is for bytes.
struct PadParams {
  int32_t before[4];
  int32_t in_extent[4];
  int32_t value;
};
void pad(const PadParams& p, const View& x, const View& out, const Region& region) noexcept;
void pad_16(const PadParams& p, const View& x, const View& out, const Region& region) noexcept;
void pad_32(const PadParams& p, const View& x, const View& out, const Region& region) noexcept;

/// The larger (smaller) raw value. Broadcast operands have stride 0. progress: element.
void maximum(const View& a, const View& b, const View& out, const Region& region) noexcept;
void maximum_i16(const View& a, const View& b, const View& out, const Region& region) noexcept;
void minimum(const View& a, const View& b, const View& out, const Region& region) noexcept;
void minimum_i16(const View& a, const View& b, const View& out, const Region& region) noexcept;
void maximum_i32(const View& a, const View& b, const View& out, const Region& region) noexcept;
void minimum_i32(const View& a, const View& b, const View& out, const Region& region) noexcept;

/// Which of a and b compare so, as bits: 1 less, 2 equal, 4 greater, 8 neither (NaN). out: bytes, 1
/// where one of these is accepted. Broadcast operands have stride 0. progress: element.
struct RelationParams {
  int32_t accepted;
};
void comparison_i32_b8(const RelationParams& p, const View& a, const View& b, const View& out,
                       const Region& region) noexcept;
void comparison_f32_b8(const RelationParams& p, const View& a, const View& b, const View& out,
                       const Region& region) noexcept;
/// Relations of int8 less their zero points, shifted left by 8 bits and scaled.
struct ComparisonParams {
  int32_t accepted;
  int32_t zero_point[2];
  Scale scale[2];
};
void comparison_i8_b8(const ComparisonParams& p, const View& a, const View& b, const View& out,
                      const Region& region) noexcept;

/// x where the byte of the condition is not 0, y elsewhere. Broadcast operands have stride 0.
/// progress: element. One function per element size.
void select_8(const View& condition, const View& x, const View& y, const View& out,
              const Region& region) noexcept;
void select_16(const View& condition, const View& x, const View& y, const View& out,
               const Region& region) noexcept;
void select_32(const View& condition, const View& x, const View& y, const View& out,
               const Region& region) noexcept;
void select_64(const View& condition, const View& x, const View& y, const View& out,
               const Region& region) noexcept;

/// Copies element by element: reshape, transpose (strides of x in the axes of out), concatenation
/// (bias of out), slice (bias and strides of x), copies between buffers. progress: element. One
/// function per element size.
void copy_8(const View& x, const View& out, const Region& region) noexcept;
void copy_16(const View& x, const View& out, const Region& region) noexcept;
void copy_32(const View& x, const View& out, const Region& region) noexcept;
void copy_64(const View& x, const View& out, const Region& region) noexcept;

/// The number as another type: reals towards zero and within int32 (NaN: 0), what does not fit by
/// its low bits. progress: element.
void cast_i8_i16(const View& x, const View& out, const Region& region) noexcept;
void cast_i8_i32(const View& x, const View& out, const Region& region) noexcept;
void cast_i8_f32(const View& x, const View& out, const Region& region) noexcept;
void cast_i16_i8(const View& x, const View& out, const Region& region) noexcept;
void cast_i16_i32(const View& x, const View& out, const Region& region) noexcept;
void cast_i16_f32(const View& x, const View& out, const Region& region) noexcept;
void cast_i32_i8(const View& x, const View& out, const Region& region) noexcept;
void cast_i32_i16(const View& x, const View& out, const Region& region) noexcept;
void cast_i32_i64(const View& x, const View& out, const Region& region) noexcept;
void cast_i32_f32(const View& x, const View& out, const Region& region) noexcept;
void cast_i64_i32(const View& x, const View& out, const Region& region) noexcept;
void cast_i64_f32(const View& x, const View& out, const Region& region) noexcept;
void cast_f32_i8(const View& x, const View& out, const Region& region) noexcept;
void cast_f32_i16(const View& x, const View& out, const Region& region) noexcept;
void cast_f32_i32(const View& x, const View& out, const Region& region) noexcept;

/// Index i along the axis is the state's i + count if it is below `kept`, else index i - kept of
/// what is new. progress: element. One function per element size.
struct ShiftInParams {
  int32_t axis;  ///< 0 to 3
  int32_t kept, count;
};
void shift_in_8(const ShiftInParams& p, const View& state, const View& newest, const View& out,
                const Region& region) noexcept;
void shift_in_16(const ShiftInParams& p, const View& state, const View& newest, const View& out,
                 const Region& region) noexcept;
void shift_in_32(const ShiftInParams& p, const View& state, const View& newest, const View& out,
                 const Region& region) noexcept;

/// A tensor in another order of axes at the very same bytes, int8: x is a row-major matrix
/// of rows x columns, out its transpose, as channels first and last are to each other. Both whole,
/// no rings; the region covers them. progress: whole.
void transpose_in_place_8(const View& x, const View& out, const Region& region) noexcept;

/// y = clamp(scale(x - input_zero_point) + output_zero_point): quantize between integers, relu.
struct RescaleParams {
  Scale scale;
  int32_t input_zero_point, output_zero_point;
  int32_t clamp_min, clamp_max;
};
/// progress: element. One function per pair of types that occurs.
void rescale_i8_i8(const RescaleParams& p, const View& x, const View& out,
                   const Region& region) noexcept;
void rescale_i8_i32(const RescaleParams& p, const View& x, const View& out,
                    const Region& region) noexcept;
void rescale_i8_i16(const RescaleParams& p, const View& x, const View& out,
                    const Region& region) noexcept;
void rescale_i16_i8(const RescaleParams& p, const View& x, const View& out,
                    const Region& region) noexcept;
void rescale_i32_i8(const RescaleParams& p, const View& x, const View& out,
                    const Region& region) noexcept;
void rescale_i16_i32(const RescaleParams& p, const View& x, const View& out,
                     const Region& region) noexcept;
void rescale_i16_i16(const RescaleParams& p, const View& x, const View& out,
                     const Region& region) noexcept;
void rescale_i32_i16(const RescaleParams& p, const View& x, const View& out,
                     const Region& region) noexcept;

/// Raw values limited to a range: relu6. progress: element.
struct ClampParams {
  int32_t clamp_min, clamp_max;
};
void clamp(const ClampParams& p, const View& x, const View& out, const Region& region) noexcept;
void clamp_i16(const ClampParams& p, const View& x, const View& out, const Region& region) noexcept;

/// Scaled by one factor where x is at least its zero point, by another below. progress: element.
struct LeakyReluParams {
  Scale positive, negative;
  int32_t input_zero_point, output_zero_point;
  int32_t clamp_min, clamp_max;
};
void leaky_relu_i16_i16(const LeakyReluParams& p, const View& x, const View& out,
                        const Region& region) noexcept;

/// Scaled by one factor where x is at least its zero point, by another and alpha below. Broadcast
/// operands have stride 0. progress: element.
struct PreluParams {
  Scale positive, negative;
  int32_t input_zero_point, alpha_zero_point, output_zero_point;
  int32_t clamp_min, clamp_max;
};
void prelu(const PreluParams& p, const View& x, const View& alpha, const View& out,
           const Region& region) noexcept;
void prelu_i16(const PreluParams& p, const View& x, const View& alpha, const View& out,
               const Region& region) noexcept;

/// Any function of one int8, as a table: logistic, tanh, rsqrt, gelu, ... progress: element.
struct LookupParams {
  const int8_t* table;  ///< [256]: of the value v, number v + 128
};
void lookup_i8(const LookupParams& p, const View& x, const View& out,
               const Region& region) noexcept;
void lookup_i8_mve(const LookupParams& p, const View& x, const View& out,
                   const Region& region) noexcept;

/// Between the steps of a table; from its last one on, that one.
struct SigmoidParams {
  const int16_t* table;  ///< [256]: 1 / (1 + e^(-i / 24)) in 1/65536, unsigned
  int32_t multiplier;    ///< from an input to 1/12288 of a unit, before the shift
  int32_t shift;         ///< to the right, rounding
};
/// progress: element.
void logistic_i16(const SigmoidParams& p, const View& x, const View& out,
                  const Region& region) noexcept;
void tanh_i16(const SigmoidParams& p, const View& x, const View& out,
              const Region& region) noexcept;

/// Ties away from zero. progress: element.
void quantize_f32_i8(const FloatParams& p, const View& x, const View& out,
                     const Region& region) noexcept;
void quantize_f32_i16(const FloatParams& p, const View& x, const View& out,
                      const Region& region) noexcept;
void dequantize_i8_f32(const FloatParams& p, const View& x, const View& out,
                       const Region& region) noexcept;
void dequantize_i16_f32(const FloatParams& p, const View& x, const View& out,
                        const Region& region) noexcept;

/// Softmax over the channels, in gemmlowp fixed point.
struct SoftmaxParams {
  Scale input_scale;  ///< beta * input scale, with 26 - 31 bits as TensorFlow Lite forms it
  int32_t diff_min;   ///< differences below are zero
  int32_t channels;   ///< of the whole tensor; the region covers them
};
/// progress: none.
void softmax_i8_i8(const SoftmaxParams& p, const View& x, const View& out,
                   const Region& region) noexcept;
void softmax_i8_i16(const SoftmaxParams& p, const View& x, const View& out,
                    const Region& region) noexcept;
/// Softmax of int8 with every exponential there is.
struct SoftmaxExponentialsParams {
  const int32_t* exponentials;  ///< [256]: of the difference 0, -1, .. to the largest input
  int32_t channels;             ///< of the whole tensor; the region covers them
};
/// progress: none.
void softmax_i8_i8_dsp(const SoftmaxExponentialsParams& p, const View& x, const View& out,
                       const Region& region) noexcept;
void softmax_i8_i16_dsp(const SoftmaxExponentialsParams& p, const View& x, const View& out,
                        const Region& region) noexcept;

/// Softmax of int16 by tables of 512 steps, between which it interpolates.
struct SoftmaxTableParams {
  const int16_t* exponentials;  ///< [513]: e^x for x from -10 to 0, one being 2^15
  const int16_t* reciprocals;   ///< [513]: 1 / (1 + x) for x from 0 to 1
  Scale input_scale;            ///< from differences to 1/6553.5
  int32_t channels;             ///< of the whole tensor; the region covers them
};
/// progress: none.
void softmax_i16_i16(const SoftmaxTableParams& p, const View& x, const View& out,
                     const Region& region) noexcept;

/// The logarithm of softmax, in sixteenths from 127.
struct LogSoftmaxParams {
  Scale input_scale;    ///< as of softmax, beta 1
  Scale inverse_scale;  ///< of it, to the right
  int32_t diff_min;     ///< differences below are the least value
  int32_t channels;     ///< of the whole tensor; the region covers them
};
/// progress: none.
void log_softmax(const LogSoftmaxParams& p, const View& x, const View& out,
                 const Region& region) noexcept;

/// Elements of x along an axis, where indices (int32) say; beyond an end the one at that end.
struct GatherParams {
  int32_t extent;  ///< of x along the axis
};
/// Views: x (n, y, x, c) is (batch, outer, position, inner), indices (n, x) are (batch, position);
/// out has an index for each position. progress: none. One function per element size.
void gather_8(const GatherParams& p, const View& x, const View& indices, const View& out,
              const Region& region) noexcept;
void gather_16(const GatherParams& p, const View& x, const View& indices, const View& out,
               const Region& region) noexcept;
void gather_32(const GatherParams& p, const View& x, const View& indices, const View& out,
               const Region& region) noexcept;

/// x, over which the update lies from the begins on: c of the view, the last `axes` of (n, y, x,
/// c).
struct UpdateSliceParams {
  int32_t axes;
  int32_t extent[4];  ///< of the update
  int32_t room[4];    ///< the last begin at which it lies within x
};
/// progress: element. One function per element size.
void update_slice_8(const UpdateSliceParams& p, const View& x, const View& update,
                    const View& begins, const View& out, const Region& region) noexcept;
void update_slice_16(const UpdateSliceParams& p, const View& x, const View& update,
                     const View& begins, const View& out, const Region& region) noexcept;
void update_slice_32(const UpdateSliceParams& p, const View& x, const View& update,
                     const View& begins, const View& out, const Region& region) noexcept;

/// 1 / sqrt(x) of int16, symmetric; of 0 and less the largest. progress: element.
struct RsqrtParams {
  Scale scale;  ///< of 1 / sqrt(raw x)
};
void rsqrt_i16(const RsqrtParams& p, const View& x, const View& out, const Region& region) noexcept;

/// The index of the first (last) of the largest (smallest) channels.
struct ArgMaxParams {
  int32_t channels;  ///< of x; out has one
  int32_t least;     ///< 1: the smallest
  int32_t last;      ///< 1: the last of equal ones
};
/// progress: none.
void arg_max_i8_i32(const ArgMaxParams& p, const View& x, const View& out,
                    const Region& region) noexcept;
void arg_max_f32_i32(const ArgMaxParams& p, const View& x, const View& out,
                     const Region& region) noexcept;

/// Sums of channels up to each, requantised; they begin with what a raw 0 stands for.
struct CumSumParams {
  Scale scale;  ///< of sums shifted left by 19 bits
  int32_t input_zero_point, output_zero_point;
  int32_t exclusive;  ///< 1: without the channel itself
  int32_t reverse;    ///< 1: from the last one
  int32_t channels;   ///< of the whole tensor; the region covers them
};
/// progress: none.
void cumsum(const CumSumParams& p, const View& x, const View& out, const Region& region) noexcept;

/// Channels over the root of the sum of their squares, in 1/128.
struct L2NormalizationParams {
  int32_t input_zero_point;
  int32_t channels;  ///< of the whole tensor; the region covers them
};
/// progress: none.
void l2_normalization(const L2NormalizationParams& p, const View& x, const View& out,
                      const Region& region) noexcept;

/// Pixel (y, x) of the output is pixel (rows[y], columns[x]) of the input.
struct ResizeNearestNeighborParams {
  const int16_t* rows;     ///< [output height]
  const int16_t* columns;  ///< [output width]
};
/// progress: pixel. One function per element size; the first is for bytes.
void resize_nearest_neighbor(const ResizeNearestNeighborParams& p, const View& x, const View& out,
                             const Region& region) noexcept;
void resize_nearest_neighbor_16(const ResizeNearestNeighborParams& p, const View& x,
                                const View& out, const Region& region) noexcept;
void resize_nearest_neighbor_32(const ResizeNearestNeighborParams& p, const View& x,
                                const View& out, const Region& region) noexcept;

/// Index i of the output stands at i * step + offset of the input, in 1/1024 of an element; beyond
/// the first or last element it is that element.
struct LinearAxis {
  int32_t step, offset;
  int32_t in_extent;
};
struct ResizeBilinearParams {
  LinearAxis rows, columns;
};
/// int8. progress: pixel.
void resize_bilinear(const ResizeBilinearParams& p, const View& x, const View& out,
                     const Region& region) noexcept;
/// In fours of channels, which are neighbours in x and out. progress: pixel.
void resize_bilinear_mve(const ResizeBilinearParams& p, const View& x, const View& out,
                         const Region& region) noexcept;

}  // namespace thimble::runtime
