// SPDX-License-Identifier: Apache-2.0
// .npy (NumPy's format, versions 1 to 3): a magic number, a Python literal as header, raw data.
//   \x93NUMPY 1 0, length, {'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), }
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "thimble/import/checked_size.h"
#include "thimble/import/file_bytes.h"
#include "thimble/import/file_limits.h"
#include "thimble/import/tensor_file.h"
#include "thimble/model/error.h"

namespace thimble {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
/// Magic, version and header together are a multiple of this.
constexpr size_t kHeaderAlignment = 64;

struct TypeName {
  DType type;
  std::string_view name;  ///< without the byte order
};
constexpr TypeName kTypeNames[] = {
    {DType::kBool, "b1"},  {DType::kInt8, "i1"},   {DType::kUInt8, "u1"},
    {DType::kInt16, "i2"}, {DType::kInt32, "i4"},  {DType::kUInt32, "u4"},
    {DType::kInt64, "i8"}, {DType::kUInt64, "u8"}, {DType::kFloat32, "f4"},
};

/// Reads the header's literal: a dictionary of strings, booleans and tuples of numbers.
class Literal {
 public:
  Literal(std::string_view text, const std::string& where) : text_(text), where_(where) {}

  void expect(char c) {
    if (!accept(c)) fail();
  }
  bool accept(char c) {
    skip_spaces();
    if (text_.empty() || text_.front() != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  std::string_view string() {
    skip_spaces();
    const char quote = text_.empty() ? '\0' : text_.front();
    if (quote != '\'' && quote != '"') fail();
    const size_t end = text_.find(quote, 1);
    if (end == std::string_view::npos) fail();
    const std::string_view result = text_.substr(1, end - 1);
    text_.remove_prefix(end + 1);
    return result;
  }
  bool boolean() {
    skip_spaces();
    const bool value = text_.starts_with("True");
    if (!value && !text_.starts_with("False")) fail();
    text_.remove_prefix(value ? 4 : 5);
    return value;
  }
  int64_t number() {
    skip_spaces();
    size_t digits = 0;
    int64_t value = 0;
    for (; digits < text_.size() && text_[digits] >= '0' && text_[digits] <= '9'; ++digits) {
      value = value * 10 + (text_[digits] - '0');
      if (value > kMaxFileBytes) fail();
    }
    if (digits == 0) fail();
    text_.remove_prefix(digits);
    return value;
  }
  Shape tuple() {
    Shape result;
    expect('(');
    while (!accept(')')) {
      result.push_back(number());
      if (!accept(',')) {
        expect(')');
        break;
      }
      if (result.size() > kMaxRank) fail();
    }
    return result;
  }
  [[noreturn]] void fail() const {
    throw CompileError(where_, "is damaged: its header cannot be read");
  }

 private:
  void skip_spaces() {
    const size_t start = text_.find_first_not_of(" \t\n");
    text_.remove_prefix(start == std::string_view::npos ? text_.size() : start);
  }

  std::string_view text_;
  const std::string& where_;
};

struct Header {
  std::optional<DType> type;
  std::optional<Shape> shape;
};

DType type_of(std::string_view descr, const std::string& where) {
  // '<' little-endian, '|' no byte order.
  const bool order = !descr.empty() && (descr[0] == '<' || descr[0] == '|');
  for (const TypeName& known : kTypeNames) {
    if (order && descr.substr(1) == known.name) return known.type;
  }
  throw CompileError(where,
                     fmt::format("type '{}' is not supported; supported are little-endian b1, "
                                 "i1, u1, i2, i4, u4, i8, u8 and f4",
                                 descr));
}

Header parse_header(std::string_view text, const std::string& where) {
  Literal literal(text, where);
  Header header;
  literal.expect('{');
  while (!literal.accept('}')) {
    const std::string_view key = literal.string();
    literal.expect(':');
    if (key == "descr") {
      header.type = type_of(literal.string(), where);
    } else if (key == "fortran_order") {
      if (literal.boolean()) {
        throw CompileError(where,
                           "Fortran order is not supported; supported is C order "
                           "(numpy.ascontiguousarray)");
      }
    } else if (key == "shape") {
      header.shape = literal.tuple();
    } else {
      literal.fail();
    }
    if (!literal.accept(',')) {
      literal.expect('}');
      break;
    }
  }
  if (!header.type || !header.shape) literal.fail();
  return header;
}

struct Layout {
  size_t header_begin = 0, header_bytes = 0;
};

Layout read_prefix(const Bytes& bytes, const std::string& where) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (!text.starts_with(kMagic)) {
    throw CompileError(where, "is not a .npy file: it does not begin with \\x93NUMPY");
  }
  if (bytes.size() < kMagic.size() + 6) throw CompileError(where, "is truncated");
  const uint8_t version = bytes[kMagic.size()];
  if (version < 1 || version > 3) {
    throw CompileError(where,
                       fmt::format("version {} is not supported; supported are 1 to 3", version));
  }
  const size_t length_bytes = version == 1 ? 2 : 4;
  Layout layout{.header_begin = kMagic.size() + 2 + length_bytes};
  for (size_t i = 0; i < length_bytes; ++i) {
    layout.header_bytes |= size_t{bytes[kMagic.size() + 2 + i]} << (8 * i);
  }
  if (layout.header_bytes > bytes.size() - layout.header_begin) {
    throw CompileError(where, "is truncated: the header is longer than the file");
  }
  return layout;
}

}  // namespace

NamedTensor read_npy(const std::filesystem::path& file) {
  return npy_tensor(read_file(file, kMaxFileBytes), file.string());
}

NamedTensor npy_tensor(const Bytes& bytes, const std::string& where) {
  const Layout layout = read_prefix(bytes, where);
  const auto header_begin = bytes.begin() + static_cast<std::ptrdiff_t>(layout.header_begin);
  const auto data = header_begin + static_cast<std::ptrdiff_t>(layout.header_bytes);
  const Header header = parse_header(std::string(header_begin, data), where);
  const auto wanted = checked_size_bytes(*header.shape, *header.type, kMaxFileBytes);
  if (bytes.end() - data != wanted) {
    throw CompileError(
        where, fmt::format("is truncated or damaged: {} bytes of data for shape {} of {}",
                           bytes.end() - data, to_string(*header.shape), name(*header.type)));
  }
  return {.type = *header.type, .shape = *header.shape, .data = {data, bytes.end()}};
}

void write_npy(const std::filesystem::path& file, const NamedTensor& tensor) {
  check(
      static_cast<int64_t>(tensor.data.size()) == elements(tensor.shape) * size_bytes(tensor.type),
      "write_npy: the data do not have the size of the shape");
  const auto* known = std::ranges::find(kTypeNames, tensor.type, &TypeName::type);
  check(known != std::end(kTypeNames), "unknown DType");
  std::string header =
      fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': ({}{}), }}",
                  size_bytes(tensor.type) == 1 ? '|' : '<', known->name,
                  fmt::join(tensor.shape, ", "), tensor.shape.size() == 1 ? "," : "");
  const size_t before = kMagic.size() + 4;
  const size_t total =
      (before + header.size() + 1 + kHeaderAlignment - 1) / kHeaderAlignment * kHeaderAlignment;
  header.resize(total - before - 1, ' ');
  header += '\n';
  std::string prefix(kMagic);
  prefix += {'\x01', '\x00', static_cast<char>(header.size() & 0xFF),
             static_cast<char>(header.size() >> 8)};
  const std::string_view pieces[] = {
      prefix, header, {reinterpret_cast<const char*>(tensor.data.data()), tensor.data.size()}};
  write_file(file, pieces);
}

}  // namespace thimble
