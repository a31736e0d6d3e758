// SPDX-License-Identifier: Apache-2.0
// Authenticated encryption that keeps nothing secret, for tests: seals and opens as a cipher does,
// and notes the nonces.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "runtime/storage/sealed.h"

namespace thimble::testing {

class ToyAead {
 public:
  ToyAead() = default;
  ToyAead(const ToyAead&) = delete;
  ToyAead& operator=(const ToyAead&) = delete;
  [[nodiscard]] const thimble_aead* aead() const { return &aead_; }

  std::vector<std::array<uint8_t, THIMBLE_SEALED_NONCE>> nonces;  ///< that were sealed with
  bool fails = false;

 private:
  // FNV-1a, twice.
  static void check_of(const uint8_t* nonce, const uint8_t* data, uint32_t data_size,
                       const uint8_t* bytes, uint32_t size, uint8_t* tag) {
    for (uint64_t half = 0; half < 2; ++half) {
      uint64_t hash = 14695981039346656037U + half;
      const auto take = [&hash](const uint8_t* at, uint32_t count) {
        for (uint32_t i = 0; i < count; ++i) hash = (hash ^ at[i]) * 1099511628211U;
      };
      take(nonce, THIMBLE_SEALED_NONCE);
      take(data, data_size);
      take(bytes, size);
      std::memcpy(tag + 8 * half, &hash, sizeof hash);
    }
  }
  static void scramble(const uint8_t* nonce, uint8_t* bytes, uint32_t size) {
    for (uint32_t i = 0; i < size; ++i)
      bytes[i] ^= static_cast<uint8_t>(nonce[i % THIMBLE_SEALED_NONCE] * 31 + i * 7 + 0x93);
  }
  static int seal(void* context, const uint8_t* nonce, const uint8_t* data, uint32_t data_size,
                  uint8_t* bytes, uint32_t size, uint8_t* tag) {
    auto& toy = *static_cast<ToyAead*>(context);
    if (toy.fails) return -1;
    std::memcpy(toy.nonces.emplace_back().data(), nonce, THIMBLE_SEALED_NONCE);
    scramble(nonce, bytes, size);
    check_of(nonce, data, data_size, bytes, size, tag);
    return 0;
  }
  static int open(void*, const uint8_t* nonce, const uint8_t* data, uint32_t data_size,
                  uint8_t* bytes, uint32_t size, const uint8_t* tag) {
    uint8_t expected[THIMBLE_SEALED_TAG];
    check_of(nonce, data, data_size, bytes, size, expected);
    if (std::memcmp(tag, expected, sizeof expected) != 0) return -1;
    scramble(nonce, bytes, size);
    return 0;
  }

  thimble_aead aead_{this, seal, open};
};

}  // namespace thimble::testing
