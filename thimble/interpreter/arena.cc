// SPDX-License-Identifier: Apache-2.0
#include "thimble/interpreter/arena.h"

#include <algorithm>

#include "thimble/import/tflite/interpreter_tensors.h"
#include "thimble/interpreter/structures.h"
#include "thimble/layout/layout.h"
#include "thimble/model/graph.h"

namespace thimble {
namespace {

layout::Buffer laid_out(const InterpreterBuffer& buffer) {
  return {.size_bytes = buffer.size_bytes,
          .alignment = kInterpreterAlignment,
          .lives = {{buffer.begin, buffer.end}},
          .address = {}};
}

int64_t greedy_bytes(const std::vector<InterpreterBuffer>& buffers,
                     const std::vector<int32_t>* offsets) {
  layout::Problem problem;
  for (const InterpreterBuffer& buffer : buffers) {
    layout::Buffer& added = problem.buffers.emplace_back(laid_out(buffer));
    if (offsets == nullptr || buffer.tensor < 0) continue;
    const int32_t offset = (*offsets)[static_cast<size_t>(buffer.tensor)];
    if (offset >= 0) added.address = offset;
  }
  // greedy_by_size takes the first of equal ones, the interpreter the last.
  std::ranges::reverse(problem.buffers);
  return layout::greedy_by_size(problem).arena_bytes;
}

int64_t structures_bytes(const TfliteFile& file) {
  using Code = tfl::BuiltinOperator;
  int64_t bytes =
      kInterpreterBytes + kInterpreterBytesPerTensor * static_cast<int64_t>(file.tensor_count());
  for (size_t k = 0; k < file.op_count(); ++k) {
    const tfl::OperatorRecord op = file.op(k);
    const bool convolves = op.code == Code::CONV_2D || op.code == Code::DEPTHWISE_CONV_2D ||
                           op.code == Code::TRANSPOSE_CONV;
    int64_t channels = 0;
    if (convolves && !op.outputs.empty() &&
        static_cast<size_t>(op.outputs[0]) < file.tensor_count()) {
      const std::span<const int32_t> shape = file.tensor(static_cast<size_t>(op.outputs[0])).shape;
      if (!shape.empty()) channels = std::max(shape.back(), 0);
    }
    bytes += interpreter_operator_bytes(convolves || op.code == Code::FULLY_CONNECTED, channels);
  }
  return bytes;
}

/// The file, where scalars may be read.
class AlignedFile {
 public:
  AlignedFile(std::span<const uint8_t> bytes, const std::string& where)
      : copy_(is_aligned(bytes) ? Bytes() : Bytes(bytes.begin(), bytes.end())),
        file_(copy_.empty() ? bytes : std::span<const uint8_t>(copy_), where, false) {}

  [[nodiscard]] const TfliteFile& file() const { return file_; }

 private:
  static bool is_aligned(std::span<const uint8_t> bytes) {
    return reinterpret_cast<uintptr_t>(bytes.data()) % TfliteFile::kAlignment == 0;
  }
  Bytes copy_;
  TfliteFile file_;
};

}  // namespace

InterpreterArena interpreter_arena(std::span<const uint8_t> bytes, const std::string& where) {
  const AlignedFile aligned(bytes, where);
  const std::vector<InterpreterBuffer> buffers = interpreter_buffers(aligned.file());
  InterpreterArena result{.greedy_bytes = greedy_bytes(buffers, nullptr),
                          .offline_bytes = {},
                          .structures_bytes = structures_bytes(aligned.file())};
  if (const auto offsets = offline_offsets(aligned.file()))
    result.offline_bytes = greedy_bytes(buffers, &*offsets);
  return result;
}

std::vector<int32_t> offline_plan(std::span<const uint8_t> bytes, const std::string& where) {
  const AlignedFile aligned(bytes, where);
  const std::vector<InterpreterBuffer> buffers = interpreter_buffers(aligned.file());
  layout::Problem problem;
  for (const InterpreterBuffer& buffer : buffers) problem.buffers.push_back(laid_out(buffer));
  const layout::Solution solution = layout::exact(problem, {});
  std::vector<int32_t> offsets(aligned.file().tensor_count(), -1);
  for (size_t b = 0; b < buffers.size(); ++b) {
    if (buffers[b].tensor >= 0)
      offsets[static_cast<size_t>(buffers[b].tensor)] = static_cast<int32_t>(solution.addresses[b]);
  }
  return offsets;
}

}  // namespace thimble
