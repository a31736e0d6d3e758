// SPDX-License-Identifier: Apache-2.0
// What exporters write in several nodes where ONNX, or the Graph, has one.
#pragma once

#include "thimble/import/onnx/proto.h"

namespace thimble::onnx {

/// The last node of each pattern becomes the one that does it all; what only led to it is needed by
/// nobody any more.
///
///   x -> Div by sqrt(2) -> Erf -> Add 1 -> Mul by x -> Mul by 0.5       Gelu
///   x -> HardSigmoid of 1/6 and 0.5 -> Mul by x                         HardSwish
void recognise_patterns(GraphRecord& graph);

}  // namespace thimble::onnx
