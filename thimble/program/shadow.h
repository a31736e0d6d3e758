// SPDX-License-Identifier: Apache-2.0
// Shadow memory: what every byte of the arena holds.
#pragma once

#include <cstdint>
#include <vector>

namespace thimble {

/// Which value a byte belongs to. `kind` numbers tensors and, apart from them, their accumulators.
struct ShadowKey {
  int32_t kind = -1;    ///< -1: garbage
  int32_t byte = 0;     ///< of the tensor's row-major bytes
  int32_t reduced = 0;  ///< accumulators: indices of chunk_axis added so far
  bool operator==(const ShadowKey&) const = default;
};

class ShadowMemory {
 public:
  explicit ShadowMemory(int64_t bytes) : cells_(static_cast<size_t>(bytes)) {}

  [[nodiscard]] bool inside(int64_t address, int64_t bytes) const {
    return address >= 0 && bytes >= 0 && address <= static_cast<int64_t>(cells_.size()) - bytes;
  }
  [[nodiscard]] const ShadowKey& at(int64_t address) const {
    return cells_[static_cast<size_t>(address)];
  }
  /// `bytes` bytes of one element, the first of which is `key`.
  void write(int64_t address, ShadowKey key, int64_t bytes) {
    for (int64_t k = 0; k < bytes; ++k, ++key.byte) cells_[static_cast<size_t>(address + k)] = key;
  }
  [[nodiscard]] bool holds(int64_t address, ShadowKey key, int64_t bytes) const {
    for (int64_t k = 0; k < bytes; ++k, ++key.byte) {
      if (cells_[static_cast<size_t>(address + k)] != key) return false;
    }
    return true;
  }
  void destroy(int64_t address, int64_t bytes) {
    for (int64_t k = 0; k < bytes; ++k) cells_[static_cast<size_t>(address + k)] = ShadowKey{};
  }

 private:
  std::vector<ShadowKey> cells_;
};

}  // namespace thimble
