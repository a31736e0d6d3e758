// SPDX-License-Identifier: Apache-2.0
#include "training/learn/threads.h"

#include <torch/torch.h>

namespace thimble::training {

void set_threads(int count) { at::set_num_threads(count); }

}  // namespace thimble::training
