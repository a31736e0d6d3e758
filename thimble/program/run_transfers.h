// SPDX-License-Identifier: Apache-2.0
// The transfers of a program, executed by the runtime's own code (thimble_runtime/transfers.h).
#pragma once

#include <deque>
#include <functional>
#include <utility>
#include <vector>

#include "thimble/program/memory_storage.h"
#include "thimble/program/program.h"
#include "thimble/program/storage_image.h"
#include "thimble_runtime/compressed_transfers.h"

namespace thimble {

class RunTransfers {
 public:
  /// Bytes of a buffer in memory that is addressed.
  using Address = std::function<uint8_t*(BufferId)>;

  /// program: must outlive it. line, place: as MemoryStorage has them.
  RunTransfers(const Program& program, Address address, MemoryStorage::Line line = nullptr,
               const MemoryStorage::Place& place = nullptr);

  /// Before the calls of each: images are compared, as emitted code does.
  void begin_inference();
  void execute(const TransferCall& transfer, const Counters& counters);
  /// Whether all have succeeded.
  [[nodiscard]] bool ok() const;
  /// So far, in all storages.
  [[nodiscard]] MovedBytes moved() const;

 private:
  struct Image {
    size_t memory = 0;
    runtime::ImageLabel label;
    uint32_t address = 0;  ///< of the label
  };
  [[nodiscard]] runtime::Passage passage_of(const TransferCall& transfer) const;

  const Program& program_;
  Address address_;
  std::deque<MemoryStorage> storages_;         ///< by memory; of others than storage, empty
  std::deque<thimble_storage> drivers_;        ///< by memory
  std::vector<runtime::InFlight> flights_;     ///< by token
  std::vector<runtime::Transfers> transfers_;  ///< by memory
  std::vector<Image> images_;
};

}  // namespace thimble
