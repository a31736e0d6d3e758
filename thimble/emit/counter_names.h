// SPDX-License-Identifier: Apache-2.0
// What loops of the emitted code count, from the calls in them: "row" where each iteration does one
// of the finest, "row_tile" where a call does several, "channel" where a sum goes on; "outer" where
// a kernel has fewer axes than its tensors.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "thimble/program/program.h"

namespace thimble {

/// What the words "rows", ... number: axes of kernels.
constexpr const char* kAxisWords[kKernelAxes] = {"images", "rows", "columns", "channels"};

class CounterNames {
 public:
  /// For all loops of the nodes; within one another each has a name of its own.
  void add(std::span<const ProgramNode> nodes);
  /// The counter of a loop whose body is a function of its own.
  void add(LoopId loop, const std::string& name) { names_[loop] = name; }

  [[nodiscard]] const std::string& operator()(LoopId loop) const { return names_.at(loop); }

 private:
  void add(std::span<const ProgramNode> nodes, const std::set<std::string>& taken);

  std::map<LoopId, std::string> names_;
};

/// "_by_rows_and_columns" of the loops in the nodes, outermost first; "" where there are none.
[[nodiscard]] std::string loop_words(std::span<const ProgramNode> nodes);

}  // namespace thimble
