// SPDX-License-Identifier: Apache-2.0
// One function per network of the zoo.
#pragma once

#include "thimble/model/graph.h"

namespace thimble::zoo {

/// A small image classifier: separable blocks, two of them with a residual; about 1.8 M MACs.
[[nodiscard]] Graph demo();
/// Figure 1 of Liberis and Lane, "Neural networks on microcontrollers: saving memory at inference
/// via operator reordering", 2019, with the figure's tensor sizes and convolutions throughout.
[[nodiscard]] Graph reordering_figure1();

}  // namespace thimble::zoo
