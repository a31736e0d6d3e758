// SPDX-License-Identifier: Apache-2.0
#include "thimble/reference/elements.h"

#include "thimble/model/error.h"

namespace thimble::reference {
namespace {

template <class T>
std::vector<int32_t> widen(const Bytes& bytes) {
  const std::vector<T> narrow = elements_from<T>(bytes);
  return {narrow.begin(), narrow.end()};
}

template <class T>
Bytes narrow(const std::vector<int32_t>& values) {
  std::vector<T> result;
  result.reserve(values.size());
  for (int32_t value : values) result.push_back(static_cast<T>(value));
  return bytes_from(result);
}

template <class T>
IntegerRange limits() {
  return {std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
}

}  // namespace

std::vector<int32_t> integers_from(const Bytes& bytes, DType type) {
  switch (type) {
    case DType::kInt8:
      return widen<int8_t>(bytes);
    case DType::kBool:
    case DType::kUInt8:
      return widen<uint8_t>(bytes);
    case DType::kInt16:
      return widen<int16_t>(bytes);
    case DType::kInt32:
      return widen<int32_t>(bytes);
    case DType::kUInt32:
    case DType::kInt64:
    case DType::kUInt64:
    case DType::kFloat32:
      break;
  }
  throw InternalError("the reference interpreter was given a type that is not a quantised integer");
}

Bytes bytes_from_integers(const std::vector<int32_t>& values, DType type) {
  switch (type) {
    case DType::kInt8:
      return narrow<int8_t>(values);
    case DType::kBool:
    case DType::kUInt8:
      return narrow<uint8_t>(values);
    case DType::kInt16:
      return narrow<int16_t>(values);
    case DType::kInt32:
      return narrow<int32_t>(values);
    case DType::kUInt32:
    case DType::kInt64:
    case DType::kUInt64:
    case DType::kFloat32:
      break;
  }
  throw InternalError(
      "the reference interpreter was asked for a type that is not a quantised integer");
}

IntegerRange range_of(DType type) {
  switch (type) {
    case DType::kInt8:
      return limits<int8_t>();
    case DType::kUInt8:
      return limits<uint8_t>();
    case DType::kInt16:
      return limits<int16_t>();
    case DType::kInt32:
      return limits<int32_t>();
    case DType::kBool:
    case DType::kUInt32:
    case DType::kInt64:
    case DType::kUInt64:
    case DType::kFloat32:
      break;
  }
  throw InternalError("only quantised integers have a range");
}

Strides row_major_strides(const Shape& shape) {
  Strides strides(shape.size());
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= shape[i];
  }
  return strides;
}

Strides broadcast_strides(const Shape& from, const Shape& to) {
  check(from.size() <= to.size(), "an operand has more axes than the result of its broadcast");
  const size_t missing = to.size() - from.size();
  const Strides own = row_major_strides(from);
  Strides strides(to.size(), 0);
  for (size_t i = 0; i < from.size(); ++i) {
    check(from[i] == to[missing + i] || from[i] == 1,
          "an operand does not broadcast to the result");
    if (from[i] != 1) strides[missing + i] = own[i];
  }
  return strides;
}

std::vector<int64_t> offsets(const Shape& shape, const Strides& strides) {
  std::vector<int64_t> result{0};
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    std::vector<int64_t> finer;
    finer.reserve(result.size() * static_cast<size_t>(shape[axis]));
    for (int64_t base : result) {
      for (int64_t i = 0; i < shape[axis]; ++i) finer.push_back(base + i * strides[axis]);
    }
    result = std::move(finer);
  }
  return result;
}

Bytes permute(const Bytes& bytes, const Shape& shape, int64_t element_bytes,
              const std::vector<int>& permutation) {
  const Strides strides = row_major_strides(shape);
  Shape permuted_shape;
  Strides permuted_strides;
  for (int axis : permutation) {
    permuted_shape.push_back(shape.at(static_cast<size_t>(axis)));
    permuted_strides.push_back(strides.at(static_cast<size_t>(axis)) * element_bytes);
  }
  Bytes result;
  result.reserve(bytes.size());
  for (int64_t offset : offsets(permuted_shape, permuted_strides)) {
    const auto element = bytes.begin() + offset;
    result.insert(result.end(), element, element + element_bytes);
  }
  return result;
}

}  // namespace thimble::reference
