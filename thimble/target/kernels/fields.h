// SPDX-License-Identifier: Apache-2.0
// The fields of every kernel's parameters, listed once: binding, printing, comparing and recording
// go through them. C++17, and of the runtime's headers alone, since recorders of emitted code
// include it too.
//
//   each_field(params, [](const char* name, auto& field) { ... });
//
// A field is a number, an array of numbers, a pointer to packed constants, or one of the structs
// ChannelScales, Scale, Window2D and LinearAxis, which have fields of their own. Pointers come in
// the order of KernelUse::constants.
#pragma once

#include <cstddef>
#include <type_traits>

#include "thimble_runtime/kernels.h"

namespace thimble {
namespace fields {

using namespace thimble::runtime;

/// Whether `Struct`, const or not, is `Wanted`.
template <class Struct, class Wanted>
using If = std::enable_if_t<std::is_same_v<std::remove_const_t<Struct>, Wanted>, int>;

template <class S, class F, If<S, ChannelScales> = 0>
void each_field(S& s, F visit) {
  visit("multipliers", s.multipliers);
  visit("shifts", s.shifts);
}

template <class S, class F, If<S, Scale> = 0>
void each_field(S& s, F visit) {
  visit("multiplier", s.multiplier);
  visit("shift", s.shift);
}

template <class S, class F, If<S, LinearAxis> = 0>
void each_field(S& s, F visit) {
  visit("step", s.step);
  visit("offset", s.offset);
  visit("in_extent", s.in_extent);
}

template <class S, class F, If<S, Window2D> = 0>
void each_field(S& s, F visit) {
  visit("kernel_h", s.kernel_h);
  visit("kernel_w", s.kernel_w);
  visit("stride_h", s.stride_h);
  visit("stride_w", s.stride_w);
  visit("dilation_h", s.dilation_h);
  visit("dilation_w", s.dilation_w);
  visit("pad_top", s.pad_top);
  visit("pad_left", s.pad_left);
  visit("in_h", s.in_h);
  visit("in_w", s.in_w);
}

template <class S, class F, If<S, Conv2DParams> = 0>
void each_field(S& s, F visit) {
  visit("weights", s.weights);
  visit("bias", s.bias);
  visit("scales", s.scales);
  visit("window", s.window);
  visit("in_per_group", s.in_per_group);
  visit("out_per_group", s.out_per_group);
  visit("input_zero_point", s.input_zero_point);
  visit("output_zero_point", s.output_zero_point);
  visit("clamp_min", s.clamp_min);
  visit("clamp_max", s.clamp_max);
}

template <class S, class F, If<S, Conv2DPairsParams> = 0>
void each_field(S& s, F visit) {
  visit("pairs", s.pairs);
  visit("window", s.window);
  visit("in_channels", s.in_channels);
  visit("out_channels", s.out_channels);
  visit("input_zero_point", s.input_zero_point);
  visit("output_zero_point", s.output_zero_point);
  visit("clamp_min", s.clamp_min);
  visit("clamp_max", s.clamp_max);
  visit("tail", s.tail);
}

template <class S, class F, If<S, Conv2DFoursParams> = 0>
void each_field(S& s, F visit) {
  visit("fours", s.fours);
  visit("window", s.window);
  visit("in_channels", s.in_channels);
  visit("out_channels", s.out_channels);
  visit("input_zero_point", s.input_zero_point);
  visit("output_zero_point", s.output_zero_point);
  visit("clamp_min", s.clamp_min);
  visit("clamp_max", s.clamp_max);
  visit("rounding", s.rounding);
}

template <class S, class F, If<S, Conv2DNarrowParams> = 0>
void each_field(S& s, F visit) {
  visit("weights", s.weights);
  visit("bias", s.bias);
  visit("scales", s.scales);
  visit("window", s.window);
  visit("in_channels", s.in_channels);
  visit("input_zero_point", s.input_zero_point);
  visit("accumulator_zero_point", s.accumulator_zero_point);
}

template <class S, class F, If<S, UnfoldedConv2DParams> = 0>
void each_field(S& s, F visit) {
  visit("weights", s.weights);
  visit("bias", s.bias);
  visit("scales", s.scales);
  visit("window", s.window);
  visit("in_per_group", s.in_per_group);
  visit("out_per_group", s.out_per_group);
  visit("out_channels", s.out_channels);
  visit("input_zero_point", s.input_zero_point);
  visit("output_zero_point", s.output_zero_point);
  visit("weights_zero_point", s.weights_zero_point);
  visit("clamp_min", s.clamp_min);
  visit("clamp_max", s.clamp_max);
  visit("rounds_once", s.rounds_once);
}

template <class S, class F, If<S, Conv2DWordsParams> = 0>
void each_field(S& s, F visit) {
  visit("words", s.words);
  visit("window", s.window);
  visit("in_channels", s.in_channels);
  visit("out_channels", s.out_channels);
  visit("clamp_min", s.clamp_min);
  visit("clamp_max", s.clamp_max);
  visit("rounds_once", s.rounds_once);
}

template <class S, class F, If<S, FullyConnectedParams> = 0>
void each_field(S& s, F visit) {
  visit("bias", s.bias);
  visit("scales", s.scales);
  visit("in_channels", s.in_channels);
  visit("input_zero_point", s.input_zero_point);
  visit("weights_zero_point", s.weights_zero_point);
  visit("output_zero_point", s.output_zero_point);
  visit("clamp_min", s.clamp_min);
  visit("clamp_max", s.clamp_max);
}

template <class S, class F, If<S, BatchMatMulParams> = 0>
void each_field(S& s, F visit) {
  visit("depth", s.depth);
  visit("zero_point", s.zero_point);
  visit("output_zero_point", s.output_zero_point);
  visit("scale", s.scale);
}

template <class S, class F, If<S, SvdfFeaturesParams> = 0>
void each_field(S& s, F visit) {
  visit("weights", s.weights);
  visit("depth", s.depth);
  visit("input_zero_point", s.input_zero_point);
  visit("output_zero_point", s.output_zero_point);
  visit("scale", s.scale);
}

template <class S, class F, If<S, SvdfParams> = 0>
void each_field(S& s, F visit) {
  visit("bias", s.bias);
  visit("rank", s.rank);
  visit("memory", s.memory);
  visit("state_zero_point", s.state_zero_point);
  visit("output_zero_point", s.output_zero_point);
  visit("scale", s.scale);
}

template <class S, class F, If<S, LstmParams> = 0>
void each_field(S& s, F visit) {
  visit("weights", s.weights);
  visit("recurrent", s.recurrent);
  visit("biases", s.biases);
  visit("table", s.table);
  visit("times", s.times);
  visit("inputs", s.inputs);
  visit("units", s.units);
  visit("output_zero_point", s.output_zero_point);
  visit("input_scale", s.input_scale);
  visit("recurrent_scale", s.recurrent_scale);
  visit("forget_scale", s.forget_scale);
  visit("update_scale", s.update_scale);
  visit("output_scale", s.output_scale);
  visit("cell_multiplier", s.cell_multiplier);
  visit("cell_shift", s.cell_shift);
  visit("cell_limit", s.cell_limit);
}

template <class S, class F, If<S, ShiftInParams> = 0>
void each_field(S& s, F visit) {
  visit("last", s.last);
}

template <class S, class F, If<S, DepthwiseConv2DParams> = 0>
void each_field(S& s, F visit) {
  visit("weights", s.weights);
  visit("bias", s.bias);
  visit("scales", s.scales);
  visit("window", s.window);
  visit("out_channels", s.out_channels);
  visit("multiplier", s.multiplier);
  visit("input_zero_point", s.input_zero_point);
  visit("output_zero_point", s.output_zero_point);
  visit("clamp_min", s.clamp_min);
  visit("clamp_max", s.clamp_max);
}

template <class S, class F, If<S, DepthwiseConv2DPackedParams> = 0>
void each_field(S& s, F visit) {
  visit("constants", s.constants);
  visit("window", s.window);
  visit("out_channels", s.out_channels);
  visit("multiplier", s.multiplier);
  visit("input_zero_point", s.input_zero_point);
  visit("clamp_add", s.clamp_add);
  visit("clamp_less", s.clamp_less);
  visit("scratch_bytes", s.scratch_bytes);
}

template <class S, class F, If<S, Pool2DParams> = 0>
void each_field(S& s, F visit) {
  visit("window", s.window);
  visit("clamp_min", s.clamp_min);
  visit("clamp_max", s.clamp_max);
}

template <class S, class F, If<S, MeanParams> = 0>
void each_field(S& s, F visit) {
  visit("in_extent", s.in_extent);
  visit("reduced", s.reduced);
  visit("scale", s.scale);
  visit("input_zero_point", s.input_zero_point);
  visit("output_zero_point", s.output_zero_point);
}

template <class S, class F, If<S, SumParams> = 0>
void each_field(S& s, F visit) {
  visit("in_extent", s.in_extent);
  visit("reduced", s.reduced);
  visit("chunk_axis", s.chunk_axis);
}

template <class S, class F, If<S, AddParams> = 0>
void each_field(S& s, F visit) {
  visit("left_shift", s.left_shift);
  visit("zero_point", s.zero_point);
  visit("output_zero_point", s.output_zero_point);
  visit("scale", s.scale);
  visit("output_scale", s.output_scale);
  visit("clamp_min", s.clamp_min);
  visit("clamp_max", s.clamp_max);
}

template <class S, class F, If<S, MulParams> = 0>
void each_field(S& s, F visit) {
  visit("zero_point", s.zero_point);
  visit("output_zero_point", s.output_zero_point);
  visit("output_scale", s.output_scale);
  visit("clamp_min", s.clamp_min);
  visit("clamp_max", s.clamp_max);
}

template <class S, class F, If<S, PadParams> = 0>
void each_field(S& s, F visit) {
  visit("before", s.before);
  visit("in_extent", s.in_extent);
  visit("value", s.value);
}

template <class S, class F, If<S, RescaleParams> = 0>
void each_field(S& s, F visit) {
  visit("scale", s.scale);
  visit("input_zero_point", s.input_zero_point);
  visit("output_zero_point", s.output_zero_point);
  visit("clamp_min", s.clamp_min);
  visit("clamp_max", s.clamp_max);
}

template <class S, class F, If<S, ClampParams> = 0>
void each_field(S& s, F visit) {
  visit("clamp_min", s.clamp_min);
  visit("clamp_max", s.clamp_max);
}

template <class S, class F, If<S, LeakyReluParams> = 0>
void each_field(S& s, F visit) {
  visit("positive", s.positive);
  visit("negative", s.negative);
  visit("input_zero_point", s.input_zero_point);
  visit("output_zero_point", s.output_zero_point);
  visit("clamp_min", s.clamp_min);
  visit("clamp_max", s.clamp_max);
}

template <class S, class F, If<S, PreluParams> = 0>
void each_field(S& s, F visit) {
  visit("positive", s.positive);
  visit("negative", s.negative);
  visit("input_zero_point", s.input_zero_point);
  visit("alpha_zero_point", s.alpha_zero_point);
  visit("output_zero_point", s.output_zero_point);
  visit("clamp_min", s.clamp_min);
  visit("clamp_max", s.clamp_max);
}

template <class S, class F, If<S, LookupParams> = 0>
void each_field(S& s, F visit) {
  visit("table", s.table);
}

template <class S, class F, If<S, SigmoidParams> = 0>
void each_field(S& s, F visit) {
  visit("table", s.table);
  visit("multiplier", s.multiplier);
  visit("shift", s.shift);
}

template <class S, class F, If<S, FloatParams> = 0>
void each_field(S& s, F visit) {
  visit("scale", s.scale);
  visit("zero_point", s.zero_point);
}

template <class S, class F, If<S, SoftmaxParams> = 0>
void each_field(S& s, F visit) {
  visit("input_scale", s.input_scale);
  visit("diff_min", s.diff_min);
  visit("channels", s.channels);
}

template <class S, class F, If<S, SoftmaxExponentialsParams> = 0>
void each_field(S& s, F visit) {
  visit("exponentials", s.exponentials);
  visit("channels", s.channels);
}

template <class S, class F, If<S, SoftmaxTableParams> = 0>
void each_field(S& s, F visit) {
  visit("exponentials", s.exponentials);
  visit("reciprocals", s.reciprocals);
  visit("input_scale", s.input_scale);
  visit("channels", s.channels);
}

template <class S, class F, If<S, LogSoftmaxParams> = 0>
void each_field(S& s, F visit) {
  visit("input_scale", s.input_scale);
  visit("inverse_scale", s.inverse_scale);
  visit("diff_min", s.diff_min);
  visit("channels", s.channels);
}

template <class S, class F, If<S, ResizeNearestNeighborParams> = 0>
void each_field(S& s, F visit) {
  visit("rows", s.rows);
  visit("columns", s.columns);
}

template <class S, class F, If<S, ResizeBilinearParams> = 0>
void each_field(S& s, F visit) {
  visit("rows", s.rows);
  visit("columns", s.columns);
}

template <class S, class F, If<S, RelationParams> = 0>
void each_field(S& s, F visit) {
  visit("accepted", s.accepted);
}

template <class S, class F, If<S, ComparisonParams> = 0>
void each_field(S& s, F visit) {
  visit("accepted", s.accepted);
  visit("zero_point", s.zero_point);
  visit("scale", s.scale);
}

template <class S, class F, If<S, GatherParams> = 0>
void each_field(S& s, F visit) {
  visit("extent", s.extent);
}

template <class S, class F, If<S, UpdateSliceParams> = 0>
void each_field(S& s, F visit) {
  visit("axes", s.axes);
  visit("extent", s.extent);
  visit("room", s.room);
}

template <class S, class F, If<S, DetectionPostProcessParams> = 0>
void each_field(S& s, F visit) {
  visit("anchors", s.anchors);
  visit("boxes", s.boxes);
  visit("classes", s.classes);
  visit("label_offset", s.label_offset);
  visit("max_detections", s.max_detections);
  visit("detections_per_class", s.detections_per_class);
  visit("regular", s.regular);
  visit("score_threshold", s.score_threshold);
  visit("iou_threshold", s.iou_threshold);
  visit("scales", s.scales);
}

template <class S, class F, If<S, RsqrtParams> = 0>
void each_field(S& s, F visit) {
  visit("scale", s.scale);
}

template <class S, class F, If<S, ArgMaxParams> = 0>
void each_field(S& s, F visit) {
  visit("channels", s.channels);
  visit("least", s.least);
}

template <class S, class F, If<S, CumSumParams> = 0>
void each_field(S& s, F visit) {
  visit("scale", s.scale);
  visit("input_zero_point", s.input_zero_point);
  visit("output_zero_point", s.output_zero_point);
  visit("exclusive", s.exclusive);
  visit("reverse", s.reverse);
  visit("channels", s.channels);
}

template <class S, class F, If<S, L2NormalizationParams> = 0>
void each_field(S& s, F visit) {
  visit("input_zero_point", s.input_zero_point);
  visit("channels", s.channels);
}

template <class S, class F, If<S, SignalWindowParams> = 0>
void each_field(S& s, F visit) {
  visit("shift", s.shift);
}

template <class S, class F, If<S, SignalAutoShiftParams> = 0>
void each_field(S& s, F visit) {
  visit("samples", s.samples);
}

template <class S, class F, If<S, SignalRfftParams> = 0>
void each_field(S& s, F visit) {
  visit("twiddles", s.twiddles);
  visit("samples", s.samples);
  visit("size", s.size);
}

template <class S, class F, If<S, SignalEnergyParams> = 0>
void each_field(S& s, F visit) {
  visit("begin", s.begin);
  visit("end", s.end);
}

template <class S, class F, If<S, SignalFilterBankParams> = 0>
void each_field(S& s, F visit) {
  visit("weights", s.weights);
  visit("unweights", s.unweights);
  visit("bands", s.bands);
}

template <class S, class F, If<S, SignalNoiseParams> = 0>
void each_field(S& s, F visit) {
  visit("smoothing", s.smoothing);
  visit("one_minus_smoothing", s.one_minus_smoothing);
  visit("smoothing_bits", s.smoothing_bits);
  visit("bits", s.bits);
  visit("clamping", s.clamping);
}

template <class S, class F, If<S, SignalSubtractionParams> = 0>
void each_field(S& s, F visit) {
  visit("min_signal_remaining", s.min_signal_remaining);
  visit("smoothing_bits", s.smoothing_bits);
  visit("bits", s.bits);
}

template <class S, class F, If<S, SignalPcanParams> = 0>
void each_field(S& s, F visit) {
  visit("gains", s.gains);
  visit("shift", s.shift);
}

template <class S, class F, If<S, SignalLogParams> = 0>
void each_field(S& s, F visit) {
  visit("table", s.table);
  visit("scale", s.scale);
  visit("correction_bits", s.correction_bits);
}

template <class S, class F, If<S, FloatConv2DParams> = 0>
void each_field(S& s, F visit) {
  visit("weights", s.weights);
  visit("bias", s.bias);
  visit("window", s.window);
  visit("in_per_group", s.in_per_group);
  visit("out_per_group", s.out_per_group);
  visit("clamp_min", s.clamp_min);
  visit("clamp_max", s.clamp_max);
}

template <class S, class F, If<S, FloatMatMulParams> = 0>
void each_field(S& s, F visit) {
  visit("depth", s.depth);
}

template <class S, class F, If<S, FloatPool2DParams> = 0>
void each_field(S& s, F visit) {
  visit("window", s.window);
  visit("clamp_min", s.clamp_min);
  visit("clamp_max", s.clamp_max);
}

template <class S, class F, If<S, FloatMeanParams> = 0>
void each_field(S& s, F visit) {
  visit("in_extent", s.in_extent);
  visit("reduced", s.reduced);
  visit("divisor", s.divisor);
}

template <class S, class F, If<S, FloatCumSumParams> = 0>
void each_field(S& s, F visit) {
  visit("exclusive", s.exclusive);
  visit("reverse", s.reverse);
  visit("channels", s.channels);
}

template <class S, class F, If<S, FloatL2NormalizationParams> = 0>
void each_field(S& s, F visit) {
  visit("channels", s.channels);
}

template <class S, class F, If<S, FloatSvdfParams> = 0>
void each_field(S& s, F visit) {
  visit("bias", s.bias);
  visit("rank", s.rank);
  visit("memory", s.memory);
  visit("clamp_min", s.clamp_min);
  visit("clamp_max", s.clamp_max);
}

template <class S, class F, If<S, FloatLstmParams> = 0>
void each_field(S& s, F visit) {
  visit("weights", s.weights);
  visit("recurrent", s.recurrent);
  visit("biases", s.biases);
  visit("times", s.times);
  visit("inputs", s.inputs);
  visit("units", s.units);
  visit("cell_limit", s.cell_limit);
}

template <class S, class F, If<S, HybridConv2DParams> = 0>
void each_field(S& s, F visit) {
  visit("weights", s.weights);
  visit("bias", s.bias);
  visit("scales", s.scales);
  visit("window", s.window);
  visit("in_per_group", s.in_per_group);
  visit("out_per_group", s.out_per_group);
  visit("scale_step", s.scale_step);
  visit("zero_point", s.zero_point);
  visit("clamp_min", s.clamp_min);
  visit("clamp_max", s.clamp_max);
}

template <class S, class F, If<S, HybridLstmParams> = 0>
void each_field(S& s, F visit) {
  visit("weights", s.weights);
  visit("recurrent", s.recurrent);
  visit("biases", s.biases);
  visit("times", s.times);
  visit("inputs", s.inputs);
  visit("units", s.units);
  visit("zero_point", s.zero_point);
  visit("input_scale", s.input_scale);
  visit("recurrent_scale", s.recurrent_scale);
  visit("cell_limit", s.cell_limit);
}

template <class S, class F, If<S, FloatClampParams> = 0>
void each_field(S& s, F visit) {
  visit("clamp_min", s.clamp_min);
  visit("clamp_max", s.clamp_max);
}

template <class S, class F, If<S, FloatLeakyReluParams> = 0>
void each_field(S& s, F visit) {
  visit("alpha", s.alpha);
}

template <class S, class F, If<S, FloatSoftmaxParams> = 0>
void each_field(S& s, F visit) {
  visit("beta", s.beta);
  visit("channels", s.channels);
}

template <class S, class F, If<S, FloatResizeBilinearParams> = 0>
void each_field(S& s, F visit) {
  visit("rows", s.rows);
  visit("row_fractions", s.row_fractions);
  visit("columns", s.columns);
  visit("column_fractions", s.column_fractions);
}

/// Calls leaf(field) for each number and each pointer, structs and arrays opened, in order.
template <class S, class F>
void each_leaf(S& s, const F& leaf) {
  each_field(s, [&](const char*, auto& field) {
    using Field = std::remove_const_t<std::remove_reference_t<decltype(field)>>;
    if constexpr (std::is_array_v<Field>) {
      for (auto& element : field) {
        if constexpr (std::is_class_v<std::remove_extent_t<Field>>) {
          each_leaf(element, leaf);
        } else {
          leaf(element);
        }
      }
    } else if constexpr (std::is_class_v<Field>) {
      each_leaf(field, leaf);
    } else {
      leaf(field);
    }
  });
}

}  // namespace fields

using fields::each_field;
using fields::each_leaf;

}  // namespace thimble
