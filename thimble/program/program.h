// SPDX-License-Identifier: Apache-2.0
// What the device executes: every buffer at an address, every loop bound known, a kernel with its
// views and packed constants for every step.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "thimble/model/graph.h"
#include "thimble/schedule/kernel_fit.h"
#include "thimble/schedule/schedule.h"
#include "thimble/target/kernels/kernel.h"

namespace thimble {

/// A buffer of the schedule, or a packed constant: in flash or, one record behind the other, in an
/// image in storage.
struct PlacedBuffer {
  BufferId id;
  TensorId tensor;  ///< invalid: scratch
  DType type = DType::kInt8;
  Shape extents;
  bool ring = false;
  bool sums = false;  ///< accumulators
  MemoryId memory = kArena;
  int64_t address = 0;  ///< bytes from the start of its memory; the caller's ports have one each
  int64_t size_bytes = 0;
  LiveRange live;     ///< in positions of the schedule
  int constant = -1;  ///< index into Program::constants, or -1
  int packed = -1;    ///< whose constants lie there, records of them: index into Program::params
  bool operator==(const PlacedBuffer&) const = default;
};

/// factor * expr, summed: the number of the first element that a buffer holds.
struct BiasTerm {
  int64_t factor = 1;
  IndexExpr expr;
  bool operator==(const BiasTerm&) const = default;
};

/// What a memory is, and how much of it the program takes.
struct ProgramMemory {
  std::string name;
  MemoryKind kind = MemoryKind::kSram;
  int64_t size_bytes = 0;                 ///< 0: nothing lies there
  std::optional<int64_t> capacity_bytes;  ///< as the schedule has it
  int64_t alignment = 16;                 ///< of its first byte
  std::optional<BlockStorage> storage;    ///< of block storage
  bool operator==(const ProgramMemory&) const = default;
};

/// runtime::View with what the host knows about it: where one operand of one call lies. Its memory
/// and address are the buffer's.
struct OperandView {
  TensorId tensor;
  DType type = DType::kInt8;  ///< of the elements in memory
  BufferId buffer;
  std::vector<int64_t> stride;    ///< elements; one per kernel axis (n, y, x, c)
  std::vector<BiasTerm> bias;     ///< constant part first, if any
  int64_t modulus = 0;            ///< elements; 0: no ring
  std::vector<BiasTerm> channel;  ///< of a ring: taken off behind the modulus
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
  /// Where the constants of its parameters are, brought from storage, and which of their records
  /// the call has; invalid: in flash.
  BufferId brought;
  IndexExpr record;
  bool recomputes = false;  ///< the step says so
  bool operator==(const Call&) const = default;
};

/// What a transfer call does; the first three begin.
enum class TransferKind : uint8_t { kRead, kWrite, kErase, kWait };

/// A transfer of whole records between block storage and memory that is addressed, begun or waited
/// for; or an erase, begun. Record r is in storage r * stride_bytes behind its buffer's address,
/// and in the held buffer at row r - origin, or r modulo rows, of record_bytes each.
struct TransferCall {
  TransferKind kind = TransferKind::kWait;
  TokenId token;
  Position position = 0;  ///< of the step it came from
  BufferId stored;        ///< of an erase: the first of `erased`
  BufferId held, tags;  ///< of a read or write; tags: one per record; invalid: behind each of them
  CallAxis records;     ///< as above
  int64_t record_bytes = 0, stride_bytes = 0;
  IndexExpr origin;  ///< of the held buffer, in records
  int64_t rows = 0;  ///< of a ring; 0: none
  /// The passage of a read or write of compressed records, and of what waits for one; else invalid
  /// and 0.
  BufferId passage;
  int64_t chunk_bytes = 0, first_bytes = 0;  ///< on their way at once; of a record that is read
  std::vector<BufferId> erased;
  bool operator==(const TransferCall&) const = default;
};

struct ProgramNode;
struct ProgramLoop {
  LoopId id;
  int64_t count = 1;
  std::vector<ProgramNode> body;
  bool operator==(const ProgramLoop&) const;
};
struct ProgramNode {
  std::variant<Call, ProgramLoop, TransferCall> what;
  bool operator==(const ProgramNode&) const = default;
};

/// Read-only data, packed once however many calls use it: the bytes of a buffer in flash.
struct ProgramConstant {
  std::string name;  ///< identifier: "conv_2d_0_weights"
  PackedConstant content;
  BufferId buffer;
  bool operator==(const ProgramConstant&) const = default;
};

struct ProgramParams {
  std::string name;                          ///< identifier: "conv_2d_0"
  KernelParams params;                       ///< pointers null
  std::vector<BufferId> constants;           ///< in the order of the pointers
  std::optional<RecordLayout> records = {};  ///< of constants in storage
};

/// Where an input or output lies.
struct ProgramPort {
  TensorId tensor;
  Shape shape;             ///< as the caller has it
  std::vector<int> order;  ///< of the caller's axes; empty: row-major
  BufferId buffer;
  int64_t size_bytes = 0;
  bool operator==(const ProgramPort&) const = default;
};

/// A variable: as ports have it, at one address before and after.
struct ProgramState {
  ProgramPort before, after;
  std::shared_ptr<const Bytes> initial;
};

struct Program {
  std::vector<ProgramNode> nodes;
  std::vector<ProgramMemory> memories;
  std::vector<PlacedBuffer> buffers;  ///< one per buffer of the schedule, one per constant
  std::vector<ProgramConstant> constants;
  std::vector<ProgramParams> params;
  std::vector<ProgramPort> inputs, outputs;
  std::vector<ProgramState> states;
  int loop_count = 0;
  int token_count = 0;

  [[nodiscard]] const PlacedBuffer& buffer(BufferId id) const { return buffers[id.index()]; }
  [[nodiscard]] const ProgramMemory& memory(MemoryId id) const { return memories[id.index()]; }
  /// The memory that the buffer lies in.
  [[nodiscard]] MemoryId memory_of(BufferId id) const { return buffer(id).memory; }
  /// Bytes from the start of the memory that the buffer lies in. Nothing else holds an address.
  [[nodiscard]] int64_t address(BufferId id) const { return buffer(id).address; }
  /// What the buffer holds, if it is a packed constant; else null.
  [[nodiscard]] const ProgramConstant* constant(BufferId id) const {
    const int number = buffer(id).constant;
    return number < 0 ? nullptr : &constants[static_cast<size_t>(number)];
  }
  [[nodiscard]] const ProgramMemory& arena() const { return memory(kArena); }
  [[nodiscard]] int64_t arena_bytes() const { return arena().size_bytes; }
};

/// Bytes that keep their values between inferences.
[[nodiscard]] int64_t state_bytes(const Program& program);

/// Bytes of packed constants in flash, without what aligns them.
[[nodiscard]] int64_t constant_bytes(const Program& program);

/// Whether a constant lies in flash, and is no part of an image in storage.
[[nodiscard]] bool is_in_flash(const Program& program, const ProgramConstant& constant);
/// What an image in storage has, in order of its addresses: buffers with PlacedBuffer::packed.
[[nodiscard]] std::vector<BufferId> image_of(const Program& program, MemoryId memory);
/// The record that a call has of its constants.
[[nodiscard]] int64_t record_of(const Call& call, const Counters& counters);
/// Bytes from the start of the memory that holds a call's brought constants to where constant k
/// would have the part of channel 0: what its kernel is handed. May lie before that memory.
[[nodiscard]] int64_t brought_address(const Program& program, const Call& call, size_t k,
                                      const Counters& counters);

/// Whether a streamed port is whole in memory at some time: collected, or in a ring as long.
[[nodiscard]] bool is_whole(const Program& program, const ProgramPort& port);

/// What the port's memory holds, given the tensor in the caller's order of axes, and back: another
/// order only where rows are streamed, which are row-major.
[[nodiscard]] Bytes to_memory(const Program& program, const ProgramPort& port, const Bytes& given);
[[nodiscard]] Bytes from_memory(const Program& program, const ProgramPort& port, const Bytes& held);

/// Every call once, as written.
void written_calls(std::span<const ProgramNode> nodes,
                   const std::function<void(const Call&)>& visit);
/// Every call as executed, in order, with the counters of its loops; also those whose region is
/// empty, as the device makes them.
void execute_calls(const Program& program,
                   const std::function<void(const Call&, const Counters&)>& visit);

/// Visits every transfer, too, also those of no records.
void execute(const Program& program,
             const std::function<void(const Call&, const Counters&)>& visit_call,
             const std::function<void(const TransferCall&, const Counters&)>& visit_transfer);
/// Every transfer once, as written.
void written_transfers(std::span<const ProgramNode> nodes,
                       const std::function<void(const TransferCall&)>& visit);
/// The records that a transfer moves now; maybe none.
[[nodiscard]] Interval records_of(const TransferCall& transfer, const Counters& counters);
/// Whether records of some transfer are compressed.
[[nodiscard]] bool compresses(const Program& program);
/// Bytes that went to block storage and came from it.
struct MovedBytes {
  int64_t written = 0, read = 0;
  bool operator==(const MovedBytes&) const = default;
};
/// In one inference, if no record becomes shorter by being compressed; without what fills granules.
[[nodiscard]] MovedBytes most_moved(const Program& program);

/// Bytes of its memory that an erase makes empty: whole blocks.
[[nodiscard]] Interval erased_bytes(const Program& program, const TransferCall& erase);

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
[[nodiscard]] bool receives(const Program& program, const Call& call);
[[nodiscard]] bool delivers(const Program& program, const Call& call);
/// Sum of bias terms.
[[nodiscard]] int64_t sum(const std::vector<BiasTerm>& terms, const Counters& counters);

}  // namespace thimble
