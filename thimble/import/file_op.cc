// SPDX-License-Identifier: Apache-2.0
#include "thimble/import/file_op.h"

#include <fmt/format.h>

#include <cstring>

#include "thimble/import/refusal.h"

namespace thimble {
namespace {

template <class T>
std::vector<int64_t> numbers_in(const Bytes& bytes) {
  std::vector<int64_t> result(bytes.size() / sizeof(T));
  for (size_t i = 0; i < result.size(); ++i) {
    T value;
    std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
    result[i] = value;
  }
  return result;
}

}  // namespace

std::string place_of(const std::string& file, const std::string& op, size_t number) {
  return fmt::format("{}: {} #{}", file, op, number);
}

void FileOp::refuse(const std::string& reason) const { throw ImportError(where, reason); }

void FileOp::damaged(const std::string& what) const { throw Damage(where, what); }

int axis_of(const FileOp& op, int64_t axis, size_t rank) {
  const auto end = static_cast<int64_t>(rank);
  if (axis < -end || axis >= end)
    op.damaged(fmt::format("axis {} of a tensor with {} axes", axis, rank));
  return static_cast<int>(axis < 0 ? axis + end : axis);
}

std::vector<int64_t> integers(const FileOp& op, size_t input, const char* what) {
  const Tensor& tensor = op.input(input);
  if (tensor.type != DType::kInt32 && tensor.type != DType::kInt64) {
    op.refuse(fmt::format("its {} are of type {}; supported are int32 and int64", what,
                          name(tensor.type)));
  }
  if (elements(tensor.shape) == 0) return {};
  if (!tensor.is_constant())
    op.refuse(fmt::format("its {} are computed at run time; supported are constants", what));
  return tensor.type == DType::kInt32 ? numbers_in<int32_t>(*tensor.data)
                                      : numbers_in<int64_t>(*tensor.data);
}

void refuse_shapes(const FileOp& op, const std::string& parameters) {
  op.damaged(fmt::format("an input of shape {} and an output of shape {} with {}",
                         to_string(op.input(0).shape), to_string(op.output().shape), parameters));
}

void expect_shape(const FileOp& op, const Shape& shape, const std::string& parameters) {
  if (shape != op.output().shape) refuse_shapes(op, parameters);
}

}  // namespace thimble
