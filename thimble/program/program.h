// SPDX-License-Identifier: Apache-2.0
// What the device executes: every buffer at an address, every loop bound known, a kernel with its
// views and packed constants for every step.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "thimble/model/graph.h"
#include "thimble/schedule/kernel_fit.h"
#include "thimble/schedule/schedule.h"
#include "thimble/target/kernels/kernel.h"

namespace thimble {

/// A buffer of the schedule.
struct PlacedBuffer {
  BufferId id;
  TensorId tensor;  ///< invalid: scratch
  DType type = DType::kInt8;
  Shape extents;
  bool ring = false;
  bool sums = false;  ///< accumulators
  Place place = Place::kResident;
  int64_t address = 0;  ///< bytes from the start of the arena; 0 outside of it
  int64_t size_bytes = 0;
  LiveRange live;  ///< in positions of the schedule
  bool operator==(const PlacedBuffer&) const = default;
};

/// factor * expr, summed: the number of the first element that a buffer holds.
struct BiasTerm {
  int64_t factor = 1;
  IndexExpr expr;
  bool operator==(const BiasTerm&) const = default;
};

/// runtime::View with what the host knows about it: where one operand of one call lies. Its address
/// is the buffer's, Program::address.
struct OperandView {
  TensorId tensor;
  DType type = DType::kInt8;       ///< of the elements in memory
  BufferId buffer;                 ///< invalid for constants
  int constant = -1;               ///< index into Program::constants, or -1
  Place place = Place::kResident;  ///< elsewhere: in memory of the buffer's own
  std::vector<int64_t> stride;     ///< elements; one per kernel axis (n, y, x, c)
  std::vector<BiasTerm> bias;      ///< constant part first, if any
  int64_t modulus = 0;             ///< elements; 0: no ring
  std::vector<BiasTerm> channel;   ///< of a ring: taken off behind the modulus
  bool operator==(const OperandView&) const = default;
};

/// One call of a kernel (or a small nest of calls over leading axes).
struct Call {
  OpId op;  ///< invalid: copy
  Method method = Method::kCompute;
  int use = 0;  ///< index into kernel_uses(graph, op, method)
  KernelId kernel;
  int params = -1;            ///< index into Program::params, or -1
  Position position = 0;      ///< of the step it came from
  std::vector<int> operands;  ///< operand k of the call is input operands[k] of the operator
  std::vector<OperandView> in;
  OperandView out;
  std::vector<IndexExpr>
      leading;                    ///< coordinates on the axes that are looped over, outermost first
  std::vector<CallAxis> axes;     ///< of the output, in kernel coordinates: the kernel's four
  std::optional<CallAxis> chunk;  ///< accumulate
  BufferId scratch;               ///< invalid if the kernel needs none
  bool recomputes = false;        ///< the step says so
  bool operator==(const Call&) const = default;
};

struct ProgramNode;
struct ProgramLoop {
  LoopId id;
  int64_t count = 1;
  std::vector<ProgramNode> body;
  bool operator==(const ProgramLoop&) const;
};
struct ProgramNode {
  std::variant<Call, ProgramLoop> what;
  bool operator==(const ProgramNode&) const = default;
};

/// Read-only data, packed once however many calls use it.
struct ProgramConstant {
  std::string name;  ///< identifier: "conv_2d_0_weights"
  PackedConstant content;
  bool operator==(const ProgramConstant&) const = default;
};

struct ProgramParams {
  std::string name;            ///< identifier: "conv_2d_0"
  KernelParams params;         ///< pointers null
  std::vector<int> constants;  ///< in the order of the pointers
};

/// Where an input or output lies.
struct ProgramPort {
  TensorId tensor;
  Shape shape;             ///< as the caller has it
  std::vector<int> order;  ///< of the caller's axes; empty: row-major
  BufferId buffer;
  Place place = Place::kResident;
  int64_t size_bytes = 0;
  bool operator==(const ProgramPort&) const = default;
};

struct Program {
  std::vector<ProgramNode> nodes;
  std::vector<PlacedBuffer> buffers;  ///< one per buffer of the schedule
  std::vector<ProgramConstant> constants;
  std::vector<ProgramParams> params;
  std::vector<ProgramPort> inputs, outputs;
  int loop_count = 0;
  int64_t arena_bytes = 0;
  int64_t arena_alignment = 16;

  /// Bytes from the start of the memory that the buffer lies in; 0 for a constant. Nothing else
  /// holds an address.
  [[nodiscard]] int64_t address(BufferId buffer) const {
    return buffer.valid() ? buffers[buffer.index()].address : 0;
  }
};

/// Whether a streamed port is whole in the arena at some time: collected, or in a ring as long.
[[nodiscard]] bool is_whole(const Program& program, const ProgramPort& port);

/// What the port's memory holds, given the tensor in the caller's order of axes, and back: another
/// order only where rows are streamed, which are row-major.
[[nodiscard]] Bytes to_memory(const Program& program, const ProgramPort& port, const Bytes& given);
[[nodiscard]] Bytes from_memory(const Program& program, const ProgramPort& port, const Bytes& held);

/// Every call as executed, in order, with the counters of its loops; also those whose region is
/// empty, as the device makes them.
void execute_calls(const Program& program,
                   const std::function<void(const Call&, const Counters&)>& visit);

/// The region that a call computes now, in kernel coordinates; one interval per axis, maybe empty:
/// then its kernel does nothing.
[[nodiscard]] Region kernel_region(const Call& call, const Counters& counters);
/// The chunk of an accumulating call.
[[nodiscard]] Interval chunk_of(const Call& call, const Counters& counters);
/// A copy whose source and target are the same bytes: renames them (reshape in place). It is
/// neither executed nor emitted.
[[nodiscard]] bool copies_onto_itself(const Program& program, const Call& call);
/// The kernel axis along which rows of a streamed tensor pass: images have all four, sequences the
/// last three.
[[nodiscard]] inline size_t stream_axis(const Shape& shape) {
  return kKernelAxes - shape.size() + size_t{kStreamAxis};
}
/// A copy that takes rows of a streamed input from the caller, or hands out those of an output.
[[nodiscard]] bool receives(const Call& call);
[[nodiscard]] bool delivers(const Call& call);
/// Sum of bias terms.
[[nodiscard]] int64_t sum(const std::vector<BiasTerm>& terms, const Counters& counters);

}  // namespace thimble
