// SPDX-License-Identifier: Apache-2.0
// A small network that ends in TFLite_Detection_PostProcess and takes a picture.
#pragma once

#include "thimble/model/graph.h"

namespace thimble::testing {

/// The file of a network that takes 1x8x4x1 of float32, whose numbers are eight boxes' encodings
/// (y, x, height, width). Zeros are their anchors: the first from 0.25 to 0.75 on both axes, of
/// class 1 with a score of 0.75; the others have scores below 0.1. Its outputs are boxes, classes,
/// scores and how many there are, of three.
[[nodiscard]] Bytes picture_detector();

}  // namespace thimble::testing
