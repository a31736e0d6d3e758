// SPDX-License-Identifier: Apache-2.0
#include "thimble/report/tensor_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "thimble/model/error.h"

namespace thimble {
namespace {

template <class T>
T load(const Bytes& bytes, int64_t index) {
  T value;
  std::memcpy(&value, bytes.data() + static_cast<size_t>(index) * sizeof(T), sizeof(T));
  return value;
}

double as_double(const Bytes& bytes, DType type, int64_t index) {
  switch (type) {
    case DType::kBool:
    case DType::kUInt8:
      return load<uint8_t>(bytes, index);
    case DType::kInt8:
      return load<int8_t>(bytes, index);
    case DType::kInt16:
      return load<int16_t>(bytes, index);
    case DType::kInt32:
      return load<int32_t>(bytes, index);
    case DType::kUInt32:
      return load<uint32_t>(bytes, index);
    case DType::kInt64:
      return static_cast<double>(load<int64_t>(bytes, index));
    case DType::kUInt64:
      return static_cast<double>(load<uint64_t>(bytes, index));
    case DType::kFloat32:
      return static_cast<double>(load<float>(bytes, index));
  }
  throw InternalError("unknown DType");
}

std::string coordinates(int64_t index, const Shape& shape) {
  std::vector<int64_t> at(shape.size());
  for (size_t axis = shape.size(); axis-- > 0;) {
    at[axis] = index % shape[axis];
    index /= shape[axis];
  }
  return fmt::format("[{}]", fmt::join(at, ","));
}

// What is no number has no sign, and no other bits that count.
bool is_same_element(const Bytes& expected, const Bytes& actual, DType type, int64_t index,
                     double tolerance) {
  const auto size = static_cast<size_t>(size_bytes(type));
  const size_t at = static_cast<size_t>(index) * size;
  if (std::memcmp(&expected[at], &actual[at], size) == 0) return true;
  if (type != DType::kFloat32) return false;
  const double want = as_double(expected, type, index), got = as_double(actual, type, index);
  if (std::isnan(want) || std::isnan(got)) return std::isnan(want) && std::isnan(got);
  return tolerance > 0 && std::isfinite(want) && std::abs(want - got) <= tolerance * std::abs(want);
}

/// The element with all its digits.
std::string exact_text(const Bytes& bytes, DType type, int64_t index) {
  return type == DType::kFloat32 ? fmt::format("{}", load<float>(bytes, index))
                                 : element_text(bytes, type, index);
}

}  // namespace

std::string display_name(const std::string& name) {
  constexpr size_t kHead = 44, kTail = 24;
  const auto continues = [&](size_t at) { return (static_cast<uint8_t>(name[at]) & 0xC0) == 0x80; };
  std::string shown = name;
  if (name.size() > kHead + kTail + 3) {
    size_t head = kHead, tail = name.size() - kTail;  // not within a character of UTF-8
    while (head > 0 && continues(head)) --head;
    while (tail < name.size() && continues(tail)) ++tail;
    shown = name.substr(0, head) + "..." + name.substr(tail);
  }
  std::string text;
  for (char c : shown) {
    const auto code = static_cast<uint8_t>(c);
    text += code < 0x20 || code == 0x7F ? fmt::format("\\x{:02x}", code) : std::string(1, c);
  }
  return text;
}

std::string element_text(const Bytes& bytes, DType type, int64_t index) {
  return type == DType::kFloat32 ? fmt::format("{:.6g}", load<float>(bytes, index))
                                 : fmt::format("{:.0f}", as_double(bytes, type, index));
}

std::string first_difference(const Bytes& expected, const Bytes& actual, DType type,
                             const Shape& shape, double tolerance) {
  if (expected.size() != actual.size())
    return fmt::format("expected {} bytes, got {}", expected.size(), actual.size());
  if (expected == actual) return "";
  const int64_t elements = static_cast<int64_t>(expected.size()) / size_bytes(type);
  int64_t first = -1, count = 0;
  for (int64_t k = 0; k < elements; ++k) {
    if (is_same_element(expected, actual, type, k, tolerance)) continue;
    if (first < 0) first = k;
    ++count;
  }
  if (count == 0) return "";
  return fmt::format("element {} (number {}): expected {}, got {}; {} of {} differ",
                     coordinates(first, shape), first, exact_text(expected, type, first),
                     exact_text(actual, type, first), count, elements);
}

void add_deviation(Deviation& total, const Bytes& expected, const Bytes& actual, DType type) {
  const int64_t count = static_cast<int64_t>(expected.size()) / size_bytes(type);
  for (int64_t k = 0; k < count; ++k) {
    const double by = std::abs(as_double(expected, type, k) - as_double(actual, type, k));
    total.most = std::max(total.most, by);
    total.sum += by;
  }
  total.elements += count;
}

std::string values_text(const Bytes& bytes, DType type) {
  constexpr int64_t kShown = 12;
  const int64_t count = static_cast<int64_t>(bytes.size()) / size_bytes(type);
  std::string text;
  int64_t largest = 0;
  for (int64_t k = 0; k < count; ++k) {
    if (k < kShown) text += (k == 0 ? "" : " ") + element_text(bytes, type, k);
    if (as_double(bytes, type, k) > as_double(bytes, type, largest)) largest = k;
  }
  if (count > kShown) text += fmt::format(" ... ({} values)", count);
  return count > 1 ? text + fmt::format("; largest: number {}", largest) : text;
}

}  // namespace thimble
