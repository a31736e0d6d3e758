// SPDX-License-Identifier: Apache-2.0
// What the calls of a program use of its kernels, so that these are compiled without the rest. Here
// it is everything; the emitter writes 0 where no call has use for it (thimble/emit/uses.h).
#pragma once

/// A view is a ring.
#define THIMBLE_USES_RINGS 1
/// Convolutions in pairs: windows of more than one tap, padding, channels that are no neighbours or
/// no multiple of four.
#define THIMBLE_USES_PAIR_WINDOWS 1
/// Windows that do not begin at multiples of four bytes.
#define THIMBLE_USES_UNALIGNED_PAIRS 1
/// Windows of 3 x 3 of three channels.
#define THIMBLE_USES_NINES 1
/// Single output channels, or sums that no tail of the assembly takes to int8.
#define THIMBLE_USES_PAIR_EDGES 1
/// Weights in 8 bits of which all channels of a layer have the same constants.
#define THIMBLE_USES_SHARED_SCALES 1
/// Convolutions of int16 in words: one or two output channels behind the last four.
#define THIMBLE_USES_WORDS_OF_TWO 1
/// Windows of so many taps or inputs that their sums are made of parts.
#define THIMBLE_USES_SUMS_IN_PARTS 1
/// Tails of convolutions in pairs: one for each Tail.
#define THIMBLE_USES_RELU_BY_11 1
#define THIMBLE_USES_RELU_BY_14 1
#define THIMBLE_USES_RELU 1
#define THIMBLE_USES_RELU_HIGH 1
#define THIMBLE_USES_SIGNED 1
#define THIMBLE_USES_SIGNED_CLAMPS 1
#define THIMBLE_USES_RELU_FROM 1
#define THIMBLE_USES_TO_EVEN 1
#define THIMBLE_USES_TO_EVEN_CLAMPS 1
#define THIMBLE_USES_SUMS 1
/// Scales that are float32 (kFloatShift).
#define THIMBLE_USES_FLOAT_SCALES 1
/// Depthwise convolutions pixel by pixel, from the inputs as they are.
#define THIMBLE_USES_DEPTHWISE_PIXELS 1
/// Some of a call's channels at a time.
#define THIMBLE_USES_DEPTHWISE_PARTS 1
/// Rows by themselves, or in strips.
#define THIMBLE_USES_DEPTHWISE_STRIPS 1
/// Windows of 3 x 3 with stride 1, with stride 2, and any others.
#define THIMBLE_USES_DEPTHWISE_STRIDE_1 1
#define THIMBLE_USES_DEPTHWISE_STRIDE_2 1
#define THIMBLE_USES_DEPTHWISE_ANY 1
/// Sums of two operands that both are halved, of others; elements one by one, or clamped; products
/// of elements one by one (is_side_by_side in portable/side_by_side.h).
#define THIMBLE_USES_HALVED_SUMS 1
#define THIMBLE_USES_SCALED_SUMS 1
#define THIMBLE_USES_SINGLE_SUMS 1
#define THIMBLE_USES_SINGLE_PRODUCTS 1
/// Copies of elements one by one, of rows, and of pixels (run_axis in portable/copy_runs.h).
#define THIMBLE_USES_COPY_ELEMENTS 1
#define THIMBLE_USES_COPY_ROWS 1
#define THIMBLE_USES_COPY_PIXELS 1
