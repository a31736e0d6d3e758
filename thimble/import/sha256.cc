// SPDX-License-Identifier: Apache-2.0
// SHA-256 (FIPS 180-4). Of its own, since a library of ciphers would be nine tenths of what the
// executable is linked from, and none is on every system that Thimble is built for.
#include "thimble/import/sha256.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

namespace thimble {
namespace {

constexpr size_t kBlockBytes = 64;

// The first 32 bits of the fractions of the cube roots of the first 64 primes.
constexpr std::array<uint32_t, 64> kRounds = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

class Digest {
 public:
  void add(const void* data, size_t size) {
    const auto* bytes = static_cast<const uint8_t*>(data);
    total_ += size;
    while (size > 0) {
      if (filled_ == 0 && size >= kBlockBytes) {
        mix(bytes);
        bytes += kBlockBytes;
        size -= kBlockBytes;
        continue;
      }
      const size_t taken = std::min(size, kBlockBytes - filled_);
      std::memcpy(block_.data() + filled_, bytes, taken);
      bytes += taken;
      size -= taken;
      filled_ = (filled_ + taken) % kBlockBytes;
      if (filled_ == 0) mix(block_.data());
    }
  }

  /// Afterwards nothing can be added.
  [[nodiscard]] std::string digits() {
    const uint64_t bits = total_ * 8;
    std::array<uint8_t, kBlockBytes + 8> end{0x80};
    const size_t zeros =
        (kBlockBytes + 55 - filled_) % kBlockBytes;  // up to 8 bytes before a block's end
    for (size_t k = 0; k < 8; ++k) end[1 + zeros + k] = static_cast<uint8_t>(bits >> (56 - 8 * k));
    add(end.data(), 1 + zeros + 8);
    std::string digits;
    for (const uint32_t word : state_) digits += fmt::format("{:08x}", word);
    return digits;
  }

 private:
  void mix(const uint8_t* block) {
    std::array<uint32_t, 64> w;
    for (size_t k = 0; k < 16; ++k) {
      w[k] = uint32_t{block[4 * k]} << 24 | uint32_t{block[4 * k + 1]} << 16 |
             uint32_t{block[4 * k + 2]} << 8 | block[4 * k + 3];
    }
    for (size_t k = 16; k < 64; ++k) {
      const uint32_t a = w[k - 15], b = w[k - 2];
      w[k] = w[k - 16] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3) + w[k - 7] +
             (std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10);
    }
    auto [a, b, c, d, e, f, g, h] = state_;
    for (size_t k = 0; k < 64; ++k) {
      const uint32_t one = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                           ((e & f) ^ (~e & g)) + kRounds[k] + w[k];
      const uint32_t two =
          (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      h = g, g = f, f = e, e = d + one;
      d = c, c = b, b = a, a = one + two;
    }
    const std::array<uint32_t, 8> added = {a, b, c, d, e, f, g, h};
    for (size_t k = 0; k < 8; ++k) state_[k] += added[k];
  }

  // The first 32 bits of the fractions of the square roots of the first 8 primes.
  std::array<uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<uint8_t, kBlockBytes> block_{};
  size_t filled_ = 0;
  uint64_t total_ = 0;
};

}  // namespace

std::string sha256(std::string_view text) { return sha256(text, {}); }

std::string sha256(const Bytes& bytes) { return sha256("", bytes); }

std::string sha256(std::string_view text, const Bytes& bytes) {
  Digest digest;
  digest.add(text.data(), text.size());
  digest.add(bytes.data(), bytes.size());
  return digest.digits();
}

}  // namespace thimble
