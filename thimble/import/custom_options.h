// SPDX-License-Identifier: Apache-2.0
// Options of custom operators, which are FlexBuffers.
#pragma once

#include <flatbuffers/flexbuffers.h>
#include <fmt/format.h>

#include <limits>
#include <string>
#include <vector>

#include "thimble/import/tflite_parts.h"

namespace thimble {

[[noreturn]] inline void refuse_custom(const FileOp& op, const std::string& what) {
  throw CompileError(op.where, what);
}

/// A map of numbers.
class CustomOptions {
 public:
  explicit CustomOptions(const FileOp& op) : op_(op) {
    const auto* given = op.op.custom_options();
    if (given != nullptr) bytes_.assign(given->begin(), given->end());
    if (!flexbuffers::VerifyBuffer(bytes_.data(), bytes_.size(), &tracker_) ||
        !flexbuffers::GetRoot(bytes_.data(), bytes_.size()).IsMap())
      refuse_custom(op, "is damaged: its options are no FlexBuffer with a map");
  }

  [[nodiscard]] int32_t integer(const char* name) const {
    const flexbuffers::Reference value = at(name);
    if (!value.IsIntOrUint())
      refuse_custom(op_, fmt::format("is damaged: its {} is no integer", name));
    const int64_t number = value.AsInt64();
    if (number < std::numeric_limits<int32_t>::min() ||
        number > std::numeric_limits<int32_t>::max())
      refuse_custom(op_, fmt::format("its {} is {}; supported are 32 bits", name, number));
    return static_cast<int32_t>(number);
  }

  [[nodiscard]] int32_t integer(const char* name, int64_t lowest, int64_t highest) const {
    const int32_t number = integer(name);
    if (number < lowest || number > highest)
      refuse_custom(
          op_, fmt::format("its {} is {}; supported are {} to {}", name, number, lowest, highest));
    return number;
  }

  [[nodiscard]] int32_t integer_or(const char* name, int32_t absent, int64_t lowest,
                                   int64_t highest) const {
    return has(name) ? integer(name, lowest, highest) : absent;
  }

  [[nodiscard]] float real(const char* name) const {
    const flexbuffers::Reference value = at(name);
    if (!value.IsNumeric())
      refuse_custom(op_, fmt::format("is damaged: its {} is no number", name));
    return value.AsFloat();
  }

  /// Converters write it as an integer, too.
  [[nodiscard]] bool boolean(const char* name) const {
    const flexbuffers::Reference value = at(name);
    if (!value.IsBool()) return integer(name, 0, 1) != 0;
    return value.AsBool();
  }
  [[nodiscard]] bool boolean_or(const char* name, bool absent) const {
    return has(name) ? boolean(name) : absent;
  }

 private:
  [[nodiscard]] bool has(const char* name) const {
    return !flexbuffers::GetRoot(bytes_.data(), bytes_.size()).AsMap()[name].IsNull();
  }
  [[nodiscard]] flexbuffers::Reference at(const char* name) const {
    const flexbuffers::Map map = flexbuffers::GetRoot(bytes_.data(), bytes_.size()).AsMap();
    const flexbuffers::Reference value = map[name];
    if (value.IsNull()) refuse_custom(op_, fmt::format("is damaged: it has no {}", name));
    return value;
  }

  const FileOp& op_;
  std::vector<uint8_t> bytes_;
  std::vector<uint8_t> tracker_;
};

}  // namespace thimble
