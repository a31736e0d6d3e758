// SPDX-License-Identifier: Apache-2.0
#include "thimble/program/flights.h"

#include <fmt/format.h>

#include <algorithm>

#include "thimble/program/call_form.h"
#include "thimble/schedule/records.h"

namespace thimble {
namespace {

constexpr int64_t kMostBytes = int64_t{1} << 31;

const char* verb(TransferKind kind) {
  switch (kind) {
    case TransferKind::kRead:
      return "read";
    case TransferKind::kWrite:
      return "write";
    case TransferKind::kErase:
      return "erase";
    case TransferKind::kWait:
      return "wait";
  }
  return "transfer";
}

/// Stands for the byte at an address of storage that is erased.
ShadowByte erased(Contents& contents, int64_t address) {
  return {contents.number({.erased = true}), static_cast<uint32_t>(address)};
}

}  // namespace

Flights::Flights(const Program& program, Contents& contents, std::vector<ShadowMemory>& memories)
    : program_(program), contents_(contents), memories_(memories) {}

std::string Flights::describe(const TransferCall& transfer) const {
  return fmt::format("step {} ({} of {})", transfer.position, verb(transfer.kind),
                     program_.memory(program_.memory_of(transfer.stored)).name);
}

void Flights::execute(const TransferCall& transfer, const Counters& counters) {
  check_form(transfer);
  if (transfer.kind == TransferKind::kWait) {
    wait(transfer);
    return;
  }
  if (bool& begun = begun_[transfer.token]; begun) {
    throw Fault{fmt::format("{}: its token {} is not waited for", describe(transfer),
                            transfer.token.value)};
  } else {
    begun = true;
  }
  if (transfer.kind == TransferKind::kErase) {
    begin_erase(transfer);
  } else {
    begin(transfer, counters);
  }
}

void Flights::check_form(const TransferCall& transfer) const {
  const auto exists = [&](BufferId id) {
    return id.valid() && id.index() < program_.buffers.size();
  };
  const auto is_storage = [&](BufferId id) {
    return program_.memory(program_.memory_of(id)).storage.has_value();
  };
  const auto fault = [&](const char* what) {
    throw Fault{fmt::format("step {}: {}", transfer.position, what)};
  };
  if (!transfer.token.valid() || transfer.token.value >= program_.token_count)
    fault("a transfer has no token");
  if (!exists(transfer.stored) || !is_storage(transfer.stored))
    fault("a transfer goes to or from no storage");
  const BlockStorage& storage = *program_.memory(program_.memory_of(transfer.stored)).storage;
  if (transfer.kind == TransferKind::kErase) {
    if (storage.erase_bytes <= 0) fault("storage is erased that cannot be");
    for (const BufferId id : transfer.erased) {
      if (!exists(id) || program_.memory_of(id) != program_.memory_of(transfer.stored))
        fault("an erase has buffers of several memories");
    }
  }
  if (transfer.kind == TransferKind::kErase || transfer.kind == TransferKind::kWait) return;
  const PlacedBuffer& stored = program_.buffer(transfer.stored);
  const bool of_image = stored.packed >= 0 && transfer.kind == TransferKind::kRead;
  for (const BufferId id : {transfer.held, of_image ? transfer.held : transfer.tags}) {
    if (!exists(id) || is_storage(id) || !is_laid_out(program_.memory_of(id)))
      fault("a transfer needs a buffer and tags in memory that is laid out");
  }
  const Interval limits = transfer.records.limits;
  const bool good = transfer.record_bytes > 0 && transfer.record_bytes <= transfer.stride_bytes &&
                    (of_image || (transfer.stride_bytes % storage.write_bytes == 0 &&
                                  stored.address % storage.write_bytes == 0)) &&
                    transfer.rows >= 0 && limits.begin == 0 && limits.end > 0 &&
                    limits.end <= kMostBytes && transfer.stride_bytes <= kMostBytes &&
                    limits.end * transfer.stride_bytes <= stored.size_bytes &&
                    program_.memory(stored.memory).size_bytes <= kMostBytes;
  if (!good) fault("the records of a transfer are not those of its buffer");
  if (of_image) return check_image_form(transfer);
  if (stored.packed >= 0) fault("packed constants are written");
  const bool tagged = limits.end * kTagBytes <= program_.buffer(transfer.tags).size_bytes &&
                      program_.address(transfer.tags) % kTagBytes == 0;
  if (!tagged) fault("the tags of a transfer are not those of its records");
  if (transfer.chunk_bytes == 0 && !transfer.passage.valid()) return;
  const BufferId passage = transfer.passage;
  if (!exists(passage) || is_storage(passage) || !is_laid_out(program_.memory_of(passage)))
    fault("a passage is in memory that is laid out");
  const bool passes = transfer.chunk_bytes > 0 && transfer.chunk_bytes % storage.write_bytes == 0 &&
                      transfer.chunk_bytes <= transfer.stride_bytes && transfer.first_bytes > 0 &&
                      transfer.first_bytes <= transfer.chunk_bytes &&
                      transfer.first_bytes % storage.write_bytes == 0 &&
                      passage_bytes(transfer.chunk_bytes) <= program_.buffer(passage).size_bytes &&
                      program_.address(passage) % kTagBytes == 0;
  if (!passes) fault("a passage is not one for such chunks");
}

/// Whole records, their checks behind them.
void Flights::check_image_form(const TransferCall& transfer) const {
  const PlacedBuffer& stored = program_.buffer(transfer.stored);
  const PlacedBuffer& held = program_.buffer(transfer.held);
  const RecordLayout& records = *program_.params[static_cast<size_t>(stored.packed)].records;
  const bool good =
      !transfer.tags.valid() && !transfer.passage.valid() && transfer.chunk_bytes == 0 &&
      held.packed >= 0 && program_.params[static_cast<size_t>(held.packed)].records == records &&
      program_.params[static_cast<size_t>(held.packed)].constants ==
          program_.params[static_cast<size_t>(stored.packed)].constants &&
      transfer.record_bytes == records.record_bytes &&
      transfer.stride_bytes == records.record_bytes &&
      transfer.records.limits.end == records.count && transfer.origin == index(0) &&
      held.address % kRecordAlignment == 0 && stored.address % kRecordAlignment == 0 &&
      (transfer.rows == 0 || transfer.rows == held.extents[0]);
  if (!good) throw Fault{describe(transfer) + ": its records are not those of its constants"};
}

void Flights::check_spares_image(const TransferCall& transfer, const Interval& bytes) const {
  for (const BufferId id : image_of(program_, program_.memory_of(transfer.stored))) {
    const PlacedBuffer& there = program_.buffer(id);
    const int64_t end = image_label_address(there.address + there.size_bytes) + kImageLabelBytes;
    if (bytes.begin < end)
      throw Fault{describe(transfer) + ": it would spoil the image of packed constants"};
  }
}

/// Neighbours are one.
void Flights::add(std::vector<Span>& spans, const Span& span) {
  if (!spans.empty() && spans.back().address + spans.back().bytes == span.address) {
    spans.back().bytes += span.bytes;
  } else {
    spans.push_back(span);
  }
}

int64_t Flights::held_address(const TransferCall& transfer, int64_t record, int64_t origin) const {
  const PlacedBuffer& held = program_.buffer(transfer.held);
  const int64_t row = transfer.rows > 0 ? record % transfer.rows : record - origin;
  if (row < 0 || (row + 1) * transfer.record_bytes > held.size_bytes)
    throw Fault{fmt::format("{}: record {} lies outside of buffer {}", describe(transfer), record,
                            transfer.held.value)};
  return held.address + row * transfer.record_bytes;
}

int64_t Flights::stored_address(const TransferCall& transfer, int64_t record) const {
  return program_.address(transfer.stored) + record * transfer.stride_bytes;
}

void Flights::begin(const TransferCall& transfer, const Counters& counters) {
  const IntervalExpr& interval = transfer.records.interval;
  for (const IndexExpr* bound : {&interval.begin, &interval.end}) {
    if (const int64_t at = evaluate(*bound, counters); at < -kMostBytes || at >= kMostBytes)
      throw Fault{describe(transfer) + ": its records do not fit 32 bits", true};
  }
  Flight flight{.call = &transfer,
                .records = records_of(transfer, counters),
                .origin = evaluate(transfer.origin, counters)};
  if (flight.records.empty()) return;
  if (transfer.rows > 0 && flight.records.size() > transfer.rows)
    throw Fault{fmt::format("{}: {} records go through a ring of {}", describe(transfer),
                            flight.records.size(), transfer.rows)};
  const bool reads = transfer.kind == TransferKind::kRead;
  const ShadowMemory& storage = memory_of(transfer.stored);
  const int64_t bytes = transfer.record_bytes;
  for (int64_t r = flight.records.begin; r < flight.records.end; ++r) {
    const Span held{&memory_of(transfer.held), held_address(transfer, r, flight.origin), bytes};
    const Span stored{&storage, stored_address(transfer, r), reads ? bytes : transfer.stride_bytes};
    add(reads ? flight.read : flight.written, stored);
    add(reads ? flight.written : flight.read, held);
  }
  if (program_.buffer(transfer.stored).packed >= 0) {
    flight.read.clear();  // nobody writes there
    take_off(std::move(flight));
    return;
  }
  const Span tags{&memory_of(transfer.tags),
                  program_.address(transfer.tags) + flight.records.begin * kTagBytes,
                  flight.records.size() * kTagBytes};
  if (reads) {
    flight.read.push_back(tags);
  } else {
    check(tags.memory, tags.address, tags.bytes, true);
  }
  const bool erases = program_.memory(program_.memory_of(transfer.stored)).storage->erase_bytes > 0;
  if (!reads) check_spares_image(transfer, {stored_address(transfer, flight.records.begin), 0});
  for (int64_t r = flight.records.begin; !reads && r < flight.records.end; ++r) {
    const int64_t at = stored_address(transfer, r);
    if (erases && storage.first_other(at, erased(contents_, at), transfer.stride_bytes) >= 0)
      throw Fault{
          fmt::format("{}: record {} is written where nothing was erased", describe(transfer), r)};
    ShadowMemory& held = memory_of(transfer.held);
    memory_of(transfer.tags)
        .write(program_.address(transfer.tags) + r * kTagBytes,
               {tag_of(transfer, held, held_address(transfer, r, flight.origin)), 0}, kTagBytes);
  }
  if (transfer.passage.valid()) add_passage(flight, tags);
  take_off(std::move(flight));
}

/// Records, tags and chunks are all in use as long as compressed records are on their way.
void Flights::add_passage(Flight& flight, const Span& tags) {
  const TransferCall& call = *flight.call;
  const Span passage{&memory_of(call.passage), program_.address(call.passage),
                     passage_bytes(call.chunk_bytes)};
  const auto meets = [&](const Span& span) {
    return span.memory == passage.memory && span.address < passage.address + passage.bytes &&
           passage.address < span.address + span.bytes;
  };
  if (meets(tags) || std::ranges::any_of(flight.read, meets) ||
      std::ranges::any_of(flight.written, meets))
    throw Fault{describe(call) + ": its passage lies over its records or their tags"};
  if (call.kind == TransferKind::kWrite) flight.read.push_back(tags);
  flight.written.push_back(passage);
}

void Flights::begin_erase(const TransferCall& erase) {
  const Interval bytes = erased_bytes(program_, erase);
  Flight flight{.call = &erase};
  ShadowMemory& storage = memory_of(erase.stored);
  if (!storage.inside(bytes.begin, bytes.size()))
    throw Fault{describe(erase) + ": it ends behind the storage"};
  check_spares_image(erase, bytes);
  flight.written.push_back({&storage, bytes.begin, bytes.size()});
  take_off(std::move(flight));
}

void Flights::take_off(Flight flight) {
  const TransferCall& call = *flight.call;
  for (const Span& span : flight.read) {
    if (!span.memory->inside(span.address, span.bytes))
      throw Fault{describe(call) + ": it reaches beyond its memory"};
    check(span.memory, span.address, span.bytes, false);
  }
  for (const Span& span : flight.written) {
    if (!span.memory->inside(span.address, span.bytes))
      throw Fault{describe(call) + ": it reaches beyond its memory"};
    check(span.memory, span.address, span.bytes, true);
    moved_bytes_ += span.bytes;
    const_cast<ShadowMemory*>(span.memory)->destroy(span.address, span.bytes);
  }
  const MemoryId memory = program_.memory_of(call.stored);
  const auto others = std::ranges::count_if(flying_, [&](const auto& other) {
    return program_.memory_of(other.second.call->stored) == memory;
  });
  if (others >= program_.memory(memory).storage->most_in_flight)
    throw Fault{fmt::format("{}: {} are in flight already, which is all that {} takes",
                            describe(call), others, program_.memory(memory).name)};
  flying_.emplace(call.token, std::move(flight));
}

void Flights::wait(const TransferCall& transfer) {
  const auto begun = begun_.find(transfer.token);
  if (begun == begun_.end() || !begun->second)
    throw Fault{fmt::format("{}: nothing was begun with token {}", describe(transfer),
                            transfer.token.value)};
  begun->second = false;
  const auto node = flying_.extract(transfer.token);
  if (node.empty()) return;  // of no records
  const Flight& flight = node.mapped();
  const TransferCall& call = *flight.call;
  if (program_.memory_of(call.stored) != program_.memory_of(transfer.stored))
    throw Fault{describe(transfer) + ": another storage is waited for than was begun with"};
  if (call.passage != transfer.passage || call.chunk_bytes != transfer.chunk_bytes ||
      call.first_bytes != transfer.first_bytes)
    throw Fault{describe(transfer) + ": its passage is not the one of what was begun"};
  ShadowMemory& storage = memory_of(call.stored);
  if (call.kind == TransferKind::kErase) {
    const Span& all = flight.written[0];
    storage.write(all.address, erased(contents_, all.address), all.bytes);
    return;
  }
  ShadowMemory& held = memory_of(call.held);
  for (int64_t r = flight.records.begin; r < flight.records.end; ++r) {
    const int64_t in_storage = stored_address(call, r);
    const int64_t in_memory = held_address(call, r, flight.origin);
    const bool reads = call.kind == TransferKind::kRead;
    if (program_.buffer(call.stored).packed >= 0) {
      const uint32_t image = contents_.number({.image = call.stored});
      held.write(in_memory, {image, static_cast<uint32_t>(r * call.record_bytes)},
                 call.record_bytes);
      continue;
    }
    for (int64_t k = 0; k < call.record_bytes; ++k) {
      if (reads) {
        held.write(in_memory + k, storage.at(in_storage + k), 1);
      } else {
        storage.write(in_storage + k, held.at(in_memory + k), 1);
      }
    }
    if (!reads) continue;
    const int64_t tag = program_.address(call.tags) + r * kTagBytes;
    if (memory_of(call.tags).first_other(tag, {tag_of(call, storage, in_storage), 0}, kTagBytes) >=
        0)
      throw Fault{
          fmt::format("{}: record {} is not the one that its tag was made of", describe(call), r)};
  }
}

uint32_t Flights::tag_of(const TransferCall& transfer, const ShadowMemory& memory,
                         int64_t address) {
  std::vector<ShadowByte> record(static_cast<size_t>(transfer.record_bytes));
  for (int64_t k = 0; k < transfer.record_bytes; ++k)
    record[static_cast<size_t>(k)] = memory.at(address + k);
  const auto next = static_cast<int64_t>(tags_.size());
  const auto [known, added] =
      tags_.try_emplace({std::move(record), transfer.chunk_bytes > 0}, next);
  return contents_.number({.tag_of = known->second});
}

void Flights::check(const ShadowMemory* memory, int64_t address, int64_t bytes, bool writes) const {
  const auto meets = [&](const Span& span) {
    return span.memory == memory && span.address < address + bytes &&
           address < span.address + span.bytes;
  };
  for (const auto& [token, flight] : flying_) {
    if (std::ranges::any_of(flight.written, meets))
      throw Fault{fmt::format("byte {} is touched while {} brings it there", address,
                              describe(*flight.call))};
    if (writes && std::ranges::any_of(flight.read, meets))
      throw Fault{
          fmt::format("byte {} is written while {} reads it", address, describe(*flight.call))};
  }
}

void Flights::check_landed() const {
  for (const auto& [token, begun] : begun_) {
    if (begun) throw Fault{fmt::format("at the end, token {} is not waited for", token.value)};
  }
}

}  // namespace thimble
