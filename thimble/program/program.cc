// SPDX-License-Identifier: Apache-2.0
#include "thimble/program/program.h"

#include <algorithm>
#include <cstring>

#include "thimble/model/division.h"
#include "thimble/program/kernel_walk.h"
#include "thimble/schedule/records.h"

namespace thimble {
namespace {

using CallVisit = std::function<void(const Call&, const Counters&)>;
using TransferVisit = std::function<void(const TransferCall&, const Counters&)>;

void execute_nodes(const std::vector<ProgramNode>& nodes, Counters& counters,
                   const CallVisit& visit_call, const TransferVisit& visit_transfer) {
  for (const ProgramNode& node : nodes) {
    visit_node(
        node, [&](const Call& call) { visit_call(call, counters); },
        [&](const TransferCall& transfer) { visit_transfer(transfer, counters); },
        [&](const ProgramLoop& loop) {
          int64_t& counter = counters[loop.id.index()];
          for (counter = 0; counter < loop.count; ++counter)
            execute_nodes(loop.body, counters, visit_call, visit_transfer);
        });
  }
}

// Each bound by itself, as the emitted code does. The verifier refuses intervals that end before
// they begin.
Interval cut(const CallAxis& axis, const Counters& counters) {
  const Interval interval = evaluate(axis.interval, counters);
  return {std::clamp(interval.begin, axis.limits.begin, axis.limits.end),
          std::clamp(interval.end, axis.limits.begin, axis.limits.end)};
}

// Calls visit(place in the caller's order, place in row-major order) for each element, in bytes.
void each_place(const Program& program, const ProgramPort& port,
                const std::function<void(size_t, size_t, size_t)>& visit) {
  const PlacedBuffer& buffer = program.buffer(port.buffer);
  const auto size = static_cast<size_t>(size_bytes(buffer.type));
  each_element(buffer.extents, port.order, [&](int64_t place, int64_t element) {
    visit(static_cast<size_t>(place) * size, static_cast<size_t>(element) * size, size);
  });
}

}  // namespace

bool is_whole(const Program& program, const ProgramPort& port) {
  return program.memory_of(port.buffer) == kStream &&
         std::ranges::any_of(program.buffers, [&](const PlacedBuffer& b) {
           return b.tensor == port.tensor && is_laid_out(b.memory) &&
                  b.size_bytes == port.size_bytes;
         });
}

Bytes to_memory(const Program& program, const ProgramPort& port, const Bytes& given) {
  if (program.memory_of(port.buffer) != kStream || port.order.empty()) return given;
  Bytes held(given.size());
  each_place(program, port, [&](size_t callers, size_t row_major, size_t size) {
    std::memcpy(held.data() + row_major, given.data() + callers, size);
  });
  return held;
}

Bytes from_memory(const Program& program, const ProgramPort& port, const Bytes& held) {
  if (program.memory_of(port.buffer) != kStream || port.order.empty()) return held;
  Bytes given(held.size());
  each_place(program, port, [&](size_t callers, size_t row_major, size_t size) {
    std::memcpy(given.data() + callers, held.data() + row_major, size);
  });
  return given;
}

bool ProgramLoop::operator==(const ProgramLoop& other) const {
  return id == other.id && count == other.count && body == other.body;
}

void written_calls(std::span<const ProgramNode> nodes,
                   const std::function<void(const Call&)>& visit) {
  for (const ProgramNode& node : nodes) {
    visit_node(
        node, [&](const Call& call) { visit(call); }, [](const TransferCall&) {},
        [&](const ProgramLoop& loop) { written_calls(loop.body, visit); });
  }
}

void written_transfers(std::span<const ProgramNode> nodes,
                       const std::function<void(const TransferCall&)>& visit) {
  for (const ProgramNode& node : nodes) {
    visit_node(
        node, [](const Call&) {}, visit,
        [&](const ProgramLoop& loop) { written_transfers(loop.body, visit); });
  }
}

void execute_calls(const Program& program, const CallVisit& visit) {
  execute(program, visit, [](const TransferCall&, const Counters&) {});
}

void execute(const Program& program, const CallVisit& visit_call,
             const TransferVisit& visit_transfer) {
  Counters counters(static_cast<size_t>(program.loop_count));
  execute_nodes(program.nodes, counters, visit_call, visit_transfer);
}

Interval records_of(const TransferCall& transfer, const Counters& counters) {
  return cut(transfer.records, counters);
}

bool compresses(const Program& program) {
  bool any = false;
  written_transfers(program.nodes,
                    [&](const TransferCall& transfer) { any = any || transfer.chunk_bytes > 0; });
  return any;
}

MovedBytes most_moved(const Program& program) {
  MovedBytes result;
  execute(
      program, [](const Call&, const Counters&) {},
      [&](const TransferCall& transfer, const Counters& counters) {
        if (transfer.kind != TransferKind::kRead && transfer.kind != TransferKind::kWrite) return;
        const int64_t bytes = records_of(transfer, counters).size() * transfer.record_bytes;
        (transfer.kind == TransferKind::kRead ? result.read : result.written) += bytes;
      });
  for (size_t m = 0; m < program.memories.size(); ++m)
    result.read += image_of(program, {static_cast<int32_t>(m)}).empty() ? 0 : kImageLabelBytes;
  return result;
}

Interval erased_bytes(const Program& program, const TransferCall& erase) {
  const int64_t block = program.memory(program.memory_of(erase.stored)).storage->erase_bytes;
  Interval all{program.address(erase.stored), program.address(erase.stored)};
  for (const BufferId id : erase.erased) {
    all.begin = std::min(all.begin, program.address(id));
    all.end = std::max(all.end, program.address(id) + program.buffer(id).size_bytes);
  }
  return {floor_div(all.begin, block) * block, ceil_div(all.end, block) * block};
}

Region kernel_region(const Call& call, const Counters& counters) {
  Region region;
  region.reserve(call.axes.size());
  for (const CallAxis& axis : call.axes) region.push_back(cut(axis, counters));
  return region;
}

Interval chunk_of(const Call& call, const Counters& counters) {
  return call.chunk ? cut(*call.chunk, counters) : Interval{};
}

bool copies_onto_itself(const Program& program, const Call& call) {
  const bool copies = info(call.kernel).family == Family::kCopy;
  const MemoryId memory = program.memory_of(call.out.buffer);
  return copies && is_laid_out(memory) && program.memory_of(call.in[0].buffer) == memory &&
         program.address(call.in[0].buffer) == program.address(call.out.buffer) &&
         call.in[0].stride == call.out.stride && call.in[0].bias == call.out.bias &&
         call.in[0].modulus == call.out.modulus && call.in[0].channel == call.out.channel;
}

bool receives(const Program& program, const Call& call) {
  return !call.op.valid() && program.memory_of(call.in.at(0).buffer) == kStream;
}

bool delivers(const Program& program, const Call& call) {
  return !call.op.valid() && program.memory_of(call.out.buffer) == kStream;
}

int64_t state_bytes(const Program& program) {
  int64_t sum = 0;
  for (const ProgramState& state : program.states) sum += state.before.size_bytes;
  return sum;
}

bool is_in_flash(const Program& program, const ProgramConstant& constant) {
  return program.memory_of(constant.buffer) == kFlash;
}

std::vector<BufferId> image_of(const Program& program, MemoryId memory) {
  std::vector<BufferId> result;
  for (const PlacedBuffer& buffer : program.buffers) {
    if (buffer.packed >= 0 && buffer.memory == memory && program.memory(memory).storage)
      result.push_back(buffer.id);
  }
  std::ranges::sort(result, {}, [&](BufferId id) { return program.address(id); });
  return result;
}

int64_t record_of(const Call& call, const Counters& counters) {
  return evaluate(call.record, counters);
}

int64_t brought_address(const Program& program, const Call& call, size_t k,
                        const Counters& counters) {
  const RecordLayout& records = *program.params[static_cast<size_t>(call.params)].records;
  const RecordLayout::Part& part = records.parts[k];
  const int64_t record = record_of(call, counters);
  const int64_t rows = program.buffer(call.brought).extents[0];
  return program.address(call.brought) + record % rows * records.record_bytes + part.offset -
         record * part.bytes_of_channels;
}

int64_t constant_bytes(const Program& program) {
  int64_t sum = 0;
  for (const ProgramConstant& constant : program.constants)
    sum += is_in_flash(program, constant) ? std::ssize(constant.content.data) : 0;
  return sum;
}

int64_t sum(const std::vector<BiasTerm>& terms, const Counters& counters) {
  int64_t result = 0;
  for (const BiasTerm& term : terms) result += term.factor * evaluate(term.expr, counters);
  return result;
}

}  // namespace thimble
