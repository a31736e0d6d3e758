// SPDX-License-Identifier: Apache-2.0
#include "thimble/schedule/records.h"

#include <fmt/format.h>

#include <algorithm>

#include "thimble/model/division.h"
#include "thimble/model/error.h"
#include "thimble_runtime/compressed_transfers.h"

namespace thimble {
namespace {

/// Axes as they lie in memory, outermost first, but for those of one index.
std::vector<int> lying_axes(const Buffer& buffer, const Shape& shape) {
  std::vector<int> axes;
  for (size_t k = 0; k < shape.size(); ++k) {
    const int axis = buffer.order.empty() ? static_cast<int>(k) : buffer.order[k];
    if (shape[static_cast<size_t>(axis)] > 1) axes.push_back(axis);
  }
  return axes;
}

/// Empty, or why the step's passage is not one for such chunks.
std::string passage_fault(const Schedule& schedule, const Step& step, int64_t chunk_bytes) {
  if (chunk_bytes == 0) return step.passage.valid() ? "its records are not compressed" : "";
  if (!step.passage.valid() || step.passage.index() >= schedule.buffers.size())
    return "a transfer of compressed records has no passage";
  const Buffer& passage = schedule.buffer(step.passage);
  const bool fits = !passage.tensor.valid() && is_laid_out(passage.memory) &&
                    !is_stored(schedule, step.passage) && passage.type == DType::kInt32 &&
                    passage.size_bytes() == passage_bytes(chunk_bytes);
  return fits ? "" : fmt::format("chunks of {} bytes have a passage", chunk_bytes);
}

/// The region has all that a record holds along the other axes.
bool has_whole_records(const Step& step, const Buffer& stored, int record_axis) {
  for (size_t axis = 0; axis < stored.extents.size(); ++axis) {
    if (static_cast<int>(axis) == record_axis) continue;
    const IntervalExpr& i = step.region[axis];
    const int64_t begin = stored.origin[axis].base;
    if (!i.begin.constant() || !i.end.constant() || i.within || i.begin.base > begin ||
        i.end.base < begin + stored.extents[axis])
      return false;
  }
  return true;
}

}  // namespace

RecordForm record_form(const Buffer& buffer, int64_t write_bytes) {
  RecordForm form{.record_bytes = buffer.size_bytes()};
  if (buffer.packed.valid()) {
    form.axis = 0;
    form.count = buffer.extents[0];
    form.record_bytes = buffer.extents[1] * size_bytes(buffer.type);
  } else if (const std::vector<int> axes = lying_axes(buffer, buffer.extents); !axes.empty()) {
    const int64_t extent = buffer.extents[static_cast<size_t>(axes[0])];
    if (form.record_bytes / extent >= kLeastRecordBytes) {
      form.axis = axes[0];
      form.count = extent;
      form.record_bytes /= extent;
    }
  }
  // Nobody writes packed constants record by record.
  const int64_t granule = buffer.packed.valid() ? 1 : write_bytes;
  form.stride_bytes = ceil_div(form.record_bytes, granule) * granule;
  return form;
}

int64_t chunk_bytes(const RecordForm& form, int64_t write_bytes, int64_t at_most) {
  if (form.stride_bytes <= write_bytes) return 0;
  const int64_t least = ceil_div(runtime::kCompressedHeaderBytes, write_bytes);
  const int64_t granules = std::max(at_most / write_bytes, least);
  return std::min(granules * write_bytes, form.stride_bytes);
}

int64_t first_bytes(int64_t record_bytes, int64_t write_bytes, int64_t chunk_bytes) {
  const int64_t least = runtime::least_compressed_bytes(static_cast<uint32_t>(record_bytes));
  return std::min(ceil_div(least, write_bytes) * write_bytes, chunk_bytes);
}

int64_t passage_bytes(int64_t chunk_bytes) {
  return runtime::passage_bytes(static_cast<uint32_t>(chunk_bytes));
}

namespace {

/// Calls visit(buffer, address) for what lies in the image of a memory; its end, whole blocks.
template <class Visit>
int64_t each_in_image(const Schedule& schedule, MemoryId memory, const Visit& visit) {
  const std::optional<BlockStorage>& storage = schedule.memory(memory).storage;
  if (!storage) return 0;
  int64_t end = 0;
  for (size_t b = 0; b < schedule.buffers.size(); ++b) {
    const Buffer& buffer = schedule.buffers[b];
    if (!buffer.packed.valid() || buffer.memory != memory) continue;
    visit(b, end);
    end += placed_bytes(schedule, buffer);
  }
  if (end == 0) return 0;
  const int64_t block = std::max(storage->erase_bytes, storage->write_bytes);
  return ceil_div(image_label_address(end) + kImageLabelBytes, block) * block;
}

}  // namespace

int64_t image_label_address(int64_t records_end) {
  return ceil_div(records_end, kRecordAlignment) * kRecordAlignment;
}

std::vector<int64_t> image_addresses(const Schedule& schedule) {
  std::vector<int64_t> result(schedule.buffers.size(), -1);
  for (size_t m = 0; m < schedule.memories.size(); ++m)
    each_in_image(schedule, {static_cast<int32_t>(m)},
                  [&](size_t b, int64_t address) { result[b] = address; });
  return result;
}

int64_t image_bytes(const Schedule& schedule, MemoryId memory) {
  return each_in_image(schedule, memory, [](size_t, int64_t) {});
}

bool is_stored(const Schedule& schedule, BufferId buffer) {
  return schedule.memory(schedule.buffer(buffer).memory).kind == MemoryKind::kBlockStorage;
}

int64_t placed_bytes(const Schedule& schedule, const Buffer& buffer) {
  const ScheduleMemory& memory = schedule.memory(buffer.memory);
  if (!memory.storage || (!buffer.tensor.valid() && !buffer.packed.valid()))
    return buffer.size_bytes();
  return record_form(buffer, memory.storage->write_bytes).stored_bytes();
}

TransferSides sides_of(const Schedule& schedule, const Step& step) {
  const BufferId in = step.in.at(0).buffer();
  const bool reads = is_stored(schedule, in);
  return {.stored = reads ? in : step.out, .held = reads ? step.out : in, .reads = reads};
}

IntervalExpr records_of(const Schedule& schedule, const Step& step) {
  const Buffer& stored = schedule.buffer(sides_of(schedule, step).stored);
  const RecordForm form = record_form(stored, 1);
  if (form.axis < 0) return {index(0), index(1)};
  return step.region[static_cast<size_t>(form.axis)];
}

MovedRecords moved_records(const Schedule& schedule) {
  MovedRecords result;
  execute_steps(schedule, [&](const Step& step, Position, const Counters& counters) {
    if (step.transfer != TransferPart::kBegin) return;
    const TransferSides sides = sides_of(schedule, step);
    const RecordForm form = record_form(schedule.buffer(sides.stored), 1);
    const Interval records = evaluate(records_of(schedule, step), counters);
    const int64_t begin = std::max<int64_t>(records.begin, 0);
    const int64_t bytes =
        std::max<int64_t>(std::min(records.end, form.count) - begin, 0) * form.record_bytes;
    (sides.reads ? result.read : result.written) += bytes;
    if (schedule.buffer(sides.stored).packed.valid()) result.constants += bytes;
  });
  return result;
}

std::string held_fault(const Buffer& held, const Buffer& stored) {
  const RecordForm form = record_form(stored, 1);
  if (held.packed != stored.packed) return "the two sides of a transfer hold different constants";
  if (stored.packed.valid()) {
    const bool records =
        held.extents[1] == stored.extents[1] && (held.wrap || held.extents[0] == stored.extents[0]);
    return records ? "" : "a transfer moves whole records";
  }
  if (held.extents.size() != stored.extents.size() || held.type != stored.type)
    return "the two sides of a transfer hold different things";
  if (lying_axes(held, stored.extents) != lying_axes(stored, stored.extents))
    return "the two sides of a transfer have their axes in another order";
  if (held.wrap && held.wrap->axis != form.axis)
    return "a ring that a transfer fills or empties is one of records";
  if (form.axis >= 0 && stored.origin[static_cast<size_t>(form.axis)] != index(0))
    return "records in storage begin with the tensor's first";
  for (size_t axis = 0; axis < stored.extents.size(); ++axis) {
    if (static_cast<int>(axis) == form.axis) continue;
    if (held.extents[axis] != stored.extents[axis] || held.origin[axis] != stored.origin[axis])
      return "a transfer moves whole records";
  }
  return "";
}

std::string transfer_fault(const Schedule& schedule, const Step& step) {
  if (step.op.valid() || step.in.size() != 1 || !step.in[0].valid() || step.chunk ||
      step.method != Method::kCompute || step.kernel.valid() || step.recomputes)
    return "a transfer is a copy, and nothing else";
  if (!step.token.valid() || step.token.value >= schedule.token_count)
    return "its token is out of range";
  if (step.transfer != TransferPart::kBegin) {
    const bool nothing = std::ranges::all_of(step.region, [](const IntervalExpr& i) {
      return i == IntervalExpr{index(0), index(0)};
    });
    if (!nothing) return "what erases or waits has a region";
  }
  const std::vector<BufferId>& from = step.in[0].from;
  if (step.transfer == TransferPart::kErase ||
      (step.transfer == TransferPart::kWait && is_stored(schedule, step.out) &&
       is_stored(schedule, from[0]))) {
    if (step.scratch.valid() || step.passage.valid()) return "an erase has no tags, and no passage";
    if (step.out != from[0]) return "an erase has the first of its buffers as its output";
    for (const BufferId id : from) {
      const ScheduleMemory& memory = schedule.memory(schedule.buffer(id).memory);
      if (!memory.storage || memory.storage->erase_bytes == 0)
        return fmt::format("{} is not erased", memory.name);
      if (schedule.buffer(id).memory != schedule.buffer(step.out).memory)
        return "an erase has buffers of several memories";
    }
    return "";
  }
  if (from.size() != 1 || is_stored(schedule, from[0]) == is_stored(schedule, step.out))
    return "a transfer goes between one buffer in storage and one that is not";
  const TransferSides sides = sides_of(schedule, step);
  const Buffer& stored = schedule.buffer(sides.stored);
  const Buffer& held = schedule.buffer(sides.held);
  if (!is_laid_out(held.memory)) return "a transfer goes to or from memory of the network's own";
  const RecordForm form = record_form(stored, schedule.memory(stored.memory).storage->write_bytes);
  if (const std::string fault = held_fault(held, stored); !fault.empty()) return fault;
  if (step.transfer == TransferPart::kBegin && !has_whole_records(step, stored, form.axis))
    return "a transfer moves whole records";
  if (stored.packed.valid()) {
    if (!sides.reads) return "packed constants are not written";
    return step.scratch.valid() || step.passage.valid()
               ? "records of packed constants have neither tags nor a passage"
               : "";
  }
  if (!step.scratch.valid() || step.scratch.index() >= schedule.buffers.size())
    return "a transfer has no tags";
  const Buffer& tags = schedule.buffer(step.scratch);
  const bool fits = !tags.tensor.valid() && is_laid_out(tags.memory) &&
                    !is_stored(schedule, step.scratch) && tags.type == DType::kInt32 &&
                    tags.extents == Shape{form.count};
  if (!fits) return fmt::format("a transfer has tags for {} records", form.count);
  return passage_fault(schedule, step, stored.chunk_bytes);
}

BegunAndEnded as_transfer(Step copy, BufferId tags, BufferId passage, TokenId token) {
  copy.transfer = TransferPart::kBegin;
  copy.scratch = tags;
  copy.passage = passage;
  copy.token = token;
  Step wait = copy;
  wait.transfer = TransferPart::kWait;
  wait.region.assign(copy.region.size(), {index(0), index(0)});
  return {std::move(copy), std::move(wait)};
}

BufferId add_tags(Schedule& schedule, BufferId stored) {
  return add_scratch(schedule,
                     {kTagBytes * record_form(schedule.buffer(stored), 1).count, DType::kInt32});
}

BufferId add_passage(Schedule& schedule, BufferId stored) {
  const int64_t chunk = schedule.buffer(stored).chunk_bytes;
  return chunk == 0 ? BufferId{} : add_scratch(schedule, {passage_bytes(chunk), DType::kInt32});
}

}  // namespace thimble
