// SPDX-License-Identifier: Apache-2.0
// The networks of TinySeg's tables as lists of operators and buffers, written by hand: what the
// interpreter's planner sees of them, without the zoo.
#pragma once

#include "thimble/planners/tinyseg_list.h"

namespace thimble::testing {

/// scratch_bytes: of an element of the scratch of a transposed convolution.
/// float_ports: QUANTIZE and DEQUANTIZE at the ends, as the paper has them.
[[nodiscard]] tinyseg::OperatorList listed_tiny_unet(bool float_ports, int scratch_bytes);
/// Those of keras-unet-collection at 128 x 128 with the options of its user guide.
[[nodiscard]] tinyseg::OperatorList listed_vnet_2d(int scratch_bytes);
[[nodiscard]] tinyseg::OperatorList listed_attention_unet();
[[nodiscard]] tinyseg::OperatorList listed_resunet_a();

}  // namespace thimble::testing
