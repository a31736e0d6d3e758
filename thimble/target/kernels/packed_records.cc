// SPDX-License-Identifier: Apache-2.0
#include "thimble/target/kernels/packed_records.h"

#include <algorithm>
#include <numeric>

#include "thimble/model/division.h"
#include "thimble/target/kernels/kernel_uses.h"

namespace thimble {

int64_t packed_channels(const Graph& graph, const Op& op) {
  const Shape& shape = graph.tensor(op.outputs[0]).shape;
  return shape.empty() ? 1 : shape.back();
}

std::vector<PackedSize> packed_sizes(const std::vector<PackedConstant>& constants) {
  std::vector<PackedSize> result;
  for (const PackedConstant& constant : constants)
    result.push_back({std::ssize(constant.data), constant.part_channels});
  return result;
}

int64_t record_grain(const std::vector<PackedSize>& sizes) {
  int64_t grain = 1;
  for (const PackedSize& size : sizes) {
    if (size.part_channels == 0) return 0;
    grain = std::lcm(grain, size.part_channels);
  }
  return sizes.empty() ? 0 : grain;
}

std::optional<RecordLayout> record_layout(const std::vector<PackedSize>& sizes,
                                          int64_t channels_of_record, int64_t channels) {
  if (sizes.empty() || channels_of_record < 1 || channels_of_record > channels) return std::nullopt;
  RecordLayout layout{
      .channels = channels_of_record, .count = ceil_div(channels, channels_of_record), .parts = {}};
  const int64_t grain = record_grain(sizes);
  if (layout.count > 1 && (grain == 0 || channels_of_record % grain != 0)) return std::nullopt;
  for (const PackedSize& size : sizes) {
    RecordLayout::Part part{.offset = layout.record_bytes, .bytes = size.bytes};
    if (layout.count > 1) {
      const int64_t parts = ceil_div(channels, size.part_channels);
      if (size.bytes % parts != 0) return std::nullopt;
      part.bytes = size.bytes / parts * (channels_of_record / size.part_channels);
      part.bytes_of_channels = part.bytes;
    }
    layout.parts.push_back(part);
    layout.record_bytes += ceil_div(part.bytes, kRecordAlignment) * kRecordAlignment;
  }
  layout.record_bytes += kRecordCheckBytes;
  return layout;
}

std::optional<RecordLayout> record_layout(const Graph& graph, const PackedRecords& records) {
  const Op& op = graph.op(records.op);
  return record_layout(packed_sizes(pack(graph, op, records.kernel)), records.channels,
                       packed_channels(graph, op));
}

Bytes record_bytes(const std::vector<const PackedConstant*>& constants, const RecordLayout& layout,
                   int64_t record) {
  Bytes result(static_cast<size_t>(layout.record_bytes - kRecordCheckBytes));
  for (size_t k = 0; k < constants.size(); ++k) {
    const RecordLayout::Part& part = layout.parts[k];
    const Bytes& data = constants[k]->data;
    const int64_t begin = record * part.bytes_of_channels;
    const int64_t end = std::min(begin + part.bytes, std::ssize(data));
    if (begin < end)
      std::copy(data.begin() + begin, data.begin() + end, result.begin() + part.offset);
  }
  return result;
}

}  // namespace thimble
