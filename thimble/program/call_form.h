// SPDX-License-Identifier: Apache-2.0
// The part of the proof (verify.h) that needs no memory: what a call says of itself.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "thimble/program/kernel_walk.h"
#include "thimble/program/program.h"

namespace thimble {

/// Thrown where the program is found to be wrong.
struct Fault {
  std::string message;
  bool too_wide = false;  ///< numbers do not fit 32 bits
};

[[nodiscard]] std::string describe(const Graph& graph, TensorId t);  ///< "tensor 3 ('name')"
[[nodiscard]] std::string describe(const Graph& graph, const Call& call);

/// The checks of the calls of one program. All throw Fault.
class CallForms {
 public:
  /// Both must outlive it.
  CallForms(const Graph& graph, const Program& program);

  /// How the call walks its operands, if it is a kernel that does its operator.
  [[nodiscard]] Walk walk(const Call& call);
  /// What holds whenever the call is executed: each view shows the tensor that it should, as its
  /// buffer holds it; a constant has that tensor's bytes; elements are aligned (cores without
  /// unaligned loads would stop); the kernel takes such views and has the scratch that it needs;
  /// its parameters and packed constants are its operator's (parameter_fault.h); all numbers fit 32
  /// bits (arguments.h).
  void check(const Call& call, const Walk& walk);
  /// Neither the region nor the chunk ends before it begins, before they are cut to anything.
  void check_order(const Call& call, const Counters& counters) const;
  /// The call computes what its kernel can: nothing beyond its share of the output, and the axes
  /// that the kernel covers whatever the region (the kernel's four axes) says.
  void check_region(const Call& call, const Walk& walk, const Region& region);

 private:
  [[nodiscard]] const std::vector<KernelUse>& uses_of(const Call& call);
  [[nodiscard]] Region limits_of(const Call& call, const Walk& walk);
  [[nodiscard]] std::vector<TensorId> operands_of(const Call& call) const;
  void check_view(const Call& call, const OperandView& view, TensorId wanted, DType type) const;
  void check_buffer(const Call& call, const OperandView& view) const;
  void check_exists(const Call& call, BufferId buffer) const;
  void check_written(const Call& call) const;
  void check_broadcast(const Call& call, const OperandView& view, const OperandAxes& walk) const;
  void check_scratch(const Call& call);
  void check_rows(const Call& call, const Walk& walk) const;
  void check_copy_in_place(const Call& call) const;

  const Graph& graph_;
  const Program& program_;
  std::set<BufferId> inputs_;
  std::vector<int64_t> loop_counts_;
  std::set<const Call*> checked_;
  std::map<std::pair<OpId, Method>, std::vector<KernelUse>> uses_;
};

}  // namespace thimble
