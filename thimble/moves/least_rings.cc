// SPDX-License-Identifier: Apache-2.0
#include "thimble/moves/least_rings.h"

#include <algorithm>

#include "thimble/analysis/beat.h"

namespace thimble {
namespace {

/// Positions of operand k that one position of the instance needs, at the most, along an axis that
/// both share; 1 where the operand does not follow.
int64_t window(const Dataflow& flow, InstanceId reader, size_t k, int axis) {
  const Instance& instance = flow.instances.instance(reader);
  const Connection* read = flow.connection({.instance = reader}, k, axis);
  if (read == nullptr || read->axis != axis) return 1;
  const auto at = static_cast<size_t>(axis);
  const int64_t extent = flow.shape(instance.reads[k])[at];
  int64_t most = 1;
  for (int64_t q = 0; q < flow.shape(instance.makes)[at]; ++q) {
    const int64_t begin = std::max<int64_t>(first_read(read->pace, q), 0);
    most = std::max(most, std::min(end_of_reads(read->pace, q + 1), extent) - begin);
  }
  return most;
}

LeastRing least_ring(const Dataflow& flow, ValueId value, int64_t size_bytes) {
  const Shape& shape = flow.shape(value);
  if (!is_image(shape) || shape[0] != 1 || size_bytes == 0) return {};
  int64_t rows = 1, columns = 1;
  for (const InstanceId reader : flow.readers[value.index()]) {
    const Instance& instance = flow.instances.instance(reader);
    const bool sums = instance.op.valid() && flow.axes.summed_axis(instance.op) == kRowAxis;
    if (sums || !is_image(flow.shape(instance.makes))) continue;  // a row, or a pixel, does
    for (size_t k = 0; k < instance.reads.size(); ++k) {
      if (instance.reads[k] != value) continue;
      rows = std::max(rows, window(flow, reader, k, kRowAxis));
      columns = std::max(columns, window(flow, reader, k, kColumnAxis));
    }
  }
  const int64_t width = shape[kColumnAxis];
  const int64_t pixel_bytes = size_bytes / (shape[kRowAxis] * width);
  return {rows * width * pixel_bytes, ((rows - 1) * width + columns) * pixel_bytes};
}

}  // namespace

std::vector<LeastRing> least_rings(const Dataflow& dataflow,
                                   const std::vector<int64_t>& size_bytes) {
  std::vector<LeastRing> result;
  for (size_t v = 0; v < dataflow.instances.values.size(); ++v)
    result.push_back(least_ring(dataflow, {static_cast<int32_t>(v)}, size_bytes[v]));
  return result;
}

bool follows_rows(const Dataflow& dataflow, InstanceId id) {
  const Instance& instance = dataflow.instances.instance(id);
  if (!is_image(dataflow.shape(instance.makes))) return false;
  if (instance.op.valid() && dataflow.axes.summed_axis(instance.op) == kColumnAxis) return false;
  for (size_t k = 0; k < instance.reads.size(); ++k) {
    if (dataflow.is_constant(instance.reads[k])) continue;
    const Connection* read = dataflow.connection({.instance = id}, k, kRowAxis);
    if (read != nullptr && read->axis != kRowAxis) return false;
  }
  return true;
}

}  // namespace thimble
