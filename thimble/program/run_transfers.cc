// SPDX-License-Identifier: Apache-2.0
#include "thimble/program/run_transfers.h"

#include <algorithm>
#include <utility>

namespace thimble {

RunTransfers::RunTransfers(const Program& program, Address address, MemoryStorage::Line line,
                           const MemoryStorage::Place& place)
    : program_(program),
      address_(std::move(address)),
      flights_(static_cast<size_t>(program.token_count)) {
  for (const ProgramMemory& memory : program.memories) {
    storages_.emplace_back(memory.name, memory.storage ? memory.size_bytes : 0, line, place);
    drivers_.push_back(storages_.back().driver());
    transfers_.push_back({&drivers_.back(), flights_.data(), THIMBLE_STORAGE_OK, 0});
  }
  for (size_t m = 0; m < program.memories.size(); ++m) {
    const MemoryId memory{static_cast<int32_t>(m)};
    const std::optional<StorageImage> image = storage_image(program, memory);
    if (!image) continue;
    std::vector<uint8_t>& bytes = storages_[m].bytes();
    int64_t at = 0;
    image->write([&](std::span<const uint8_t> piece) {
      std::ranges::copy(piece, bytes.begin() + at);
      at += std::ssize(piece);
    });
    images_.push_back({m, image->label(), static_cast<uint32_t>(image->label_address())});
  }
}

void RunTransfers::begin_inference() {
  for (const Image& image : images_)
    runtime::check_image(transfers_[image.memory], 0, image.label, image.address);
}

void RunTransfers::execute(const TransferCall& transfer, const Counters& counters) {
  runtime::Transfers& transfers = transfers_[program_.memory_of(transfer.stored).index()];
  const int32_t token = transfer.token.value;
  if (transfer.kind == TransferKind::kWait) {
    if (transfer.passage.valid()) {
      runtime::wait_compressed(transfers, token, passage_of(transfer));
    } else {
      runtime::wait(transfers, token);
    }
    return;
  }
  if (transfer.kind == TransferKind::kErase) {
    const Interval bytes = erased_bytes(program_, transfer);
    runtime::begin_erase(transfers, token, static_cast<uint32_t>(bytes.begin),
                         static_cast<uint32_t>(bytes.size()));
    return;
  }
  const runtime::Records records{static_cast<uint32_t>(program_.address(transfer.stored)),
                                 static_cast<uint32_t>(transfer.record_bytes),
                                 static_cast<uint32_t>(transfer.stride_bytes)};
  const runtime::HeldRows held{address_(transfer.held),
                               static_cast<int32_t>(evaluate(transfer.origin, counters)),
                               static_cast<int32_t>(transfer.rows)};
  auto* const tags =
      transfer.tags.valid() ? reinterpret_cast<uint32_t*>(address_(transfer.tags)) : nullptr;
  const Interval moved = records_of(transfer, counters);
  const auto first = static_cast<int32_t>(moved.begin), end = static_cast<int32_t>(moved.end);
  if (transfer.passage.valid()) {
    const runtime::Passage passage = passage_of(transfer);
    if (transfer.kind == TransferKind::kRead) {
      runtime::begin_compressed_read(transfers, token, records, held, tags, passage, first, end);
    } else {
      runtime::begin_compressed_write(transfers, token, records, held, tags, passage, first, end);
    }
  } else if (transfer.kind == TransferKind::kRead) {
    runtime::begin_read(transfers, token, records, held, tags, first, end);
  } else {
    runtime::begin_write(transfers, token, records, held, tags, first, end);
  }
}

runtime::Passage RunTransfers::passage_of(const TransferCall& transfer) const {
  return {reinterpret_cast<uint32_t*>(address_(transfer.passage)),
          static_cast<uint32_t>(transfer.chunk_bytes), static_cast<uint32_t>(transfer.first_bytes)};
}

MovedBytes RunTransfers::moved() const {
  MovedBytes result;
  for (const MemoryStorage& storage : storages_) {
    result.written += storage.written_bytes();
    result.read += storage.read_bytes();
  }
  return result;
}

bool RunTransfers::ok() const {
  return std::ranges::all_of(transfers_, [](const runtime::Transfers& transfers) {
    return transfers.status == THIMBLE_STORAGE_OK;
  });
}

}  // namespace thimble
