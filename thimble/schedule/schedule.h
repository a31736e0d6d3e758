// SPDX-License-Identifier: Apache-2.0
// Which operator computes which region, in which order, from and into which buffers; no addresses.
//
// Pex's Figure 1 (expand, depthwise, project; one channel at a time), in short:
//
//   buffers  0 x      [1,28,28,24]      whole
//            1 e      [1,28,28, 1]      origin c = i0: a slice, new in each iteration
//            2 d      [1,28,28, 1]      origin c = i0
//            3 a      [1,28,28,24]      int32: accumulators of y
//            4 y      [1,28,28,24]      whole
//   loop i0 < 144   compute    expand     e c [i0, i0+1)           from x  into e
//                   compute    depthwise  d c [i0, i0+1)           from e  into d
//                   accumulate project    y whole, chunk [i0,i0+1) from d  into a
//   finalise project y whole from a into y        (y may share a's bytes)
//
// What a step reads is not written down: the access map of its operator says it, given the region
// that it computes (docs/ir.md).
#pragma once

#include <functional>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "thimble/model/graph.h"
#include "thimble/schedule/index_expr.h"
#include "thimble/schedule/memories.h"
#include "thimble/target/kernels/kernel.h"
#include "thimble/target/kernels/packed_records.h"

namespace thimble {

/// A ring: the linear index over `axis` and the axes outside of it, in the order of memory, is
/// taken modulo `modulus`. {1, 3} keeps three rows of an image of one batch; {2, 10} ten pixels, or
/// ten tokens of all heads if the buffer has the axes as 2 0 1 3.
struct Wrap {
  int axis = 1;
  int64_t modulus = 1;
  bool operator==(const Wrap&) const = default;
};

/// Memory that holds a part of a tensor, or records of packed constants. Without a ring, tensor
/// element e is at e - origin, in a box of shape `extents`; with one, origin is 0 on the axes that
/// are taken modulo.
struct Buffer {
  TensorId tensor;            ///< invalid: scratch, `extents` is {bytes}; or `packed`
  DType type = DType::kInt8;  ///< the tensor's, or that of its accumulators
  Shape extents;
  std::vector<IndexExpr> origin;  ///< a buffer whose origin follows a loop is new in each iteration
  std::optional<Wrap> wrap;
  std::vector<int> order;  ///< axes as they lie in memory, outermost first; empty: row-major
  bool sums = false;       ///< accumulators of the tensor, not its values
  /// Ports only are the caller's or streamed: whole, in the caller's order of axes or, streamed,
  /// row-major. Of a stream, only copies are made: those from it *receive*, those to it *deliver*.
  MemoryId memory = kArena;
  /// In block storage: its records are compressed, and pass through so many bytes of memory at a
  /// time (records.h); 0: they lie there as they are.
  int64_t chunk_bytes = 0;
  /// Extents are {records, words of one}: in block storage all of them, in other memory some, or a
  /// ring of them.
  PackedRecords packed = {};

  [[nodiscard]] int64_t size_bytes() const;
  /// Whether the ring takes the axis modulo; false without a ring.
  [[nodiscard]] bool wraps(size_t axis) const;
  bool operator==(const Buffer&) const = default;
};

/// Elements between neighbours along each axis.
[[nodiscard]] std::vector<int64_t> strides(const Buffer& buffer);

/// Where a step finds one operand: in one buffer, or in several that hold it between them: blocks
/// that differ along one axis, in ascending order (they may overlap). Each part of the output must
/// be computable from one of them (schedule/gather.h, which also has the copies for what is not).
struct Operand {
  std::vector<BufferId> from;  ///< none: a constant

  Operand() = default;
  Operand(BufferId buffer);  // one, or none if invalid: most operands are that
  explicit Operand(std::vector<BufferId> buffers) : from(std::move(buffers)) {}

  [[nodiscard]] bool valid() const { return !from.empty(); }
  /// The buffer of an operand with no more than one.
  [[nodiscard]] BufferId buffer() const;
  bool operator==(const Operand&) const = default;
};

/// Copies between block storage and memory that is addressed go on beside the steps behind them:
/// one step begins such a transfer, a later one waits for it. In storage, a tensor is an array of
/// records (records.h), and a transfer moves whole ones, which lie side by side on both sides.
enum class TransferPart : uint8_t {
  kNone,
  kBegin,  ///< of the step's copy; an empty region begins nothing
  kErase,  ///< begins to erase the blocks that hold the buffers of in[0], `out` being the first
  kWait,   ///< ends what was begun last with the token, whose operands it repeats; its region is
           ///< empty
};

/// One (partial) execution of an operator, or a copy of a part of a tensor between two buffers. A
/// copy in place takes a whole tensor to another order of axes, at the same address or elsewhere.
/// Rows of a streamed input are received by the first step of all, in a loop that stands in no
/// other: its iterations follow the caller's clock.
struct Step {
  OpId op;  ///< invalid: copy
  Method method = Method::kCompute;
  RegionExpr region;                  ///< of the output tensor
  std::optional<IntervalExpr> chunk;  ///< kAccumulate: of chunk_axis; chunks go upwards from 0
  std::vector<Operand> in;            ///< one per operator input
  BufferId out;
  BufferId scratch;  ///< invalid if none is needed; of a transfer: the tags of its records
  BufferId passage;  ///< of a transfer of compressed records: what they pass through
  /// Where the packed constants of its kernel are, brought from block storage: one of the records
  /// that are held there. Invalid: they are in flash.
  BufferId constants;
  IndexExpr record = {};
  KernelId kernel;          ///< one that does() its operator; invalid: the portable one
  bool recomputes = false;  ///< what it produces may be produced more than once
  TransferPart transfer = TransferPart::kNone;
  TokenId token;  ///< of a transfer: begun and waited for in turn
  bool operator==(const Step&) const = default;
};

struct Node;

/// count iterations of its body, counter 0, 1, ...
struct Loop {
  LoopId id;
  int64_t count = 1;
  std::vector<Node> body;
  bool operator==(const Loop&) const;
};

struct Node {
  std::variant<Step, Loop> what;
  bool operator==(const Node&) const = default;
};

/// What one of `cases` makes of the node: does not compile until there is one for every kind.
template <class SomeNode, class... Cases>
decltype(auto) visit_node(SomeNode& node, Cases... cases) {
  struct EveryKind : Cases... {
    using Cases::operator()...;
  };
  return std::visit(EveryKind{std::move(cases)...}, node.what);
}

/// The planner's word that two buffers may share bytes; how far, `overlaps` derives.
struct Share {
  BufferId out, in;
  bool operator==(const Share&) const = default;
};

/// A variable of Graph::states: its value at the start of an inference, and at the end. They lie at
/// one address (plan/close_states.h), in memory that is laid out.
struct StateBuffers {
  BufferId in, out;
  bool operator==(const StateBuffers&) const = default;
};

struct Schedule {
  std::vector<Node> nodes;
  std::vector<ScheduleMemory> memories = common_memories();
  std::vector<Buffer> buffers;
  std::vector<BufferId> inputs, outputs;  ///< one per port of the graph
  std::vector<StateBuffers> states;       ///< one per variable
  std::vector<Share> shares;
  int loop_count = 0;   ///< LoopIds are below it
  int token_count = 0;  ///< TokenIds are below it

  [[nodiscard]] const Buffer& buffer(BufferId id) const { return buffers[id.index()]; }
  [[nodiscard]] const ScheduleMemory& memory(MemoryId id) const { return memories[id.index()]; }
  bool operator==(const Schedule&) const = default;
};

/// Every buffer that the step reads, packed constants among them.
[[nodiscard]] std::vector<BufferId> read_buffers(const Step& step);

/// Whether a copy takes rows from the caller, or hands them out.
[[nodiscard]] bool receives(const Schedule& schedule, const Step& step);
[[nodiscard]] bool delivers(const Schedule& schedule, const Step& step);

/// Position of a step in the schedule: steps numbered in the order they are written, loops unrolled
/// no further than once. Lives are measured in positions.
using Position = int;

/// Calls visit(step, position) once for each step as written.
void for_each_step(const Schedule& schedule,
                   const std::function<void(const Step&, Position)>& visit);
/// Calls visit(step, position, counters) for each step as executed, in order.
void execute_steps(const Schedule& schedule,
                   const std::function<void(const Step&, Position, const Counters&)>& visit);

/// Half-open, in positions. Network inputs and old values of variables begin at 0, outputs and new
/// values end at the number of steps, but for streamed ones. A buffer
/// that carries data from one iteration of a loop to the next lives as long as the loop.
struct LiveRange {
  Position begin = 0, end = 0;
  bool operator==(const LiveRange&) const = default;
};
[[nodiscard]] std::vector<LiveRange> live_ranges(const Schedule& schedule);

/// Empty, or what is wrong with the form of the schedule: ids out of range, ranks that differ,
/// methods without a kernel. (Whether it computes the right thing is the verifier's question.) A
/// schedule read from a file must pass before anything else touches it.
[[nodiscard]] std::string malformed(const Graph& graph, const Schedule& schedule);

/// Multiply-accumulates as executed; those beyond macs(graph) are recomputed.
[[nodiscard]] int64_t macs(const Graph& graph, const Schedule& schedule);
/// The MACs that each step makes in all of its executions: by position.
[[nodiscard]] std::vector<int64_t> macs_by_step(const Graph& graph, const Schedule& schedule);

/// Whether any step does.
[[nodiscard]] bool recomputes(const Schedule& schedule);

/// Names the kernel of a step, which has its scratch for itself: a new buffer where it had none.
void set_kernel(Schedule& schedule, Step& step, KernelId kernel, const Scratch& needed);
/// A new buffer for it.
[[nodiscard]] BufferId add_scratch(Schedule& schedule, const Scratch& needed);
/// Whole buffer for a tensor.
[[nodiscard]] Buffer whole_buffer(const Graph& graph, TensorId tensor);

}  // namespace thimble
