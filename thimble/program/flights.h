// SPDX-License-Identifier: Apache-2.0
// Transfers of a program in flight, over shadow memories: what the verifier knows of block storage.
//
// Bytes are copied as the device copies them, when a transfer is waited for: whether they are the
// right ones, whoever reads them finds out. Packed constants are there from the start, and nobody
// writes or erases them. Here is checked that nothing touches what a transfer
// writes or writes what it reads while it is in flight, that storage is erased before it is written
// and written once, that tokens are begun and waited for in turn, no more at once than the storage
// takes, and that each record is checked against the tag of just these bytes. A compressed record
// has here all the bytes that it may take, and its tag says that it was written so; its passage is
// touched by nothing else while it is on its way.
#pragma once

#include <map>
#include <vector>

#include "thimble/program/program.h"
#include "thimble/program/shadow.h"

namespace thimble {

class Flights {
 public:
  /// All must outlive it. memories: by MemoryId.
  Flights(const Program& program, Contents& contents, std::vector<ShadowMemory>& memories);

  /// Throws Fault.
  void execute(const TransferCall& transfer, const Counters& counters);
  /// A call reads or writes bytes. Throws Fault where a transfer has them.
  void check_read(const ShadowMemory* memory, int64_t address, int64_t bytes) const {
    if (!flying_.empty()) check(memory, address, bytes, false);
  }
  void check_written(const ShadowMemory* memory, int64_t address, int64_t bytes) const {
    if (!flying_.empty()) check(memory, address, bytes, true);
  }
  /// At the end nothing is in flight. Throws Fault.
  void check_landed() const;
  /// Bytes that were moved, for the limit on work.
  [[nodiscard]] int64_t moved_bytes() const { return moved_bytes_; }

 private:
  struct Span {
    const ShadowMemory* memory = nullptr;
    int64_t address = 0, bytes = 0;
  };
  struct Flight {
    const TransferCall* call = nullptr;
    Interval records;
    int64_t origin = 0;
    std::vector<Span> read, written;
  };

  [[nodiscard]] ShadowMemory& memory_of(BufferId buffer) {
    return memories_[program_.memory_of(buffer).index()];
  }
  [[nodiscard]] std::string describe(const TransferCall& transfer) const;
  void check(const ShadowMemory* memory, int64_t address, int64_t bytes, bool writes) const;
  static void add(std::vector<Span>& spans, const Span& span);
  void check_image_form(const TransferCall& transfer) const;
  void check_spares_image(const TransferCall& transfer, const Interval& bytes) const;
  void add_passage(Flight& flight, const Span& tags);
  void check_form(const TransferCall& transfer) const;
  void begin(const TransferCall& transfer, const Counters& counters);
  void begin_erase(const TransferCall& erase);
  void wait(const TransferCall& transfer);
  void take_off(Flight flight);
  [[nodiscard]] int64_t held_address(const TransferCall& transfer, int64_t record,
                                     int64_t origin) const;
  [[nodiscard]] int64_t stored_address(const TransferCall& transfer, int64_t record) const;
  /// What a tag says of the record whose bytes lie there.
  [[nodiscard]] uint32_t tag_of(const TransferCall& transfer, const ShadowMemory& memory,
                                int64_t address);

  const Program& program_;
  Contents& contents_;
  std::vector<ShadowMemory>& memories_;
  std::map<TokenId, Flight> flying_;
  std::map<TokenId, bool> begun_;  ///< of no records, too
  /// By the record's bytes, and whether it may be compressed.
  std::map<std::pair<std::vector<ShadowByte>, bool>, int64_t> tags_;
  int64_t moved_bytes_ = 0;
};

}  // namespace thimble
