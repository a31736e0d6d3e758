// SPDX-License-Identifier: Apache-2.0
// Programs, and the instructions that QEMU counts of each.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "thimble/driver/driver.h"
#include "thimble/target/latency.h"

namespace thimble {

struct LatencySample {
  std::string name;
  std::map<std::string, Features> features;  ///< by kernel
  double counted = 0;
};

/// Instructions; nothing if a kernel has no coefficients.
[[nodiscard]] std::optional<double> estimate(const LatencyModel& model,
                                             const LatencySample& sample);

/// Counts one inference of each program, many in one firmware.
class SampleCounter {
 public:
  SampleCounter(Core core, std::vector<LatencySample>& samples)
      : core_(std::move(core)), samples_(samples) {}
  void add(const std::string& name, Compiled compiled);
  /// Counts those that were added and not yet counted.
  void count();

 private:
  struct Waiting {
    std::string name;
    Compiled compiled;
  };
  Core core_;
  std::vector<Waiting> waiting_;
  std::vector<LatencySample>& samples_;
};

using ProgramVisitor = std::function<void(const std::string& name, Compiled compiled)>;

/// What follows is planned for `core`, with kernels whose weights are in 16 bits if it has them so.
/// For Weights::kLeast the weights of random networks, layers and chains fit 4 bits.
/// Programs of latency_network(first) to latency_network(last - 1) that can be planned and make
/// calls.
void random_programs(const Core& core, uint64_t first, uint64_t last, const ProgramVisitor& visit);
/// That many networks of a layer (latency_layer), most with all the scratch that kernels want.
void layer_programs(const Core& core, uint64_t count, const ProgramVisitor& visit);
/// Visits depthwise convolutions (latency_depthwise), whole, with any scratch from the least.
void scratch_programs(const Core& core, uint64_t first, uint64_t last, const ProgramVisitor& visit);
/// That many networks of copies (latency_copies), whole and in random pieces by turns.
void copy_programs(const Core& core, uint64_t count, const ProgramVisitor& visit);
/// Visits those of float32 among that many networks of a function (latency_function), whole.
void function_programs(const Core& core, uint64_t count, const ProgramVisitor& visit);
/// Chains (latency_chain), from the first to before the last, tiled in all ways in turn; names
/// begin with the way: "rows_12".
void group_programs(const Core& core, uint64_t first, uint64_t last, const ProgramVisitor& visit);
/// Models, each with every planner.
void model_programs(const Core& core, const std::vector<std::string>& models,
                    const std::vector<std::string>& planners, const ProgramVisitor& visit);

/// What QEMU counts of these programs.
[[nodiscard]] std::vector<LatencySample> random_samples(const Core& core, uint64_t first,
                                                        uint64_t last);
[[nodiscard]] std::vector<LatencySample> layer_samples(const Core& core, uint64_t count);
[[nodiscard]] std::vector<LatencySample> scratch_samples(const Core& core, uint64_t first,
                                                         uint64_t last);
[[nodiscard]] std::vector<LatencySample> copy_samples(const Core& core, uint64_t count);
[[nodiscard]] std::vector<LatencySample> function_samples(const Core& core, uint64_t count);
[[nodiscard]] std::vector<LatencySample> group_samples(const Core& core, uint64_t first,
                                                       uint64_t last);
[[nodiscard]] std::vector<LatencySample> model_samples(const Core& core,
                                                       const std::vector<std::string>& models,
                                                       const std::vector<std::string>& planners);

}  // namespace thimble
