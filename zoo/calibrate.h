// SPDX-License-Identifier: Apache-2.0
// From real numbers to int8: what training with batch normalisation and then a converter do.
#pragma once

#include <cstdint>

#include "thimble/model/graph.h"

namespace thimble::zoo {

/// `real`: activations and biases are float32, weights int8 whose scales are provisional. Runs it
/// on seeded inputs, uniform in [-1, 1). On the way each output channel of each layer with weights
/// is brought to about zero mean and unit deviation (a batch normalisation, folded into the scales
/// of the weights and the bias), so that depth neither kills nor blows up what goes through. Then
/// every activation gets the scale and zero point of the range that it was seen to take; operators
/// that only move or select elements have one of both for inputs and output, as the format demands.
/// What QUANTIZE reads and DEQUANTIZE writes stays float32. States are drawn, too, about normal,
/// and int32 inputs and states from the rows that GATHER has by them; all states begin with zeros.
[[nodiscard]] Graph calibrated(Graph real, uint64_t seed);

}  // namespace thimble::zoo
