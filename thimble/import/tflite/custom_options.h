// SPDX-License-Identifier: Apache-2.0
// Options of custom operators, which are FlexBuffers.
#pragma once

#include <cstdint>
#include <vector>

#include "thimble/import/tflite/op.h"

namespace thimble {

/// A map of numbers. Throws CompileError for one that it does not have, or of another kind.
class CustomOptions {
 public:
  explicit CustomOptions(const TfliteOp& op);

  [[nodiscard]] int32_t integer(const char* name) const;
  [[nodiscard]] int32_t integer(const char* name, int64_t lowest, int64_t highest) const;
  [[nodiscard]] int32_t integer_or(const char* name, int32_t absent, int64_t lowest,
                                   int64_t highest) const;
  [[nodiscard]] float real(const char* name) const;
  /// Converters write it as an integer, too.
  [[nodiscard]] bool boolean(const char* name) const;
  [[nodiscard]] bool boolean_or(const char* name, bool absent) const;

 private:
  [[nodiscard]] bool has(const char* name) const;

  const TfliteOp& op_;
  std::vector<uint8_t> bytes_;
};

}  // namespace thimble
