// SPDX-License-Identifier: Apache-2.0
// Bytes that copies share until one of them is written to: weights are packed, lowered and emitted
// without being there twice.
#pragma once

#include <memory>
#include <utility>

#include "thimble/model/graph.h"

namespace thimble {

class SharedBytes {
 public:
  SharedBytes() = default;
  SharedBytes(Bytes bytes) : bytes_(std::make_shared<Bytes>(std::move(bytes))) {}  // most are that
  /// Those of a tensor, which are never written to through this.
  explicit SharedBytes(const std::shared_ptr<const Bytes>& bytes)
      : bytes_(std::const_pointer_cast<Bytes>(bytes)), foreign_(true) {}

  [[nodiscard]] const Bytes& bytes() const { return bytes_ == nullptr ? kEmpty : *bytes_; }
  operator const Bytes&() const { return bytes(); }
  /// To be written to: a copy of its own, if others share them.
  [[nodiscard]] Bytes& own() {
    if (bytes_ == nullptr || foreign_ || bytes_.use_count() > 1)
      bytes_ = std::make_shared<Bytes>(bytes());
    foreign_ = false;
    return *bytes_;
  }

  [[nodiscard]] size_t size() const { return bytes().size(); }
  [[nodiscard]] bool empty() const { return bytes().empty(); }
  [[nodiscard]] const uint8_t* data() const { return bytes().data(); }
  [[nodiscard]] uint8_t operator[](size_t at) const { return bytes()[at]; }
  [[nodiscard]] auto begin() const { return bytes().begin(); }
  [[nodiscard]] auto end() const { return bytes().end(); }
  bool operator==(const SharedBytes& other) const {
    return bytes_ == other.bytes_ || bytes() == other.bytes();
  }

 private:
  static inline const Bytes kEmpty;
  std::shared_ptr<Bytes> bytes_;
  bool foreign_ = false;
};

}  // namespace thimble
