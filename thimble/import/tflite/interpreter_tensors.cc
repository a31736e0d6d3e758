// SPDX-License-Identifier: Apache-2.0
#include "thimble/import/tflite/interpreter_tensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "thimble/import/refusal.h"

namespace thimble {
namespace {

constexpr int64_t kMostTensorBytes = int64_t{1} << 40;

struct Life {
  int64_t begin = 0, end = 0;
};

template <class Use>
void for_each(const TfliteFile& file, std::span<const int32_t> tensors, Use use) {
  for (const int32_t t : tensors) {
    if (t >= 0 && static_cast<size_t>(t) < file.tensor_count()) use(static_cast<size_t>(t));
  }
}

/// Per tensor; empty: nothing writes it.
std::vector<Life> lives_of(const TfliteFile& file) {
  std::vector<Life> lives(file.tensor_count());
  const auto count = static_cast<int64_t>(file.op_count());
  for_each(file, file.inputs(), [&](size_t t) { lives[t] = {0, 1}; });
  for (int64_t k = 0; k < count; ++k) {
    const tfl::OperatorRecord op = file.op(static_cast<size_t>(k));
    for_each(file, op.outputs, [&](size_t t) {
      if (lives[t].end == 0) lives[t].begin = k;
      lives[t].end = k + 1;
    });
    for_each(file, op.inputs, [&](size_t t) {
      if (lives[t].end > 0) lives[t].end = k + 1;
    });
  }
  for_each(file, file.outputs(), [&](size_t t) {
    if (lives[t].end > 0) lives[t].end = count;
  });
  return lives;
}

std::string place(const TfliteFile& file, size_t tensor) {
  return fmt::format("{}: tensor {}", file.where(), tensor);
}

int64_t element_count(const TfliteFile& file, size_t number) {
  int64_t count = 1;
  for (const int32_t extent : file.tensor(number).shape) {
    if (extent < 0 || (extent > 0 && count > kMostTensorBytes / extent))
      throw ImportError(place(file, number), "has no size that is known");
    count *= extent;
  }
  return count;
}

int64_t scratch_bytes(const TfliteFile& file, const tfl::OperatorRecord& op) {
  using Code = tfl::BuiltinOperator;
  if (op.outputs.empty() || op.inputs.empty() || !op.code) return 0;
  const bool transposed = op.code == Code::TRANSPOSE_CONV;
  if (!transposed && op.code != Code::MEAN && op.code != Code::SUM) return 0;
  const auto output = static_cast<size_t>(op.outputs[0]);
  if (output >= file.tensor_count()) return 0;
  const tfl::TensorType type = file.tensor(output).type;
  if (type != tfl::TensorType::INT8 && type != tfl::TensorType::INT16) return 0;
  return interpreter_scratch_bytes(transposed, element_bits(type) / 8, element_count(file, output));
}

std::string plan_of(const TfliteFile& file) {
  return fmt::format("{}: metadata '{}'", file.where(), kOfflinePlanName);
}

/// Buffers that an offline plan places must not meet. Those that are live at a time are apart, so
/// that a new one can only meet its neighbours.
void refuse_overlaps(const TfliteFile& file, const std::vector<int32_t>& offsets) {
  std::vector<InterpreterBuffer> placed;
  for (const InterpreterBuffer& buffer : interpreter_buffers(file)) {
    if (buffer.tensor >= 0 && offsets[static_cast<size_t>(buffer.tensor)] >= 0)
      placed.push_back(buffer);
  }
  std::ranges::sort(placed, {}, &InterpreterBuffer::begin);
  std::multimap<int64_t, const InterpreterBuffer*> ending;
  std::map<int64_t, const InterpreterBuffer*> live;  // by offset
  const auto offset = [&](const InterpreterBuffer& b) {
    return int64_t{offsets[static_cast<size_t>(b.tensor)]};
  };
  for (const InterpreterBuffer& buffer : placed) {
    while (!ending.empty() && ending.begin()->first <= buffer.begin) {
      live.erase(offset(*ending.begin()->second));
      ending.erase(ending.begin());
    }
    const auto above = live.lower_bound(offset(buffer));
    const InterpreterBuffer* met = nullptr;
    if (above != live.end() && above->first < offset(buffer) + buffer.size_bytes)
      met = above->second;
    if (above != live.begin()) {
      const auto below = std::prev(above);
      if (below->first + below->second->size_bytes > offset(buffer)) met = below->second;
    }
    if (met != nullptr) {
      throw ImportError(plan_of(file),
                        fmt::format("tensors {} and {} overlap, and both are needed by operator {}",
                                    met->tensor, buffer.tensor, buffer.begin));
    }
    live[offset(buffer)] = &buffer;
    ending.emplace(buffer.end, &buffer);
  }
}

}  // namespace

std::vector<InterpreterBuffer> interpreter_buffers(const TfliteFile& file) {
  const std::vector<Life> lives = lives_of(file);
  std::vector<InterpreterBuffer> buffers;
  const auto add = [&](int tensor, int64_t bytes, Life life) {
    if (bytes > 0 && life.begin < life.end)
      buffers.push_back({tensor, interpreter_aligned(bytes), life.begin, life.end});
  };
  for (size_t t = 0; t < lives.size(); ++t) {
    const tfl::TensorRecord tensor = file.tensor(t);
    if (tensor.is_variable || file.has_data(tensor.buffer) || lives[t].end == 0) continue;
    const int64_t bits = element_bits(tensor.type);
    if (bits == 0) continue;
    add(static_cast<int>(t), (element_count(file, t) * bits + 7) / 8, lives[t]);
  }
  for (size_t k = 0; k < file.op_count(); ++k) {
    const auto at = static_cast<int64_t>(k);
    add(-1, scratch_bytes(file, file.op(k)), {at, at + 1});
  }
  return buffers;
}

std::optional<std::vector<int32_t>> offline_offsets(const TfliteFile& file) {
  const std::vector<uint32_t> found = file.metadata_buffers(kOfflinePlanName);
  if (found.empty()) return std::nullopt;
  const std::string where = plan_of(file);
  if (found.size() > 1) throw ImportError(where, "stands there more than once");
  const std::span<const uint8_t> data = file.data(found[0], where);
  constexpr size_t kHead = 3;
  std::vector<int32_t> words(data.size() / sizeof(int32_t));
  std::memcpy(words.data(), data.data(), words.size() * sizeof(int32_t));
  if (words.size() < kHead || data.size() % sizeof(int32_t) != 0) {
    throw ImportError(where, fmt::format("has {} bytes; it wants whole numbers of 4: version, "
                                         "subgraph, count, and an offset per tensor",
                                         data.size()));
  }
  // The format's first writers called its version 0; the second number is of a subgraph, or how
  // many there are.
  if (words[0] < 0 || words[0] > 1)
    throw ImportError(where, fmt::format("has version {}; supported are 0 and 1", words[0]));
  if (words[1] < 0 || words[1] > 1)
    throw ImportError(where, fmt::format("is of subgraph {}; supported is 0", words[1]));
  size_t tensors = 0;
  for (size_t k = 0; k < file.subgraph_count(); ++k) tensors += file.subgraph(k).tensor_count();
  if (words[2] < 0 || static_cast<size_t>(words[2]) != tensors) {
    throw ImportError(where, fmt::format("is of {} tensors; the file has {}", words[2], tensors));
  }
  if (words.size() < kHead + tensors) {
    throw ImportError(where,
                      fmt::format("ends after {} of {} offsets", words.size() - kHead, tensors));
  }
  std::vector<int32_t> offsets(words.begin() + kHead,
                               words.begin() + static_cast<int64_t>(kHead + tensors));
  for (size_t t = 0; t < offsets.size(); ++t) {
    if (offsets[t] == -1 || (offsets[t] >= 0 && offsets[t] % kInterpreterAlignment == 0)) continue;
    throw ImportError(where, fmt::format("places tensor {} at {}; offsets are multiples of {}, or "
                                         "-1 where the interpreter is to choose",
                                         t, offsets[t], kInterpreterAlignment));
  }
  refuse_overlaps(file, offsets);
  return offsets;
}

}  // namespace thimble
