// SPDX-License-Identifier: Apache-2.0
#include "thimble/import/tflite/custom_options.h"

#include <flatbuffers/flexbuffers.h>
#include <fmt/format.h>

#include <limits>

namespace thimble {
namespace {

flexbuffers::Map map_of(const std::vector<uint8_t>& bytes) {
  return flexbuffers::GetRoot(bytes.data(), bytes.size()).AsMap();
}

flexbuffers::Reference value_at(const TfliteOp& op, const std::vector<uint8_t>& bytes,
                                const char* name) {
  const flexbuffers::Reference value = map_of(bytes)[name];
  if (value.IsNull()) op.damaged(fmt::format("it has no {}", name));
  return value;
}

}  // namespace

CustomOptions::CustomOptions(const TfliteOp& op)
    : op_(op), bytes_(op.custom_options.begin(), op.custom_options.end()) {
  std::vector<uint8_t> tracker;
  if (!flexbuffers::VerifyBuffer(bytes_.data(), bytes_.size(), &tracker) ||
      !flexbuffers::GetRoot(bytes_.data(), bytes_.size()).IsMap())
    op.damaged("its options are no FlexBuffer with a map");
}

int32_t CustomOptions::integer(const char* name) const {
  const flexbuffers::Reference value = value_at(op_, bytes_, name);
  if (!value.IsIntOrUint()) op_.damaged(fmt::format("its {} is no integer", name));
  const int64_t number = value.AsInt64();
  if (number < std::numeric_limits<int32_t>::min() || number > std::numeric_limits<int32_t>::max())
    op_.refuse(fmt::format("its {} is {}; supported are 32 bits", name, number));
  return static_cast<int32_t>(number);
}

int32_t CustomOptions::integer(const char* name, int64_t lowest, int64_t highest) const {
  const int32_t number = integer(name);
  if (number < lowest || number > highest) {
    op_.refuse(fmt::format("its {} is {}; supported are {} to {}", name, number, lowest, highest));
  }
  return number;
}

int32_t CustomOptions::integer_or(const char* name, int32_t absent, int64_t lowest,
                                  int64_t highest) const {
  return has(name) ? integer(name, lowest, highest) : absent;
}

float CustomOptions::real(const char* name) const {
  const flexbuffers::Reference value = value_at(op_, bytes_, name);
  if (!value.IsNumeric()) op_.damaged(fmt::format("its {} is no number", name));
  return value.AsFloat();
}

bool CustomOptions::boolean(const char* name) const {
  const flexbuffers::Reference value = value_at(op_, bytes_, name);
  if (!value.IsBool()) return integer(name, 0, 1) != 0;
  return value.AsBool();
}

bool CustomOptions::boolean_or(const char* name, bool absent) const {
  return has(name) ? boolean(name) : absent;
}

bool CustomOptions::has(const char* name) const { return !map_of(bytes_)[name].IsNull(); }

}  // namespace thimble
