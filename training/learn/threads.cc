// SPDX-License-Identifier: Apache-2.0
#include "training/learn/threads.h"

#include <torch/torch.h>
#include <unistd.h>

#include <cstdlib>

namespace thimble::training {

void set_threads(int count) { at::set_num_threads(count); }

void let_threads_sleep(char** argv) {
  constexpr const char* kPolicy = "OMP_WAIT_POLICY";
  if (std::getenv(kPolicy) != nullptr || setenv(kPolicy, "passive", 0) != 0) return;
  execv("/proc/self/exe", argv);
}

}  // namespace thimble::training
