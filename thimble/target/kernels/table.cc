// SPDX-License-Identifier: Apache-2.0
// The table of kernels: a row each. What a new one needs beside its row: docs/hacking.md.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "thimble/model/error.h"
#include "thimble/target/kernels/call.h"
#include "thimble/target/kernels/kernel.h"
#include "thimble/target/kernels/packing.h"
#include "thimble/target/kernels/rows.h"

namespace thimble {
namespace {

using enum DType;
using enum Progress;
using F = Family;
constexpr auto kDsp = InstructionSet::kDsp;
constexpr auto kMve = InstructionSet::kMve;

constexpr std::array<bool, 4> kAllAxes = {true, true, true, true};
constexpr std::array<bool, 4> kImages = {false, true, true, false};
constexpr std::array<bool, 4> kChannels = {false, false, false, true};

constexpr KernelInfo kKernels[] = {
    row<runtime::conv_2d>(
        {.name = "conv_2d", .family = F::kConv2D, .progress = kPixel, .pack = pack_conv_2d}),
    row<runtime::conv_2d_1x1_mve>({.name = "conv_2d_1x1_mve",
                                   .family = F::kConv2D,
                                   .set = kMve,
                                   .progress = kPixel,
                                   .dense_channels = true,
                                   .dense_output = true,
                                   .takes = is_single_tap,
                                   .pack = pack_conv_2d_fours,
                                   .adapt = conv_2d_fours}),
    row<runtime::conv_2d_mve>({.name = "conv_2d_mve",
                               .family = F::kConv2D,
                               .set = kMve,
                               .progress = kPixel,
                               .dense_output = true,
                               .takes = is_ungrouped,
                               .scratch_bytes = conv_2d_fours_scratch_bytes,
                               .pack = pack_conv_2d_fours,
                               .adapt = conv_2d_fours}),
    row<runtime::conv_2d_pairs_dsp>({.name = "conv_2d_pairs_dsp",
                                     .family = F::kConv2D,
                                     .also = F::kConv2DOffset,
                                     .set = kDsp,
                                     .progress = kPixel,
                                     .dense_output = true,
                                     .takes = is_ungrouped,
                                     .weights = Weights::kFast,
                                     .channel_multiple = 2,
                                     .scratch_bytes = conv_2d_pairs_scratch_bytes,
                                     .scratch_type = kInt32,
                                     .pack = pack_conv_2d_pairs<PairWeights::kWide>,
                                     .adapt = conv_2d_pairs<PairWeights::kWide>}),
    row<runtime::conv_2d_1x1_dsp>({.name = "conv_2d_1x1_dsp",
                                   .family = F::kConv2D,
                                   .also = F::kConv2DOffset,
                                   .set = kDsp,
                                   .progress = kPixel,
                                   .dense_channels = true,
                                   .takes = is_single_tap_of_fours,
                                   .weights = Weights::kFast,
                                   .channel_multiple = 2,
                                   .pack = pack_conv_2d_pairs<PairWeights::kWide>,
                                   .adapt = conv_2d_pairs<PairWeights::kWide>}),
    row<runtime::conv_2d_pairs_compact_dsp>({.name = "conv_2d_pairs_compact_dsp",
                                             .family = F::kConv2D,
                                             .set = kDsp,
                                             .progress = kPixel,
                                             .dense_output = true,
                                             .takes = is_ungrouped_of_small_sums,
                                             .channel_multiple = 2,
                                             .scratch_bytes = conv_2d_pairs_scratch_bytes,
                                             .scratch_type = kInt32,
                                             .pack = pack_conv_2d_pairs<PairWeights::kCompact>,
                                             .adapt = conv_2d_pairs<PairWeights::kCompact>}),
    row<runtime::conv_2d_accumulate>({.name = "conv_2d_accumulate",
                                      .family = F::kConv2DAccumulate,
                                      .out = kInt32,
                                      .progress = kPixel,
                                      .pack = pack_conv_2d}),
    row<runtime::conv_2d_accumulate_i16>({.name = "conv_2d_accumulate_i16",
                                          .family = F::kConv2DAccumulate,
                                          .out = kInt16,
                                          .progress = kPixel,
                                          .pack = pack_narrow_conv_2d}),
    row<runtime::conv_2d_accumulate_i8>({.name = "conv_2d_accumulate_i8",
                                         .family = F::kConv2DAccumulate,
                                         .progress = kPixel,
                                         .pack = pack_narrow_conv_2d}),
    row<runtime::conv_2d_finalise>({.name = "conv_2d_finalise",
                                    .family = F::kConv2DFinalise,
                                    .in = kInt32,
                                    .out = kInt8,
                                    .pack = pack_conv_2d}),
    unfolded_row<runtime::conv_2d_i16>("conv_2d_i16", F::kConv2D, kInt16),
    unfolded_row<runtime::conv_2d_offset>("conv_2d_offset", F::kConv2DOffset, kInt8),
    words_row<runtime::conv_2d_i16_mve, WordsForm::kRows>("conv_2d_i16_mve", F::kConv2D),
    words_row<runtime::conv_2d_i16_dsp, WordsForm::kWide>("conv_2d_i16_dsp", F::kConv2D),
    words_row<runtime::conv_2d_i16_compact_dsp, WordsForm::kCompact>("conv_2d_i16_compact_dsp",
                                                                     F::kConv2D),
    words_row<runtime::conv_2d_i16_depthwise_dsp, WordsForm::kDepthwise>(
        "conv_2d_i16_depthwise_dsp", F::kConv2D),
    unfolded_row<runtime::transpose_conv>("transpose_conv", F::kTransposeConv, kInt8),
    transpose_conv_row<runtime::transpose_conv_mve>("transpose_conv_mve", kMve),
    transpose_conv_row<runtime::transpose_conv_dsp>("transpose_conv_dsp", kDsp),
    unfolded_row<runtime::transpose_conv_i16>("transpose_conv_i16", F::kTransposeConv, kInt16),
    words_row<runtime::transpose_conv_i16_mve, WordsForm::kRows>("transpose_conv_i16_mve",
                                                                 F::kTransposeConv),
    words_row<runtime::transpose_conv_i16_dsp, WordsForm::kWide>("transpose_conv_i16_dsp",
                                                                 F::kTransposeConv),
    words_row<runtime::transpose_conv_i16_compact_dsp, WordsForm::kCompact>(
        "transpose_conv_i16_compact_dsp", F::kTransposeConv),
    row<runtime::fully_connected>({.name = "fully_connected",
                                   .family = F::kFullyConnected,
                                   .progress = kPixel,
                                   .pack = pack_fully_connected}),
    row<runtime::batch_matmul>(
        {.name = "batch_matmul", .family = F::kBatchMatMul, .progress = kPixel}),
    row<runtime::batch_matmul_dsp>({.name = "batch_matmul_dsp",
                                    .family = F::kBatchMatMul,
                                    .set = kDsp,
                                    .progress = kPixel,
                                    .dense_channels = true}),
    row<runtime::batch_matmul_i16>({.name = "batch_matmul_i16",
                                    .family = F::kBatchMatMul,
                                    .in = kInt16,
                                    .out = kInt16,
                                    .progress = kPixel}),
    row<runtime::svdf_features_i8_i8>({.name = "svdf_features_i8_i8",
                                       .family = F::kSvdfFeatures,
                                       .progress = kPixel,
                                       .pack = pack_svdf_features}),
    row<runtime::svdf_features_i8_i16>({.name = "svdf_features_i8_i16",
                                        .family = F::kSvdfFeatures,
                                        .out = kInt16,
                                        .progress = kPixel,
                                        .pack = pack_svdf_features}),
    svdf_features_row<runtime::svdf_features_i8_i8_mve>("svdf_features_i8_i8_mve", kInt8, kMve),
    svdf_features_row<runtime::svdf_features_i8_i16_mve>("svdf_features_i8_i16_mve", kInt16, kMve),
    svdf_features_row<runtime::svdf_features_i8_i8_dsp>("svdf_features_i8_i8_dsp", kInt8, kDsp),
    svdf_features_row<runtime::svdf_features_i8_i16_dsp>("svdf_features_i8_i16_dsp", kInt16, kDsp),
    row<runtime::svdf>({.name = "svdf", .family = F::kSvdf, .progress = kPixel, .pack = pack_svdf}),
    row<runtime::svdf_i16_i8>({.name = "svdf_i16_i8",
                               .family = F::kSvdf,
                               .in = kInt16,
                               .progress = kPixel,
                               .pack = pack_svdf}),
    row<runtime::lstm>({.name = "lstm",
                        .family = F::kLstm,
                        .progress = kNone,
                        .rings = false,
                        .whole_axes = kAllAxes,
                        .pack = pack_lstm}),
    lstm_row<runtime::lstm_mve>("lstm_mve", kMve),
    lstm_row<runtime::lstm_dsp>("lstm_dsp", kDsp),
    row<runtime::shift_in_8>({.name = "shift_in_8", .family = F::kShiftIn}),
    row<runtime::shift_in_16>(
        {.name = "shift_in_16", .family = F::kShiftIn, .in = kInt16, .out = kInt16}),
    row<runtime::shift_in_32>(
        {.name = "shift_in_32", .family = F::kShiftIn, .in = kInt32, .out = kInt32}),
    signal_row<runtime::signal_window>("signal_window", F::kSignalWindow, {kInt16, kInt16}),
    signal_row<runtime::signal_auto_shift>("signal_auto_shift", F::kSignalAutoShift,
                                           {kInt16, kInt32}, kNone),
    signal_row<runtime::signal_shift>("signal_shift", F::kSignalShift, {kInt16, kInt16}),
    signal_row<runtime::signal_rfft>("signal_rfft", F::kSignalRfft, {kInt16, kInt16}, kNone,
                                     pack_signal_rfft, kChannels),
    signal_row<runtime::signal_irfft>("signal_irfft", F::kSignalIrfft, {kInt16, kInt16}, kNone,
                                      pack_signal_irfft, kChannels),
    signal_row<runtime::signal_energy>("signal_energy", F::kSignalEnergy, {kInt16, kUInt32}, kNone),
    signal_row<runtime::signal_filter_bank>("signal_filter_bank", F::kSignalFilterBank,
                                            {kUInt32, kUInt64}, kNone, pack_signal_filter_bank),
    signal_row<runtime::signal_square_root>("signal_square_root", F::kSignalSquareRoot,
                                            {kUInt64, kUInt32}),
    signal_row<runtime::signal_noise>("signal_noise", F::kSignalNoise, {kUInt32, kUInt32}),
    signal_row<runtime::signal_subtraction>("signal_subtraction", F::kSignalSubtraction,
                                            {kUInt32, kUInt32}),
    signal_row<runtime::signal_pcan>("signal_pcan", F::kSignalPcan, {kUInt32, kUInt32}, kElement,
                                     pack_signal_pcan),
    signal_row<runtime::signal_log>("signal_log", F::kSignalLog, {kUInt32, kInt16}, kElement,
                                    pack_signal_log),
    row<runtime::depthwise_conv_2d>({.name = "depthwise_conv_2d",
                                     .family = F::kDepthwiseConv2D,
                                     .progress = kPixel,
                                     .pack = pack_depthwise_conv_2d}),
    row<runtime::depthwise_conv_2d_mve>(
        {.name = "depthwise_conv_2d_mve",
         .family = F::kDepthwiseConv2D,
         .set = kMve,
         .progress = kPixel,
         .dense_channels = true,
         .takes = is_depthwise_of_vectors,
         .scratch_bytes = bytes_by<runtime::depthwise_conv_2d_mve_scratch_bytes>,
         .pack = pack_depthwise_conv_2d}),
    depthwise_row<runtime::depthwise_conv_2d_dsp, DepthwiseTail::kRelu>("depthwise_conv_2d_dsp"),
    depthwise_row<runtime::depthwise_conv_2d_shifted_dsp, DepthwiseTail::kShifted>(
        "depthwise_conv_2d_shifted_dsp"),
    depthwise_row<runtime::depthwise_conv_2d_clamped_dsp, DepthwiseTail::kClamped>(
        "depthwise_conv_2d_clamped_dsp"),
    depthwise_row_compact<runtime::depthwise_conv_2d_compact_dsp, DepthwiseTail::kRelu>(
        "depthwise_conv_2d_compact_dsp"),
    depthwise_row_compact<runtime::depthwise_conv_2d_compact_shifted_dsp, DepthwiseTail::kShifted>(
        "depthwise_conv_2d_compact_shifted_dsp"),
    depthwise_row_compact<runtime::depthwise_conv_2d_compact_clamped_dsp, DepthwiseTail::kClamped>(
        "depthwise_conv_2d_compact_clamped_dsp"),
    row<runtime::depthwise_conv_2d_in_place>(
        {.name = "depthwise_conv_2d_in_place",
         .family = F::kDepthwiseConv2DInPlace,
         .progress = kPlane,
         .rings = false,
         .whole_axes = kImages,
         .scratch_bytes = bytes_by<runtime::depthwise_conv_2d_in_place_scratch_bytes>,
         .pack = pack_depthwise_conv_2d}),
    depthwise_row_in_place<runtime::depthwise_conv_2d_in_place_dsp, DepthwiseTail::kRelu>(
        "depthwise_conv_2d_in_place_dsp"),
    depthwise_row_in_place<runtime::depthwise_conv_2d_in_place_shifted_dsp,
                           DepthwiseTail::kShifted>("depthwise_conv_2d_in_place_shifted_dsp"),
    depthwise_row_in_place<runtime::depthwise_conv_2d_in_place_clamped_dsp,
                           DepthwiseTail::kClamped>("depthwise_conv_2d_in_place_clamped_dsp"),
    row<runtime::average_pool_2d>(
        {.name = "average_pool_2d", .family = F::kAveragePool2D, .progress = kPixel}),
    boxes_row<runtime::average_pool_2d_mve>("average_pool_2d_mve", F::kAveragePool2D, kMve),
    boxes_row<runtime::average_pool_2d_dsp>("average_pool_2d_dsp", F::kAveragePool2D, kDsp),
    row<runtime::average_pool_2d_ties_up>(
        {.name = "average_pool_2d_ties_up", .family = F::kAveragePool2DTiesUp, .progress = kPixel}),
    row<runtime::average_pool_2d_finalise>({.name = "average_pool_2d_finalise",
                                            .family = F::kAveragePool2DFinalise,
                                            .in = kInt32,
                                            .out = kInt8}),
    row<runtime::average_pool_2d_i16>({.name = "average_pool_2d_i16",
                                       .family = F::kAveragePool2D,
                                       .in = kInt16,
                                       .out = kInt16,
                                       .progress = kPixel}),
    row<runtime::average_pool_2d_finalise_i16>({.name = "average_pool_2d_finalise_i16",
                                                .family = F::kAveragePool2DFinalise,
                                                .in = kInt32,
                                                .out = kInt16}),
    row<runtime::max_pool_2d>({.name = "max_pool_2d", .family = F::kMaxPool2D, .progress = kPixel}),
    boxes_row<runtime::max_pool_2d_mve>("max_pool_2d_mve", F::kMaxPool2D, kMve),
    boxes_row<runtime::max_pool_2d_dsp>("max_pool_2d_dsp", F::kMaxPool2D, kDsp),
    row<runtime::max_pool_2d_i16>({.name = "max_pool_2d_i16",
                                   .family = F::kMaxPool2D,
                                   .in = kInt16,
                                   .out = kInt16,
                                   .progress = kPixel}),
    row<runtime::min_pool_2d>({.name = "min_pool_2d", .family = F::kMinPool2D, .progress = kPixel}),
    row<runtime::min_pool_2d_i16>({.name = "min_pool_2d_i16",
                                   .family = F::kMinPool2D,
                                   .in = kInt16,
                                   .out = kInt16,
                                   .progress = kPixel}),
    row<runtime::mean>({.name = "mean", .family = F::kMean, .progress = kNone}),
    boxes_row<runtime::mean_mve>("mean_mve", F::kMean, kMve),
    boxes_row<runtime::mean_dsp>("mean_dsp", F::kMean, kDsp),
    row<runtime::mean_finalise>(
        {.name = "mean_finalise", .family = F::kMeanFinalise, .in = kInt32, .out = kInt8}),
    row<runtime::sum_accumulate>(
        {.name = "sum_accumulate", .family = F::kSumAccumulate, .out = kInt32, .progress = kNone}),
    row<runtime::mean_i16>(
        {.name = "mean_i16", .family = F::kMean, .in = kInt16, .out = kInt16, .progress = kNone}),
    row<runtime::mean_finalise_i16>(
        {.name = "mean_finalise_i16", .family = F::kMeanFinalise, .in = kInt32, .out = kInt16}),
    row<runtime::sum_accumulate_i16>({.name = "sum_accumulate_i16",
                                      .family = F::kSumAccumulate,
                                      .in = kInt16,
                                      .out = kInt32,
                                      .progress = kNone}),
    row<runtime::add>({.name = "add", .family = F::kAdd}),
    row<runtime::add_mve>(
        {.name = "add_mve", .family = F::kAdd, .set = kMve, .takes = halves_one_operand}),
    row<runtime::add_dsp>(
        {.name = "add_dsp", .family = F::kAdd, .set = kDsp, .takes = halves_an_operand}),
    row<runtime::mul>({.name = "mul", .family = F::kMul}),
    row<runtime::mul_mve>(
        {.name = "mul_mve", .family = F::kMul, .set = kMve, .takes = product_shifts_right}),
    row<runtime::mul_dsp>(
        {.name = "mul_dsp", .family = F::kMul, .set = kDsp, .takes = product_is_rounded_once}),
    row<runtime::sub>({.name = "sub", .family = F::kSub}),
    row<runtime::squared_difference>(
        {.name = "squared_difference", .family = F::kSquaredDifference}),
    row<runtime::add_i16>({.name = "add_i16", .family = F::kAdd, .in = kInt16, .out = kInt16}),
    row<runtime::sub_i16>({.name = "sub_i16", .family = F::kSub, .in = kInt16, .out = kInt16}),
    row<runtime::mul_i16>({.name = "mul_i16", .family = F::kMul, .in = kInt16, .out = kInt16}),
    row<runtime::squared_difference_i16>({.name = "squared_difference_i16",
                                          .family = F::kSquaredDifference,
                                          .in = kInt16,
                                          .out = kInt16}),
    row<runtime::div>({.name = "div", .family = F::kDiv}),
    row<runtime::add_i32>({.name = "add_i32", .family = F::kAdd, .in = kInt32, .out = kInt32}),
    row<runtime::sub_i32>({.name = "sub_i32", .family = F::kSub, .in = kInt32, .out = kInt32}),
    row<runtime::mul_i32>({.name = "mul_i32", .family = F::kMul, .in = kInt32, .out = kInt32}),
    row<runtime::floor_div_i32>(
        {.name = "floor_div_i32", .family = F::kFloorDiv, .in = kInt32, .out = kInt32}),
    row<runtime::floor_mod_i32>(
        {.name = "floor_mod_i32", .family = F::kFloorMod, .in = kInt32, .out = kInt32}),
    row<runtime::div_i32>({.name = "div_i32", .family = F::kDiv, .in = kInt32, .out = kInt32}),
    row<runtime::maximum>({.name = "maximum", .family = F::kMaximum}),
    row<runtime::maximum_i16>(
        {.name = "maximum_i16", .family = F::kMaximum, .in = kInt16, .out = kInt16}),
    row<runtime::minimum>({.name = "minimum", .family = F::kMinimum}),
    row<runtime::minimum_i16>(
        {.name = "minimum_i16", .family = F::kMinimum, .in = kInt16, .out = kInt16}),
    row<runtime::maximum_i32>(
        {.name = "maximum_i32", .family = F::kMaximum, .in = kInt32, .out = kInt32}),
    row<runtime::minimum_i32>(
        {.name = "minimum_i32", .family = F::kMinimum, .in = kInt32, .out = kInt32}),
    row<runtime::comparison_i8_b8>(
        {.name = "comparison_i8_b8", .family = F::kComparison, .out = kBool}),
    row<runtime::comparison_i32_b8>(
        {.name = "comparison_i32_b8", .family = F::kComparison, .in = kInt32, .out = kBool}),
    row<runtime::comparison_f32_b8>(
        {.name = "comparison_f32_b8", .family = F::kComparison, .in = kFloat32, .out = kBool}),
    row<runtime::select_8>({.name = "select_8", .family = F::kSelect}),
    row<runtime::select_16>(
        {.name = "select_16", .family = F::kSelect, .in = kInt16, .out = kInt16}),
    row<runtime::select_32>(
        {.name = "select_32", .family = F::kSelect, .in = kInt32, .out = kInt32}),
    moving_row<runtime::gather_8>("gather_8", F::kGather, kInt8, kNone),
    moving_row<runtime::gather_16>("gather_16", F::kGather, kInt16, kNone),
    moving_row<runtime::gather_32>("gather_32", F::kGather, kInt32, kNone),
    moving_row<runtime::update_slice_8>("update_slice_8", F::kUpdateSlice, kInt8),
    moving_row<runtime::update_slice_16>("update_slice_16", F::kUpdateSlice, kInt16),
    moving_row<runtime::update_slice_32>("update_slice_32", F::kUpdateSlice, kInt32),
    row<runtime::pad>({.name = "pad", .family = F::kPad, .progress = kNone}),
    row<runtime::pad_16>(
        {.name = "pad_16", .family = F::kPad, .in = kInt16, .out = kInt16, .progress = kNone}),
    row<runtime::pad_32>(
        {.name = "pad_32", .family = F::kPad, .in = kInt32, .out = kInt32, .progress = kNone}),
    row<runtime::copy_8>({.name = "copy_8", .family = F::kCopy}),
    row<runtime::copy_16>({.name = "copy_16", .family = F::kCopy, .in = kInt16, .out = kInt16}),
    row<runtime::copy_32>({.name = "copy_32", .family = F::kCopy, .in = kInt32, .out = kInt32}),
    row<runtime::copy_64>({.name = "copy_64", .family = F::kCopy, .in = kInt64, .out = kInt64}),
    row<runtime::cast_i8_i16>(
        {.name = "cast_i8_i16", .family = F::kCast, .in = kInt8, .out = kInt16}),
    row<runtime::cast_i8_i32>(
        {.name = "cast_i8_i32", .family = F::kCast, .in = kInt8, .out = kInt32}),
    row<runtime::cast_i8_f32>(
        {.name = "cast_i8_f32", .family = F::kCast, .in = kInt8, .out = kFloat32}),
    row<runtime::cast_i16_i8>(
        {.name = "cast_i16_i8", .family = F::kCast, .in = kInt16, .out = kInt8}),
    row<runtime::cast_i16_i32>(
        {.name = "cast_i16_i32", .family = F::kCast, .in = kInt16, .out = kInt32}),
    row<runtime::cast_i16_f32>(
        {.name = "cast_i16_f32", .family = F::kCast, .in = kInt16, .out = kFloat32}),
    row<runtime::cast_i32_i8>(
        {.name = "cast_i32_i8", .family = F::kCast, .in = kInt32, .out = kInt8}),
    row<runtime::cast_i32_i16>(
        {.name = "cast_i32_i16", .family = F::kCast, .in = kInt32, .out = kInt16}),
    row<runtime::cast_i32_i64>(
        {.name = "cast_i32_i64", .family = F::kCast, .in = kInt32, .out = kInt64}),
    row<runtime::cast_i32_f32>(
        {.name = "cast_i32_f32", .family = F::kCast, .in = kInt32, .out = kFloat32}),
    row<runtime::cast_i64_i32>(
        {.name = "cast_i64_i32", .family = F::kCast, .in = kInt64, .out = kInt32}),
    row<runtime::cast_i64_f32>(
        {.name = "cast_i64_f32", .family = F::kCast, .in = kInt64, .out = kFloat32}),
    row<runtime::cast_f32_i8>(
        {.name = "cast_f32_i8", .family = F::kCast, .in = kFloat32, .out = kInt8}),
    row<runtime::cast_f32_i16>(
        {.name = "cast_f32_i16", .family = F::kCast, .in = kFloat32, .out = kInt16}),
    row<runtime::cast_f32_i32>(
        {.name = "cast_f32_i32", .family = F::kCast, .in = kFloat32, .out = kInt32}),
    row<runtime::transpose_in_place_8>({.name = "transpose_in_place_8",
                                        .family = F::kTransposeInPlace,
                                        .progress = kWhole,
                                        .rings = false,
                                        .whole_axes = kAllAxes}),
    row<runtime::rescale_i8_i8>({.name = "rescale_i8_i8", .family = F::kRescale}),
    row<runtime::rescale_i8_i16>({.name = "rescale_i8_i16", .family = F::kRescale, .out = kInt16}),
    row<runtime::rescale_i8_i32>({.name = "rescale_i8_i32", .family = F::kRescale, .out = kInt32}),
    row<runtime::rescale_i16_i8>(
        {.name = "rescale_i16_i8", .family = F::kRescale, .in = kInt16, .out = kInt8}),
    row<runtime::rescale_i32_i8>(
        {.name = "rescale_i32_i8", .family = F::kRescale, .in = kInt32, .out = kInt8}),
    row<runtime::rescale_i16_i32>(
        {.name = "rescale_i16_i32", .family = F::kRescale, .in = kInt16, .out = kInt32}),
    row<runtime::rescale_i16_i16>(
        {.name = "rescale_i16_i16", .family = F::kRescale, .in = kInt16, .out = kInt16}),
    row<runtime::rescale_i32_i16>(
        {.name = "rescale_i32_i16", .family = F::kRescale, .in = kInt32, .out = kInt16}),
    row<runtime::clamp_i16>(
        {.name = "clamp_i16", .family = F::kClamp, .in = kInt16, .out = kInt16}),
    row<runtime::clamp>({.name = "clamp", .family = F::kClamp}),
    row<runtime::leaky_relu_i16_i16>(
        {.name = "leaky_relu_i16_i16", .family = F::kLeakyRelu, .in = kInt16, .out = kInt16}),
    row<runtime::prelu>({.name = "prelu", .family = F::kPrelu}),
    row<runtime::prelu_i16>(
        {.name = "prelu_i16", .family = F::kPrelu, .in = kInt16, .out = kInt16}),
    row<runtime::lookup_i8>({.name = "lookup_i8", .family = F::kLookup, .pack = pack_lookup}),
    row<runtime::lookup_i8_mve>(
        {.name = "lookup_i8_mve", .family = F::kLookup, .set = kMve, .pack = pack_lookup}),
    row<runtime::logistic_i16>({.name = "logistic_i16",
                                .family = F::kLogistic,
                                .in = kInt16,
                                .out = kInt16,
                                .pack = pack_sigmoid}),
    row<runtime::tanh_i16>({.name = "tanh_i16",
                            .family = F::kTanh,
                            .in = kInt16,
                            .out = kInt16,
                            .pack = pack_sigmoid}),
    row<runtime::rsqrt_i16>(
        {.name = "rsqrt_i16", .family = F::kRsqrt, .in = kInt16, .out = kInt16}),
    row<runtime::quantize_f32_i8>(
        {.name = "quantize_f32_i8", .family = F::kQuantize, .in = kFloat32, .out = kInt8}),
    row<runtime::quantize_f32_i16>(
        {.name = "quantize_f32_i16", .family = F::kQuantize, .in = kFloat32, .out = kInt16}),
    row<runtime::dequantize_i8_f32>(
        {.name = "dequantize_i8_f32", .family = F::kDequantize, .out = kFloat32}),
    row<runtime::dequantize_i16_f32>(
        {.name = "dequantize_i16_f32", .family = F::kDequantize, .in = kInt16, .out = kFloat32}),
    row<runtime::softmax_i8_i8>({.name = "softmax_i8_i8",
                                 .family = F::kSoftmax,
                                 .progress = kNone,
                                 .whole_axes = kChannels}),
    row<runtime::softmax_i8_i16>({.name = "softmax_i8_i16",
                                  .family = F::kSoftmax,
                                  .out = kInt16,
                                  .progress = kNone,
                                  .whole_axes = kChannels}),
    softmax_row_dsp<runtime::softmax_i8_i8_dsp>("softmax_i8_i8_dsp", kInt8),
    softmax_row_dsp<runtime::softmax_i8_i16_dsp>("softmax_i8_i16_dsp", kInt16),
    row<runtime::log_softmax>({.name = "log_softmax",
                               .family = F::kLogSoftmax,
                               .progress = kNone,
                               .whole_axes = kChannels}),
    row<runtime::softmax_i16_i16>({.name = "softmax_i16_i16",
                                   .family = F::kSoftmax,
                                   .in = kInt16,
                                   .out = kInt16,
                                   .progress = kNone,
                                   .whole_axes = kChannels,
                                   .pack = pack_softmax_tables}),
    row<runtime::arg_max_i8_i32>(
        {.name = "arg_max_i8_i32", .family = F::kArgMax, .out = kInt32, .progress = kNone}),
    row<runtime::arg_max_f32_i32>({.name = "arg_max_f32_i32",
                                   .family = F::kArgMax,
                                   .in = kFloat32,
                                   .out = kInt32,
                                   .progress = kNone}),
    row<runtime::cumsum>(
        {.name = "cumsum", .family = F::kCumSum, .progress = kNone, .whole_axes = kChannels}),
    row<runtime::l2_normalization>({.name = "l2_normalization",
                                    .family = F::kL2Normalization,
                                    .progress = kNone,
                                    .whole_axes = kChannels}),
    row<runtime::resize_nearest_neighbor>({.name = "resize_nearest_neighbor",
                                           .family = F::kResizeNearestNeighbor,
                                           .progress = kPixel,
                                           .pack = pack_resize_nearest_neighbor}),
    row<runtime::resize_nearest_neighbor_16>({.name = "resize_nearest_neighbor_16",
                                              .family = F::kResizeNearestNeighbor,
                                              .in = kInt16,
                                              .out = kInt16,
                                              .progress = kPixel,
                                              .pack = pack_resize_nearest_neighbor}),
    row<runtime::resize_bilinear>(
        {.name = "resize_bilinear", .family = F::kResizeBilinear, .progress = kPixel}),
    row<runtime::resize_bilinear_mve>({.name = "resize_bilinear_mve",
                                       .family = F::kResizeBilinear,
                                       .set = kMve,
                                       .progress = kPixel,
                                       .dense_channels = true,
                                       .dense_output = true}),
    row<runtime::conv_2d_f32>({.name = "conv_2d_f32",
                               .family = F::kConv2D,
                               .also = F::kConv2DHybrid,
                               .in = kFloat32,
                               .out = kFloat32,
                               .progress = kPixel,
                               .weights = Weights::kWide,
                               .pack = pack_float_conv_2d,
                               .adapt = expanded_float_conv_2d}),
    float_row<runtime::conv_2d_hybrid_f32>("conv_2d_hybrid_f32", F::kConv2DHybrid, kPixel,
                                           pack_hybrid_conv_2d),
    float_row<runtime::transpose_conv_f32>("transpose_conv_f32", F::kTransposeConv, kPixel,
                                           pack_float_conv_2d),
    float_row<runtime::batch_matmul_f32>("batch_matmul_f32", F::kBatchMatMul, kPixel),
    float_row<runtime::average_pool_2d_f32>("average_pool_2d_f32", F::kAveragePool2D, kPixel),
    float_row<runtime::l2_pool_2d_f32>("l2_pool_2d_f32", F::kL2Pool2D, kPixel),
    float_row<runtime::max_pool_2d_f32>("max_pool_2d_f32", F::kMaxPool2D, kPixel),
    float_row<runtime::min_pool_2d_f32>("min_pool_2d_f32", F::kMinPool2D, kPixel),
    float_row<runtime::mean_f32>("mean_f32", F::kMean, kNone),
    float_row<runtime::add_f32>("add_f32", F::kAdd),
    float_row<runtime::sub_f32>("sub_f32", F::kSub),
    float_row<runtime::mul_f32>("mul_f32", F::kMul),
    float_row<runtime::div_f32>("div_f32", F::kDiv),
    float_row<runtime::floor_div_f32>("floor_div_f32", F::kFloorDiv),
    float_row<runtime::floor_mod_f32>("floor_mod_f32", F::kFloorMod),
    float_row<runtime::maximum_f32>("maximum_f32", F::kMaximum),
    float_row<runtime::minimum_f32>("minimum_f32", F::kMinimum),
    float_row<runtime::squared_difference_f32>("squared_difference_f32", F::kSquaredDifference),
    float_row<runtime::prelu_f32>("prelu_f32", F::kPrelu),
    float_row<runtime::clamp_f32>("clamp_f32", F::kClamp),
    float_row<runtime::leaky_relu_f32>("leaky_relu_f32", F::kLeakyRelu),
    float_row<runtime::abs_f32>("abs_f32", F::kAbs),
    float_row<runtime::ceil_f32>("ceil_f32", F::kCeil),
    float_row<runtime::cos_f32>("cos_f32", F::kCos),
    float_row<runtime::elu_f32>("elu_f32", F::kElu),
    float_row<runtime::exp_f32>("exp_f32", F::kExp),
    float_row<runtime::floor_f32>("floor_f32", F::kFloor),
    float_row<runtime::gelu_f32>("gelu_f32", F::kGelu),
    float_row<runtime::gelu_by_tanh_f32>("gelu_by_tanh_f32", F::kGeluByTanh),
    float_row<runtime::hard_swish_f32>("hard_swish_f32", F::kHardSwish),
    float_row<runtime::log_f32>("log_f32", F::kLog),
    float_row<runtime::logistic_f32>("logistic_f32", F::kLogistic),
    float_row<runtime::neg_f32>("neg_f32", F::kNeg),
    float_row<runtime::round_f32>("round_f32", F::kRound),
    float_row<runtime::rsqrt_f32>("rsqrt_f32", F::kRsqrt),
    float_row<runtime::sin_f32>("sin_f32", F::kSin),
    float_row<runtime::sqrt_f32>("sqrt_f32", F::kSqrt),
    float_row<runtime::square_f32>("square_f32", F::kSquare),
    float_row<runtime::tanh_f32>("tanh_f32", F::kTanh),
    float_row<runtime::softmax_f32>("softmax_f32", F::kSoftmax, kNone, nullptr, kChannels),
    float_row<runtime::log_softmax_f32>("log_softmax_f32", F::kLogSoftmax, kNone, nullptr,
                                        kChannels),
    float_row<runtime::cumsum_f32>("cumsum_f32", F::kCumSum, kNone, nullptr, kChannels),
    float_row<runtime::l2_normalization_f32>("l2_normalization_f32", F::kL2Normalization, kNone,
                                             nullptr, kChannels),
    float_row<runtime::svdf_f32>("svdf_f32", F::kSvdf, kPixel, pack_svdf),
    float_lstm_row<runtime::lstm_f32>("lstm_f32", F::kLstm),
    float_lstm_row<runtime::lstm_hybrid_f32>("lstm_hybrid_f32", F::kLstmHybrid),
    row<runtime::detection_post_process_f32>({.name = "detection_post_process_f32",
                                              .family = F::kDetectionPostProcess,
                                              .in = kFloat32,
                                              .out = kFloat32,
                                              .progress = kNone,
                                              .rings = false,
                                              .whole_axes = kAllAxes,
                                              .dense_output = true,
                                              .pack = pack_detection_post_process}),
    float_row<runtime::resize_bilinear_f32>("resize_bilinear_f32", F::kResizeBilinear, kPixel,
                                            pack_float_resize_bilinear),
    row<runtime::resize_nearest_neighbor_32>({.name = "resize_nearest_neighbor_32",
                                              .family = F::kResizeNearestNeighbor,
                                              .in = kInt32,
                                              .out = kInt32,
                                              .progress = kPixel,
                                              .pack = pack_resize_nearest_neighbor}),
};

bool is_of(const KernelInfo& k, const KernelInfo& portable) {
  return (k.family == portable.family || k.also == portable.family) && k.in == portable.in &&
         k.out == portable.out;
}

KernelId id_of(const KernelInfo& kernel) { return {static_cast<int16_t>(&kernel - kKernels)}; }

}  // namespace

std::span<const KernelInfo> kernels() { return kKernels; }

const KernelInfo& info(KernelId kernel) {
  const auto k = static_cast<size_t>(kernel.row);
  check(kernel.valid() && k < std::size(kKernels), "info: unknown kernel");
  return kKernels[k];
}

std::string KernelInfo::source() const { return fmt::format("{}/{}.cc", thimble::name(set), name); }

KernelId kernel_named(std::string_view name) {
  const auto* found = std::ranges::find(kKernels, name, &KernelInfo::name);
  return found == std::end(kKernels) ? KernelId{} : id_of(*found);
}

KernelId portable_kernel(Family family, DType in, DType out) {
  for (const KernelInfo& k : kKernels) {
    if (k.family == family && k.in == in && k.out == out && k.set == InstructionSet::kPortable)
      return id_of(k);
  }
  return {};
}

bool does(KernelId kernel, const KernelUse& use) {
  const KernelInfo& k = info(kernel);
  return kernel == use.kernel ||
         (is_of(k, info(use.kernel)) && (k.takes == nullptr || k.takes(use)));
}

std::vector<Candidate> candidates(const KernelUse& use, const Core& core) {
  std::vector<Candidate> result{{use.kernel, scratch_bytes(use.kernel, use)}};
  for (const KernelInfo& k : kKernels) {
    const KernelId kernel = id_of(k);
    if (kernel != use.kernel && core.has(k.set) && core.weights <= k.weights && does(kernel, use))
      result.push_back({kernel, scratch_bytes(kernel, use)});
  }
  return result;
}

int64_t scratch_bytes(KernelId kernel, const KernelUse& use) {
  const KernelInfo& k = info(kernel);
  return k.scratch_bytes == nullptr ? 0 : k.scratch_bytes(use.params);
}

std::optional<int64_t> scratch_within(KernelId kernel, const KernelUse& use,
                                      const CallExtents& call, int64_t room) {
  const KernelInfo& k = info(kernel);
  if (k.scratch_within != nullptr) {
    const int64_t bytes = k.scratch_within(use.params, call, room);
    return bytes > 0 ? std::optional(bytes) : std::nullopt;
  }
  const int64_t bytes = scratch_bytes(kernel, use);
  return bytes <= room ? std::optional(bytes) : std::nullopt;
}

int64_t least_scratch_bytes(KernelId kernel, const KernelUse& use) {
  const int64_t all = std::numeric_limits<int32_t>::max();
  return scratch_within(kernel, use, {}, all).value_or(all);
}

void invoke(const Invocation& call) { info(call.kernel).invoke(call); }

}  // namespace thimble
