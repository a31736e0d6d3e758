// SPDX-License-Identifier: Apache-2.0
// Graph -> Graph, outputs and surviving tensors identical bit by bit. TensorIds keep their meaning;
// tensors that nothing uses any more stay in the list. What has fewer channels is a new tensor, and
// stands in the certificate, by which certify() (certify/certify.h) checks the whole.
#pragma once

#include "thimble/certify/certificate.h"
#include "thimble/reference/bounds.h"

namespace thimble {

/// Channels whose value is the same for every input.
enum class ConstantChannels : uint8_t { kRemoved, kKept };

/// All of those below that keep the interface, in the order that pays; see rewrites.cc.
[[nodiscard]] RewrittenGraph rewrite_with_certificate(
    Graph graph, ConstantChannels channels = ConstantChannels::kRemoved);
/// rewrite_with_certificate() without the certificate.
[[nodiscard]] Graph rewrite(Graph graph, ConstantChannels channels = ConstantChannels::kRemoved);

/// An operator on constants alone becomes a constant, unless that takes too much work
/// (reference/constant_folding.h).
[[nodiscard]] Graph fold_constants(Graph graph);
/// Operators that change neither values nor places: reshape to the same shape, pad by nothing,
/// identity transpose, concatenation of one, slice of everything, quantize to the same scale.
[[nodiscard]] Graph remove_no_ops(Graph graph);
/// reshape -> reshape is one; a fully connected layer reads through a reshape; an operator whose
/// output shape is open (fully connected, mean) writes the reshaped tensor itself.
///   mean -> t [1,1,1,64] -> reshape -> u [1,64]     becomes     mean -> u
[[nodiscard]] Graph remove_reshapes(Graph graph);
/// Rows and columns of the zero point in front of a convolution become its padding.
///   pad [1,114,114,32] -> depthwise VALID           becomes     depthwise with padding 1
[[nodiscard]] Graph merge_padding(Graph graph);
/// All readers of a tensor are the same operator, whose output is no larger: they become one.
///   conv > x, relu x > a, relu x > b                becomes     conv > x, relu x > a, read as b,
///   too
[[nodiscard]] Graph merge_twins(Graph graph);
/// A reshape at the edge of the network becomes the shape of its port: the bytes are the same.
///   x [1,1960] -> reshape -> [1,49,40,1] -> conv    becomes    port of [1,49,40,1], as 1x1960
[[nodiscard]] Graph fold_edge_reshapes(Graph graph);
/// A transpose at the edge of the network becomes the order of its port; the first operator then
/// reads the caller's layout through strides.
///   x [1,3,224,224] -> transpose -> [1,224,224,3] -> conv    becomes    port of [1,224,224,3],
///   channels first
[[nodiscard]] Graph fold_edge_transposes(Graph graph);
/// bounds: channel_bounds of the graph. Channels of activations whose value is the same for every
/// input (reference/bounds.h), or that nothing needs, are computed no more: they stand in the bias
/// of what sums over them, and go from all that goes channel by channel. Tensors that are constant
/// as a whole become constants.
///   conv 128 -> 128, depthwise, conv 128 -> 128    becomes    conv 128 -> 62, ..., conv 62 -> 107
[[nodiscard]] RewrittenGraph remove_constant_channels(const Graph& graph,
                                                      const std::vector<ValueRanges>& bounds);
/// RELU and RELU6 on what never lies beyond them, fused or not.
[[nodiscard]] Graph remove_idle_clamps(const Graph& graph, const std::vector<ValueRanges>& bounds);
/// Operators whose results nothing needs.
[[nodiscard]] Graph remove_dead_ops(Graph graph);

/// --io-type int8: a quantize from float32 or uint8 at an input, a dequantize or a quantize to
/// uint8 at an output are dropped; the network then takes and gives integers with their scale.
[[nodiscard]] Graph integer_io(Graph graph);

}  // namespace thimble
