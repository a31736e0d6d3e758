// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace thimble::training {

/// That LibTorch computes on: what comes out may depend on them in the last bits.
void set_threads(int count);

}  // namespace thimble::training
