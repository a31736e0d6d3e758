// SPDX-License-Identifier: Apache-2.0
// Operators that are not supported: of all that may be wrong with a model, what its owner has to
// know first.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "thimble/import/refusal.h"

namespace thimble {

class UnsupportedOps {
 public:
  void add(const std::string& name, size_t number);
  [[nodiscard]] bool empty() const { return by_name_.empty(); }
  /// The name of the first; there is one.
  [[nodiscard]] const std::string& first() const { return by_name_.front().first; }
  /// Names all of them, among `all` operators of the file `where`.
  [[noreturn]] void refuse(const std::string& where, size_t all, Help help) const;

 private:
  [[nodiscard]] std::string listed() const;

  std::vector<std::pair<std::string, std::vector<size_t>>> by_name_;
  size_t count_ = 0;
};

}  // namespace thimble
