// SPDX-License-Identifier: Apache-2.0
#include "thimble/driver/input_difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "thimble/report/tensor_text.h"

namespace thimble {
namespace {

template <class T>
std::vector<double> numbers_of(const Bytes& bytes) {
  std::vector<double> values;
  for (size_t at = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
    T value;
    std::memcpy(&value, bytes.data() + at, sizeof(T));
    values.push_back(static_cast<double>(value));
  }
  return values;
}

std::vector<double> numbers(const Bytes& bytes, DType type) {
  switch (type) {
    case DType::kInt8:
      return numbers_of<int8_t>(bytes);
    case DType::kUInt8:
    case DType::kBool:
      return numbers_of<uint8_t>(bytes);
    case DType::kInt16:
      return numbers_of<int16_t>(bytes);
    case DType::kInt32:
      return numbers_of<int32_t>(bytes);
    case DType::kUInt32:
      return numbers_of<uint32_t>(bytes);
    case DType::kInt64:
      return numbers_of<int64_t>(bytes);
    case DType::kUInt64:
      return numbers_of<uint64_t>(bytes);
    case DType::kFloat32:
      return numbers_of<float>(bytes);
  }
  return {};
}

// Height, width and channels of an image, or of what is one in shape.
struct Extents {
  size_t height = 0, width = 0, channels = 0;
};
std::optional<Extents> image(const Shape& shape) {
  if (shape.size() != 4 || shape[0] != 1) return std::nullopt;
  return Extents{static_cast<size_t>(shape[1]), static_cast<size_t>(shape[2]),
                 static_cast<size_t>(shape[3])};
}

// given[to(y, x, c)] is wanted at (y, x, c), everywhere.
bool is_rearranged(const Extents& of, const std::vector<double>& wanted,
                   const std::vector<double>& given,
                   const std::function<size_t(size_t, size_t, size_t)>& to) {
  size_t at = 0;
  for (size_t y = 0; y < of.height; ++y) {
    for (size_t x = 0; x < of.width; ++x) {
      for (size_t c = 0; c < of.channels; ++c, ++at) {
        if (given[to(y, x, c)] != wanted[at]) return false;
      }
    }
  }
  return true;
}

std::string rearranged(const Extents& e, const std::vector<double>& wanted,
                       const std::vector<double>& given) {
  const auto place = [&](size_t y, size_t x, size_t c) {
    return (y * e.width + x) * e.channels + c;
  };
  struct Order {
    const char* phrase;
    bool possible;
    std::function<size_t(size_t, size_t, size_t)> to;
  };
  const std::array<Order, 6> orders = {{
      {"the channels are in reverse order (BGR for RGB, or the other way round)", e.channels > 1,
       [&](size_t y, size_t x, size_t c) { return place(y, x, e.channels - 1 - c); }},
      {"the channels lie one behind the other, each an image (CHW for HWC)", e.channels > 1,
       [&](size_t y, size_t x, size_t c) { return (c * e.height + y) * e.width + x; }},
      {"rows and columns are exchanged", e.height > 1 && e.width > 1,
       [&](size_t y, size_t x, size_t c) { return (x * e.height + y) * e.channels + c; }},
      {"it is upside down", e.height > 1,
       [&](size_t y, size_t x, size_t c) { return place(e.height - 1 - y, x, c); }},
      {"it is mirrored, left for right", e.width > 1,
       [&](size_t y, size_t x, size_t c) { return place(y, e.width - 1 - x, c); }},
      {"it is turned by 180 degrees", e.height > 1 && e.width > 1,
       [&](size_t y, size_t x, size_t c) { return place(e.height - 1 - y, e.width - 1 - x, c); }},
  }};
  for (const Order& order : orders) {
    if (order.possible && is_rearranged(e, wanted, given, order.to)) return order.phrase;
  }
  return "";
}

// The number by which all values are off, if it is one for all, in the type's own arithmetic.
std::optional<int64_t> offset(const std::vector<double>& wanted, const std::vector<double>& given,
                              int64_t modulus) {
  std::optional<int64_t> all;
  for (size_t k = 0; k < wanted.size(); ++k) {
    auto off = static_cast<int64_t>(given[k] - wanted[k]) % modulus;
    if (off < 0) off += modulus;
    if (all && *all != off) return std::nullopt;
    all = off;
  }
  return all;
}

// given = a * wanted + b, as well as rounding and saturation let it be.
std::string scaled(const std::vector<double>& wanted, const std::vector<double>& given) {
  const auto n = static_cast<double>(wanted.size());
  double x = 0, y = 0, xx = 0, xy = 0, yy = 0;
  for (size_t k = 0; k < wanted.size(); ++k) {
    x += wanted[k], y += given[k];
    xx += wanted[k] * wanted[k], xy += wanted[k] * given[k], yy += given[k] * given[k];
  }
  const double of_x = xx - x * x / n, of_y = yy - y * y / n, both = xy - x * y / n;
  if (of_x <= 0 || of_y <= 0) return "";
  const double a = both / of_x, b = (y - a * x) / n;
  const double correlation = both / std::sqrt(of_x * of_y);
  if (std::abs(correlation) < 0.98) return "";
  if (std::abs(a - 1) < 0.01 && std::abs(b) < 0.5) return "";
  return fmt::format("it is about {:.3g} times the file's {} {:.3g}: another scale or zero point",
                     a, b < 0 ? '-' : '+', std::abs(b));
}

}  // namespace

std::string input_difference(const Tensor& tensor, const Bytes& wanted, const Bytes& given) {
  const std::vector<double> x = numbers(wanted, tensor.type), y = numbers(given, tensor.type);
  if (std::set<double>(y.begin(), y.end()).size() == 1)
    return fmt::format("all its values are {}: nothing was written there",
                       element_text(given, tensor.type, 0));
  if (tensor.type == DType::kInt8 || tensor.type == DType::kUInt8) {
    const std::optional<int64_t> off = offset(x, y, 256);
    if (off == 128)
      return "each value is 128 off: pixels of 0 to 255 where the model takes -128 to 127, or the "
             "other way round";
    if (off)
      return fmt::format("each value is {} more than the file's, modulo 256: another zero point",
                         *off);
  }
  if (const std::optional<Extents> extents = image(tensor.shape)) {
    if (std::string text = rearranged(*extents, x, y); !text.empty()) return text;
  }
  if (std::string text = scaled(x, y); !text.empty()) return text;
  return first_difference(wanted, given, tensor.type, tensor.shape);
}

}  // namespace thimble
