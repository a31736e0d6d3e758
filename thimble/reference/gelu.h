// SPDX-License-Identifier: Apache-2.0
// GELU of a real number, which the quantised operator tabulates.
#pragma once

namespace thimble::reference {

/// In float32, with the C library's erfc or tanh.
[[nodiscard]] float gelu(float x, bool approximate);

}  // namespace thimble::reference
