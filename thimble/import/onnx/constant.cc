// SPDX-License-Identifier: Apache-2.0
#include "thimble/import/onnx/constant.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "thimble/import/expanded.h"
#include "thimble/import/file_limits.h"
#include "thimble/import/refusal.h"
#include "thimble/import/utf8.h"

namespace thimble::onnx {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kMostConstantBytes = int64_t{1} << 29;

// The elements of a tensor, as many as a network may have.
int64_t elements_of(const TensorRecord& tensor, const std::string& where) {
  int64_t count = 1;
  for (const int64_t extent : tensor.dims) {
    if (extent < 0) throw Damage(where, fmt::format("an extent of {}", extent));
    if (extent > 0 && count > kMaxTensorBytes / extent)
      throw ImportError(
          where, fmt::format("{} elements are more than is supported", to_string(tensor.dims)));
    count *= extent;
  }
  return count;
}

Bytes external_bytes(const External& external, int64_t size, const std::string& folder,
                     const std::string& where) {
  const std::string location(external.location);
  const fs::path path = fs::path(location).lexically_normal();
  if (folder.empty())
    throw ImportError(where, "its values lie in a file of their own, which is not there");
  if (location.empty() || path.is_absolute() || path.begin()->string() == "..")
    throw ImportError(where, fmt::format("its values lie in '{}': only files beside the model, or "
                                         "in folders there, are read",
                                         printable(location)));
  if (external.length && *external.length != static_cast<uint64_t>(size))
    throw Damage(where, fmt::format("its values have {} bytes in '{}', not {}", *external.length,
                                    printable(location), size));
  const fs::path file = fs::path(folder) / path;
  std::error_code none;
  const auto there = fs::is_regular_file(file, none) ? fs::file_size(file, none) : 0;
  if (there < external.offset || there - external.offset < static_cast<uint64_t>(size))
    throw ImportError(where, fmt::format("its values, {} bytes from {} on, are not in {}", size,
                                         external.offset, printable(file.string())));
  Bytes bytes(static_cast<size_t>(size));
  std::ifstream in(file, std::ios::binary);
  in.seekg(static_cast<std::streamoff>(external.offset));
  in.read(reinterpret_cast<char*>(bytes.data()), size);
  if (!in) throw ImportError(where, fmt::format("{} cannot be read", printable(file.string())));
  return bytes;
}

template <class Number>
Number number_at(std::span<const uint8_t> bytes, size_t k) {
  Number number;
  std::memcpy(&number, bytes.data() + k * sizeof number, sizeof number);
  return number;
}

// Calls `take` with a value of the type that `type` is.
template <class Take>
auto with_type(DType type, Take take) {
  switch (type) {
    case DType::kBool:
    case DType::kUInt8:
      return take(uint8_t{});
    case DType::kInt8:
      return take(int8_t{});
    case DType::kInt16:
      return take(int16_t{});
    case DType::kInt32:
      return take(int32_t{});
    case DType::kUInt32:
      return take(uint32_t{});
    case DType::kInt64:
      return take(int64_t{});
    case DType::kUInt64:
      return take(uint64_t{});
    case DType::kFloat32:
      return take(float{});
  }
  throw InternalError("unknown DType");
}

template <class To>
std::vector<To> numbers(const Constant& constant) {
  return with_type(constant.type, [&](auto of_type) {
    using Number = decltype(of_type);
    std::vector<To> result(static_cast<size_t>(constant.size()));
    for (size_t k = 0; k < result.size(); ++k)
      result[k] = static_cast<To>(number_at<Number>(*constant.data, k));
    return result;
  });
}

template <class From>
Constant made(Shape shape, const std::vector<From>& values, DType type) {
  Bytes bytes;
  with_type(type, [&](auto of_type) {
    bytes.resize(values.size() * sizeof of_type);
    for (size_t k = 0; k < values.size(); ++k) {
      const auto number = static_cast<decltype(of_type)>(values[k]);
      std::memcpy(bytes.data() + k * sizeof number, &number, sizeof number);
    }
  });
  return {.type = type,
          .shape = std::move(shape),
          .data = std::make_shared<const Bytes>(std::move(bytes))};
}

// In the type that type_of() says.
Bytes widened(ElementType type, std::span<const uint8_t> bytes, int64_t count) {
  Bytes result;
  const auto add = [&](float real) {
    const size_t at = result.size();
    result.resize(at + sizeof real);
    std::memcpy(result.data() + at, &real, sizeof real);
  };
  switch (type) {
    case ElementType::kFloat16:
      return from_float16(bytes);
    case ElementType::kBfloat16:
      for (size_t k = 0; k < bytes.size() / 2; ++k)
        add(std::bit_cast<float>(uint32_t{number_at<uint16_t>(bytes, k)} << 16));
      return result;
    case ElementType::kDouble:
      for (size_t k = 0; k < bytes.size() / sizeof(double); ++k)
        add(static_cast<float>(number_at<double>(bytes, k)));
      return result;
    case ElementType::kInt4:
      return from_int4(bytes, count);
    case ElementType::kUint4:
      for (int64_t k = 0; k < count; ++k)
        result.push_back(bytes[static_cast<size_t>(k / 2)] >> (k % 2 * 4) & 15);
      return result;
    case ElementType::kUint16:
      for (size_t k = 0; k < bytes.size(); k += 2)
        result.insert(result.end(), {bytes[k], bytes[k + 1], 0, 0});
      return result;
    default:
      return {bytes.begin(), bytes.end()};
  }
}

}  // namespace

std::optional<DType> type_of(ElementType type) {
  switch (type) {
    case ElementType::kFloat:
    case ElementType::kFloat16:
    case ElementType::kBfloat16:
    case ElementType::kDouble:
      return DType::kFloat32;
    case ElementType::kBool:
      return DType::kBool;
    case ElementType::kUint8:
    case ElementType::kUint4:
      return DType::kUInt8;
    case ElementType::kInt8:
    case ElementType::kInt4:
      return DType::kInt8;
    case ElementType::kInt16:
      return DType::kInt16;
    case ElementType::kUint16:
    case ElementType::kInt32:
      return DType::kInt32;
    case ElementType::kUint32:
      return DType::kUInt32;
    case ElementType::kInt64:
      return DType::kInt64;
    case ElementType::kUint64:
      return DType::kUInt64;
    default:
      return std::nullopt;
  }
}

bool holds(ElementType of_file, DType type) {
  constexpr int kByte = 8;
  return type_of(of_file) == type && element_bits(of_file) == kByte * size_bytes(type);
}

Constant constant_of(const TensorRecord& tensor, const std::string& folder,
                     const std::string& where) {
  const int64_t count = elements_of(tensor, where);
  const std::optional<DType> type = type_of(tensor.type);
  if (!type)
    throw ImportError(where, fmt::format("is of {}, which is not supported", name(tensor.type)));
  const int64_t size = (count * element_bits(tensor.type) + 7) / 8;
  if (size > kMostConstantBytes)
    throw ImportError(
        where, fmt::format("has {} bytes; up to {} are supported", size, kMostConstantBytes));
  Bytes outside;
  if (tensor.external) outside = external_bytes(*tensor.external, size, folder, where);
  const std::span<const uint8_t> bytes = tensor.external ? outside : tensor.bytes();
  if (std::ssize(bytes) != size)
    throw Damage(where, fmt::format("has {} bytes of values; {} of {} have {}", bytes.size(), count,
                                    name(tensor.type), size));
  return {.type = *type,
          .shape = tensor.dims,
          .data = std::make_shared<const Bytes>(widened(tensor.type, bytes, count))};
}

Constant constant_of(Shape shape, const std::vector<int64_t>& values, DType type) {
  return made(std::move(shape), values, type);
}

Constant constant_of(Shape shape, const std::vector<float>& values) {
  return made(std::move(shape), values, DType::kFloat32);
}

std::vector<int64_t> wholes(const Constant& constant) { return numbers<int64_t>(constant); }

std::vector<float> reals(const Constant& constant) { return numbers<float>(constant); }

Constant converted(const Constant& constant, DType type) {
  if (constant.type == type) return constant;
  if (type == DType::kBool) {
    std::vector<int64_t> truth;
    for (const float number : reals(constant)) truth.push_back(number != 0);
    return made(constant.shape, truth, type);
  }
  return constant.type == DType::kFloat32 && type != DType::kFloat32
             ? made(constant.shape, wholes(constant), type)
         : type == DType::kFloat32 ? made(constant.shape, reals(constant), type)
                                   : made(constant.shape, wholes(constant), type);
}

}  // namespace thimble::onnx
