// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace thimble::training {

/// All that LibTorch computes has so many.
void set_threads(int count);

/// To be called first: LibTorch's threads then sleep while they wait for each other. They would
/// spin, which takes several times as long where other programs want the cores. The program begins
/// once more: OpenMP reads its environment before main(). Where that cannot be, nothing changes.
void let_threads_sleep(char** argv);

}  // namespace thimble::training
