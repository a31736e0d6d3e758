// SPDX-License-Identifier: Apache-2.0
// The generator that drew the golden data's inputs: xorshift32 (shifts 13, 17, 5), one draw per
// element. With the same seed the first input of a network gets the very bytes of `input.0`.
#include <bit>
#include <cstring>

#include "thimble/import/tensor_file.h"
#include "thimble/model/error.h"

namespace thimble {
namespace {

class Xorshift32 {
 public:
  /// Spread over the bits by Knuth's multiplier; the first draws of small seeds resemble each other
  /// and are dropped. State 0 would stay 0.
  explicit Xorshift32(uint64_t seed)
      : state_(static_cast<uint32_t>(seed * 2654435761U) ^ static_cast<uint32_t>(seed >> 32)) {
    if (state_ == 0) state_ = 1;
    for (int i = 0; i < 16; ++i) next();
  }

  uint32_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 17;
    state_ ^= state_ << 5;
    return state_;
  }

 private:
  uint32_t state_;
};

template <class T>
void put(T value, size_t index, Bytes& bytes) {
  std::memcpy(bytes.data() + index * sizeof(T), &value, sizeof(T));
}

void put_draw(DType type, uint32_t x, size_t i, Bytes& bytes) {
  switch (type) {
    case DType::kBool:
      return put(static_cast<uint8_t>(x >> 31), i, bytes);
    case DType::kInt8:
    case DType::kUInt8:
      return put(static_cast<uint8_t>(x >> 24), i, bytes);
    case DType::kInt16:
      // Not quite the full range: the golden data stay clear of saturation.
      return put(static_cast<int16_t>(static_cast<int32_t>((x >> 8) % 40001) - 20000), i, bytes);
    case DType::kInt32:
      return put(std::bit_cast<int32_t>(x) >> 3, i, bytes);
    case DType::kUInt32:
      return put(x >> 3, i, bytes);
    case DType::kUInt64:
      return put(uint64_t{x} << 13, i, bytes);
    case DType::kInt64:
      return put(static_cast<int64_t>((x >> 8) % 10), i, bytes);
    case DType::kFloat32:
      return put(static_cast<float>(x >> 8) * 0x1p-23F - 1.0F, i, bytes);
  }
  throw InternalError("unknown DType");
}

}  // namespace

Bytes random_bytes(DType type, int64_t count, uint64_t seed) {
  check(count >= 0, "random_bytes: a negative count");
  Bytes bytes(static_cast<size_t>(count * size_bytes(type)));
  Xorshift32 generator(seed);
  for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
    put_draw(type, generator.next(), i, bytes);
  }
  return bytes;
}

}  // namespace thimble
