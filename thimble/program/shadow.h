// SPDX-License-Identifier: Apache-2.0
// Shadow memory: what every byte of a memory holds. Costs 8 bytes for each byte that was ever
// written, in pages: an arena that a plan hardly uses costs hardly anything.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "thimble/model/id.h"

namespace thimble {

/// Whose bytes they are: the values of a tensor, or its accumulators with the indices [0, reduced)
/// of chunk_axis added.
struct Content {
  TensorId tensor;  ///< invalid: garbage
  bool sums = false;
  int64_t reduced = 0;
  int64_t tag_of = -1;  ///< of a record (flights.h), by number
  bool erased = false;  ///< storage that may be written
  BufferId image;       ///< valid: of packed constants, as their records lie in storage
  auto operator<=>(const Content&) const = default;
};

/// Contents by number; 0 is garbage.
class Contents {
 public:
  [[nodiscard]] uint32_t number(const Content& content);
  [[nodiscard]] const Content& operator[](uint32_t number) const { return contents_[number]; }

 private:
  std::vector<Content> contents_{Content{}};
  std::map<Content, uint32_t> numbers_;
};

/// What one byte holds: byte `byte` of the row-major bytes of a content.
struct ShadowByte {
  uint32_t content = 0, byte = 0;
  auto operator<=>(const ShadowByte&) const = default;
};

class ShadowMemory {
 public:
  explicit ShadowMemory(int64_t bytes);

  [[nodiscard]] bool inside(int64_t address, int64_t bytes) const {
    return address >= 0 && bytes >= 0 && address <= size_bytes_ - bytes;
  }
  [[nodiscard]] ShadowByte at(int64_t address) const;
  /// `bytes` neighbours, the first of which is `first`. Garbage stays garbage.
  void write(int64_t address, ShadowByte first, int64_t bytes);
  void destroy(int64_t address, int64_t bytes) { write(address, {}, bytes); }
  /// The first of `bytes` neighbours from `address` on that does not hold what follows from
  /// `first`, which is no garbage; -1 if all do.
  [[nodiscard]] int64_t first_other(int64_t address, ShadowByte first, int64_t bytes) const;

 private:
  static constexpr int64_t kPage = 4096;
  using Page = std::unique_ptr<ShadowByte[]>;

  int64_t size_bytes_;
  std::vector<Page> pages_;  ///< null: garbage
};

}  // namespace thimble
