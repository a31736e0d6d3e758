// SPDX-License-Identifier: Apache-2.0
// The image that a storage has before a program with brought constants runs: the file that a card
// is written with.
//
//   granules    records of the first constants that are read, with their checks, side by side
//   ...         of the next
//   32 bytes    ImageLabel, behind the last record: number, "THIMBLE", bytes of the image, SHA-256
//               of its records
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "thimble/program/program.h"
#include "thimble_runtime/transfers.h"

namespace thimble {

class StorageImage {
 public:
  /// All must outlive it. There is one.
  StorageImage(const Program& program, MemoryId memory);

  [[nodiscard]] const runtime::ImageLabel& label() const { return label_; }
  [[nodiscard]] int64_t label_address() const { return label_address_; }
  [[nodiscard]] int64_t size_bytes() const { return size_bytes_; }
  /// Hands out all bytes, in order.
  void write(const std::function<void(std::span<const uint8_t>)>& sink) const;

 private:
  /// Records of all constants as they lie there, but for what fills granules and their checks.
  void each_record(const std::function<void(int64_t address, Bytes record)>& visit) const;

  const Program& program_;
  const MemoryId memory_;
  int64_t label_address_ = 0, size_bytes_ = 0;
  runtime::ImageLabel label_{};
};

/// Nothing if no constants are brought from there.
[[nodiscard]] std::optional<StorageImage> storage_image(const Program& program, MemoryId memory);

}  // namespace thimble
