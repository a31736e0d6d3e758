// SPDX-License-Identifier: Apache-2.0
// Measurements in processes of their own, some at a time: what one takes of time and memory is its
// own, and one that does not end ends alone.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace thimble {

struct JobResult {
  std::string text;  ///< what the job returned; of one that failed: why
  bool done = false;
  double cpu_seconds = 0;
  int64_t peak_memory_mib = 0;  ///< resident
};

struct JobLimits {
  int parallel = 2;
  int cpu_seconds = 600;  ///< of each: one that takes longer is ended, and failed
};

/// Calls each job in a process of its own, and `finished` in this one, in the order in which they
/// end. A job that throws has failed.
void run_jobs(const std::vector<std::function<std::string()>>& jobs, const JobLimits& limits,
              const std::function<void(size_t job, const JobResult&)>& finished);

}  // namespace thimble
