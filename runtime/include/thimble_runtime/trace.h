// SPDX-License-Identifier: Apache-2.0
// What firmware that is compiled with --trace writes of an inference, for `thimble diagnose`: its
// inputs, a checksum of each constant, of each tensor that lies whole in memory before a stage that
// reads it, and of what each call wrote.
#pragma once

#include <stddef.h>

#include "checksum.h"
#include "log_line.h"
#include "view.h"

namespace thimble::runtime {

/// Numbers of a tensor's elements, row-major: that at (n, y, x, c), as kernels count, is
/// base + n * stride[0] + y * stride[1] + x * stride[2] + c * stride[3].
struct ElementNumbers {
  int32_t stride[4];
  int32_t base;
  int32_t element_bytes;
};

template <class T>
uint32_t checksum_of(const View& view, const Region& region, const ElementNumbers& its) noexcept {
  uint32_t sum = 0;
  for (int32_t n = region.begin[0]; n < region.end[0]; ++n) {
    for (int32_t y = region.begin[1]; y < region.end[1]; ++y) {
      for (int32_t x = region.begin[2]; x < region.end[2]; ++x) {
        const T* const channels = pixel<T>(view, n, y, x);
        const int32_t first = its.base + n * its.stride[0] + y * its.stride[1] + x * its.stride[2];
        for (int32_t c = region.begin[3]; c < region.end[3]; ++c)
          sum += checksum_term(channels[c * view.stride[3]],
                               static_cast<uint32_t>(first + c * its.stride[3]));
      }
    }
  }
  return sum;
}

inline uint32_t checksum_of(const View& view, const Region& region,
                            const ElementNumbers& its) noexcept {
  for (int axis = 0; axis < 4; ++axis) {
    if (region.begin[axis] >= region.end[axis]) return 0;
  }
  switch (its.element_bytes) {
    case 1:
      return checksum_of<uint8_t>(view, region, its);
    case 2:
      return checksum_of<uint16_t>(view, region, its);
    case 4:
      return checksum_of<uint32_t>(view, region, its);
    default:
      return checksum_of<uint64_t>(view, region, its);
  }
}

struct TracedConstant {
  const void* data;
  uint32_t number;  ///< of the program's
  uint32_t bytes;
};

/// What one model tells. kMostWrites: the most tensors that a stage writes.
template <uint32_t kMostWrites>
class Trace {
 public:
  /// Hashes, 16 digits each, and how many stages there are.
  constexpr Trace(const char* model, const char* plan, int32_t stages) noexcept
      : model_(model), plan_(plan), stages_(stages) {}

  /// From the next inference on; null: no longer.
  void print_to(void (*print)(const char* line)) noexcept { next_print_ = print; }

  void begin() noexcept {
    print_ = next_print_;
    if (print_ == nullptr) return;
    line("trace").word(model_).word(plan_).number(static_cast<uint32_t>(stages_)).print(print_);
  }
  void end() noexcept {
    if (print_ != nullptr) line("end").print(print_);
  }
  /// Bytes of a port or a variable, from its byte `from` on.
  void bytes(const char* what, uint32_t number, uint32_t from, const void* data,
             int32_t count) noexcept {
    if (print_ == nullptr) return;
    const auto* at = static_cast<const uint8_t*>(data);
    for (; count > 0; count -= LogLine::kMostBytes) {
      const int32_t some = count < LogLine::kMostBytes ? count : LogLine::kMostBytes;
      line(what).number(number).hexadecimal(from, 8).bytes(at, some).print(print_);
      at += some;
      from += static_cast<uint32_t>(some);
    }
  }
  /// A checksum of each.
  template <size_t kCount>
  void constants(const TracedConstant (&all)[kCount]) noexcept {
    if (print_ == nullptr) return;
    for (const TracedConstant& constant : all) {
      const auto* at = static_cast<const uint8_t*>(constant.data);
      uint32_t sum = 0;
      for (uint32_t k = 0; k < constant.bytes; ++k) sum += checksum_term(at[k], k);
      line("constant").number(constant.number).hexadecimal(sum, 8).print(print_);
    }
  }

  void stage_begins(int32_t stage) noexcept {
    stage_ = static_cast<uint32_t>(stage);
    for (uint32_t& sum : sums_) sum = 0;
  }
  /// A tensor that lies whole in memory before the stage that has begun.
  void read(uint32_t number, const View& view, const Region& region,
            const ElementNumbers& its) noexcept {
    if (print_ == nullptr) return;
    const uint32_t sum = checksum_of(view, region, its);
    line("read").number(stage_).number(number).hexadecimal(sum, 8).print(print_);
  }
  /// A region that a call of the stage has written. further: added to the elements' numbers;
  /// elements of no bytes: sums, of which nothing is said.
  void wrote(int32_t number, const View& view, const Region& region, ElementNumbers its,
             int32_t further = 0) noexcept {
    if (print_ == nullptr || its.element_bytes == 0) return;
    its.base += further;
    sums_[static_cast<uint32_t>(number)] += checksum_of(view, region, its);
  }
  /// writes: so many tensors.
  void stage_ended(int32_t writes) noexcept {
    if (print_ == nullptr) return;
    for (uint32_t k = 0; k < static_cast<uint32_t>(writes); ++k)
      line("wrote").number(stage_).number(k).hexadecimal(sums_[k], 8).print(print_);
  }

 private:
  LogLine line(const char* what) const noexcept { return {plan_, what}; }

  const char* model_;
  const char* plan_;
  int32_t stages_;
  void (*next_print_)(const char* line) = nullptr;
  void (*print_)(const char* line) = nullptr;
  uint32_t stage_ = 0;
  uint32_t sums_[kMostWrites] = {};
};

}  // namespace thimble::runtime
