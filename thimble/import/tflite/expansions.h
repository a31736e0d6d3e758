// SPDX-License-Identifier: Apache-2.0
// Operators of a .tflite file that are several of ours, or one with other constants.
#pragma once

#include "thimble/import/expansion.h"
#include "thimble/import/tflite/op.h"

namespace thimble {

// steps.cc: reshapes, transposes, slices, concatenations and pools
/// Slopes become what its input is: those of int16 are int8 in the file.
void prelu(const TfliteOp& op, Expansion& steps);
/// DEQUANTIZE of a constant becomes no operator: its output becomes a constant.
void dequantize(const TfliteOp& op, Expansion& steps);
/// Operators that are always folded (extents.h): refuses what could not be.
void only_extents(const TfliteOp& op, Expansion& steps);
void pack(const TfliteOp& op, Expansion& steps);
void gather(const TfliteOp& op, Expansion& steps);
void gather_nd(const TfliteOp& op, Expansion& steps);
void depth_to_space(const TfliteOp& op, Expansion& steps);
void space_to_depth(const TfliteOp& op, Expansion& steps);
void batch_to_space(const TfliteOp& op, Expansion& steps);
void space_to_batch(const TfliteOp& op, Expansion& steps);
void mirror_pad(const TfliteOp& op, Expansion& steps);
/// Sums of int32, of which 2^19 stand for a raw difference of int8.
void add_n(const TfliteOp& op, Expansion& steps);
void broadcast_to(const TfliteOp& op, Expansion& steps);
void tile(const TfliteOp& op, Expansion& steps);

// gather.cc: positions that an operator computes; depth: indices for each
void gather_at_run_time(const TfliteOp& op, Expansion& steps, const Gather& gather);
void gather_nd_at_run_time(const TfliteOp& op, Expansion& steps, size_t depth);
void embedding_lookup(const TfliteOp& op, Expansion& steps);
void dynamic_update_slice(const TfliteOp& op, Expansion& steps);

// reductions.cc: windows over neighbouring axes, of bool, too
void reduce_max(const TfliteOp& op, Expansion& steps);
void reduce_min(const TfliteOp& op, Expansion& steps);
void reduce_any(const TfliteOp& op, Expansion& steps);
void reduce_all(const TfliteOp& op, Expansion& steps);

// choices.cc
/// CAST to bool: whether the value is not 0.
void cast(const TfliteOp& op, Expansion& steps);
/// The condition has the shape of the others, or is one for each index of the first axis or for
/// all.
void select(const TfliteOp& op, Expansion& steps);
/// Whether it is equal to false.
void logical_not(const TfliteOp& op, Expansion& steps);

// states.cc, lstm.cc: variables, which become an input and an output (docs/ports.md)
/// An operand that must be there, with as many elements as `shape`.
[[nodiscard]] const Tensor& state_operand(const TfliteOp& op, size_t k, const char* what,
                                          const Shape& shape);
[[nodiscard]] const Tensor& variable_of(const TfliteOp& op, size_t k, const char* what,
                                        const Shape& shape);
void svdf(const TfliteOp& op, Expansion& steps);
void unidirectional_sequence_lstm(const TfliteOp& op, Expansion& steps);

// custom.cc: custom operators beside those of the audio front end
void circular_buffer(const TfliteOp& op, Expansion& steps);
void detection_post_process(const TfliteOp& op, Expansion& steps);

}  // namespace thimble
