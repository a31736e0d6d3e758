// SPDX-License-Identifier: Apache-2.0
// Windows that other frameworks pad otherwise than TensorFlow Lite can say.
#pragma once

#include "thimble/model/graph.h"

namespace thimble {

/// A convolution or the maximum of a pool with a padding that is neither SAME nor VALID reads,
/// without one, what a PAD in front of it makes: outputs are the same. Tensors keep their numbers.
///   conv 3x3 stride 2 on 32x32, 1 around    becomes    pad to 34x34 -> conv VALID
[[nodiscard]] Graph with_explicit_padding(Graph graph);

}  // namespace thimble
