// SPDX-License-Identifier: Apache-2.0
// Kernels of float32 (kernels.h).
//
// float32: every sum begins at 0 and goes on by rows, columns and channels, so that no part of it
// can be kept apart; the bias comes last. No product may be contracted into a fused multiply-add
// (-ffp-contract=off). Clamps that let everything pass are -+kLargestFloat.
#pragma once

#include "thimble_runtime/parameters.h"
#include "thimble_runtime/view.h"

namespace thimble::runtime {

constexpr float kLargestFloat = 0x1.fffffep127F;

/// Convolutions, depthwise ones (as many groups as input channels) and fully connected layers.
struct FloatConv2DParams {
  const float* weights;  ///< [out channel][kernel_h][kernel_w][in_per_group]
  const float* bias;     ///< [out channel]
  Window2D window;
  int32_t in_per_group, out_per_group;  ///< channels
  float clamp_min, clamp_max;
};
/// progress: pixel.
void conv_2d_f32(const FloatConv2DParams& p, const View& x, const View& out,
                 const Region& region) noexcept;
/// conv_2d_f32 with weights of int8 ("hybrid"), each of which stands for the product of its scale
/// with what it is more than the zero point, rounded.
struct HybridConv2DParams {
  const int8_t* weights;  ///< [out channel][kernel_h][kernel_w][in_per_group]
  const float* bias;      ///< [out channel]
  const float* scales;    ///< [out channel], or one
  Window2D window;
  int32_t in_per_group, out_per_group;  ///< channels
  int32_t scale_step;                   ///< 1; 0: one scale for all
  int32_t zero_point;                   ///< of the weights
  float clamp_min, clamp_max;
};
/// progress: pixel.
void conv_2d_hybrid_f32(const HybridConv2DParams& p, const View& x, const View& out,
                        const Region& region) noexcept;
/// One group; sums go by rows, columns and channels of the input.
void transpose_conv_f32(const FloatConv2DParams& p, const View& x, const View& out,
                        const Region& region) noexcept;

struct FloatMatMulParams {
  int32_t depth;  ///< extent of k
};
/// Views as of batch_matmul. progress: pixel.
void batch_matmul_f32(const FloatMatMulParams& p, const View& x, const View& y, const View& out,
                      const Region& region) noexcept;

struct FloatPool2DParams {
  Window2D window;
  float clamp_min, clamp_max;
};
/// Padding left out of the count. progress: pixel.
void average_pool_2d_f32(const FloatPool2DParams& p, const View& x, const View& out,
                         const Region& region) noexcept;
/// The square root of the average of squares.
void l2_pool_2d_f32(const FloatPool2DParams& p, const View& x, const View& out,
                    const Region& region) noexcept;
void max_pool_2d_f32(const FloatPool2DParams& p, const View& x, const View& out,
                     const Region& region) noexcept;
void min_pool_2d_f32(const FloatPool2DParams& p, const View& x, const View& out,
                     const Region& region) noexcept;

struct FloatMeanParams {
  int32_t in_extent[4];  ///< of the whole input
  int32_t reduced[4];    ///< 1: the axis is summed over (the region's interval on it is [0, 1))
  float divisor;         ///< of sums: 1
};
/// As mean. progress: none.
void mean_f32(const FloatMeanParams& p, const View& x, const View& out,
              const Region& region) noexcept;

struct FloatClampParams {
  float clamp_min, clamp_max;
};
/// Broadcast operands have stride 0. progress: element.
void add_f32(const FloatClampParams& p, const View& a, const View& b, const View& out,
             const Region& region) noexcept;
void sub_f32(const FloatClampParams& p, const View& a, const View& b, const View& out,
             const Region& region) noexcept;
void mul_f32(const FloatClampParams& p, const View& a, const View& b, const View& out,
             const Region& region) noexcept;
void div_f32(const FloatClampParams& p, const View& a, const View& b, const View& out,
             const Region& region) noexcept;
void floor_div_f32(const View& a, const View& b, const View& out, const Region& region) noexcept;
void floor_mod_f32(const View& a, const View& b, const View& out, const Region& region) noexcept;
void pow_f32(const View& a, const View& b, const View& out, const Region& region) noexcept;
void maximum_f32(const View& a, const View& b, const View& out, const Region& region) noexcept;
void minimum_f32(const View& a, const View& b, const View& out, const Region& region) noexcept;
void squared_difference_f32(const View& a, const View& b, const View& out,
                            const Region& region) noexcept;
void prelu_f32(const View& x, const View& alpha, const View& out, const Region& region) noexcept;
/// progress: element.
void clamp_f32(const FloatClampParams& p, const View& x, const View& out,
               const Region& region) noexcept;

struct FloatLeakyReluParams {
  float alpha;
};
/// progress: element.
void leaky_relu_f32(const FloatLeakyReluParams& p, const View& x, const View& out,
                    const Region& region) noexcept;

/// Functions of one number (real_functions.h). progress: element.
void abs_f32(const View& x, const View& out, const Region& region) noexcept;
void atan_f32(const View& x, const View& out, const Region& region) noexcept;
void ceil_f32(const View& x, const View& out, const Region& region) noexcept;
void cos_f32(const View& x, const View& out, const Region& region) noexcept;
void elu_f32(const View& x, const View& out, const Region& region) noexcept;
void erf_f32(const View& x, const View& out, const Region& region) noexcept;
void exp_f32(const View& x, const View& out, const Region& region) noexcept;
void floor_f32(const View& x, const View& out, const Region& region) noexcept;
void gelu_f32(const View& x, const View& out, const Region& region) noexcept;
void gelu_by_tanh_f32(const View& x, const View& out, const Region& region) noexcept;
void hard_swish_f32(const View& x, const View& out, const Region& region) noexcept;
void log_f32(const View& x, const View& out, const Region& region) noexcept;
void logistic_f32(const View& x, const View& out, const Region& region) noexcept;
void neg_f32(const View& x, const View& out, const Region& region) noexcept;
void round_f32(const View& x, const View& out, const Region& region) noexcept;
void rsqrt_f32(const View& x, const View& out, const Region& region) noexcept;
void sin_f32(const View& x, const View& out, const Region& region) noexcept;
void sqrt_f32(const View& x, const View& out, const Region& region) noexcept;
void square_f32(const View& x, const View& out, const Region& region) noexcept;
void tanh_f32(const View& x, const View& out, const Region& region) noexcept;

struct FloatSoftmaxParams {
  float beta;
  int32_t channels;  ///< of the whole tensor; the region covers them
};
/// progress: none.
void softmax_f32(const FloatSoftmaxParams& p, const View& x, const View& out,
                 const Region& region) noexcept;
void log_softmax_f32(const FloatSoftmaxParams& p, const View& x, const View& out,
                     const Region& region) noexcept;

/// Sums of channels up to each.
struct FloatCumSumParams {
  int32_t exclusive;  ///< 1: without the channel itself
  int32_t reverse;    ///< 1: from the last one
  int32_t channels;   ///< of the whole tensor; the region covers them
};
/// progress: none.
void cumsum_f32(const FloatCumSumParams& p, const View& x, const View& out,
                const Region& region) noexcept;

/// Channels over the root of the sum of their squares, or over 1e-6 where that is less.
struct FloatL2NormalizationParams {
  int32_t channels;  ///< of the whole tensor; the region covers them
};
/// progress: none.
void l2_normalization_f32(const FloatL2NormalizationParams& p, const View& x, const View& out,
                          const Region& region) noexcept;

/// Sums of SVDF over the filters of a unit: the bias, then of each filter the sum over its time.
struct FloatSvdfParams {
  const float* bias;     ///< [unit]
  int32_t rank, memory;  ///< filters of a unit; columns of the state
  float clamp_min, clamp_max;
};
/// Views as of svdf. progress: pixel.
void svdf_f32(const FloatSvdfParams& p, const View& state, const View& weights, const View& out,
              const Region& region) noexcept;

/// As LstmParams.
struct FloatLstmParams {
  const float* weights;    ///< [gate][unit][input]
  const float* recurrent;  ///< [gate][unit][unit]
  const float* biases;     ///< [gate][unit]
  int32_t times, inputs, units;
  int32_t reverse;   ///< 1: the last time comes first
  float cell_limit;  ///< the most that the cell state can be
};
/// Views: x (y, x, c) is (batch, time, input), state (x, c) is (batch, element), out (x, c) is
/// (batch, element): hidden states, then the cell state. progress: none.
void lstm_f32(const FloatLstmParams& p, const View& x, const View& state, const View& out,
              const Region& region) noexcept;
/// lstm_f32 with weights as of HybridConv2DParams.
struct HybridLstmParams {
  const int8_t* weights;    ///< [gate][unit][input]
  const int8_t* recurrent;  ///< [gate][unit][unit]
  const float* biases;      ///< [gate][unit]
  int32_t times, inputs, units;
  int32_t reverse;
  int32_t zero_point[2];  ///< of the weights of inputs and of hidden states
  float input_scale[4], recurrent_scale[4];
  float cell_limit;
};
void lstm_hybrid_f32(const HybridLstmParams& p, const View& x, const View& state, const View& out,
                     const Region& region) noexcept;

/// Gates are update, reset, candidate, in this order; rnn_f32 and rnn_relu_f32 have one.
struct FloatRecurrentParams {
  const float* weights;    ///< [gate][unit][input]
  const float* recurrent;  ///< [gate][unit][unit]
  const float* biases;     ///< [gate][unit]; of gru_f32 one more: the candidate's of hidden states
  int32_t times, inputs, units;
  int32_t reverse;  ///< 1: the last time comes first
};
/// Views: x (y, x, c) is (batch, time, input), state (x, c) is (batch, unit), out (y, x, c) is
/// (batch, time, unit): hidden states. progress: none.
void rnn_f32(const FloatRecurrentParams& p, const View& x, const View& state, const View& out,
             const Region& region) noexcept;
void rnn_relu_f32(const FloatRecurrentParams& p, const View& x, const View& state, const View& out,
                  const Region& region) noexcept;
/// The reset gate scales the candidate's products with hidden states.
void gru_f32(const FloatRecurrentParams& p, const View& x, const View& state, const View& out,
             const Region& region) noexcept;
/// It scales hidden states before the products. scratch: gru_reset_before_f32_scratch_bytes,
/// aligned to 4.
void gru_reset_before_f32(const FloatRecurrentParams& p, const View& x, const View& state,
                          const View& out, const Region& region, int8_t* scratch) noexcept;
constexpr int32_t gru_reset_before_f32_scratch_bytes(const FloatRecurrentParams& p) noexcept {
  return p.units * static_cast<int32_t>(sizeof(float));
}

/// Boxes of objects, the best first, without those that overlap a better one.
struct DetectionPostProcessParams {
  const float* anchors;  ///< [box][4]: y, x, height, width
  int32_t boxes;
  int32_t classes;       ///< without the background
  int32_t label_offset;  ///< 1: the first score of a box is the background's
  int32_t max_detections;
  int32_t detections_per_class;  ///< of regular suppression
  int32_t regular;               ///< 1: each class on its own
  float score_threshold, iou_threshold;
  float scales[4];  ///< of y, x, height, width
};
/// Views: encodings (x, c) and scores (x, c) are of a box; out has one row: max_detections boxes,
/// as many classes, as many scores, their number, then regular's own. progress: none.
void detection_post_process_f32(const DetectionPostProcessParams& p, const View& encodings,
                                const View& scores, const View& out, const Region& region) noexcept;

/// Row y of the output lies between rows [y][0] and [y][1] of the input, a fraction of the way to
/// the second.
struct FloatResizeBilinearParams {
  const int16_t* rows;            ///< [output height][2]
  const float* row_fractions;     ///< [output height]
  const int16_t* columns;         ///< [output width][2]
  const float* column_fractions;  ///< [output width]
};
/// progress: pixel.
void resize_bilinear_f32(const FloatResizeBilinearParams& p, const View& x, const View& out,
                         const Region& region) noexcept;

}  // namespace thimble::runtime
