// SPDX-License-Identifier: Apache-2.0
// PAD and PADV2.
#include "thimble/export/tflite_ops.h"

namespace thimble {

FileOperator written(const Pad& op, const OpContext& c) {
  std::vector<int64_t> table;
  for (size_t axis = 0; axis < op.before.size(); ++axis) {
    table.insert(table.end(), {op.before[axis], op.after[axis]});
  }
  std::vector<ExtraConstant> extras = {
      integers("paddings", table, {static_cast<int64_t>(op.before.size()), 2})};
  const std::vector<int32_t>& zero = c.output().quantization.zero_points;
  if (op.value == (zero.empty() ? 0 : zero[0])) {
    return made(BuiltinOperator::PAD, c.version(), tflite::PadOptionsT(), std::move(extras));
  }
  ExtraConstant value{.name = "value", .shape = {1}, .type = c.input(0).type, .data = {}};
  for (int64_t i = 0; i < size_bytes(value.type); ++i) {
    value.data.push_back(static_cast<uint8_t>(int64_t{op.value} >> (8 * i)));
  }
  extras.push_back(std::move(value));
  return made(BuiltinOperator::PADV2, c.version(), tflite::PadV2OptionsT(), std::move(extras));
}

}  // namespace thimble
