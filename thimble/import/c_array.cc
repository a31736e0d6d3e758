// SPDX-License-Identifier: Apache-2.0
#include "thimble/import/c_array.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstring>
#include <string_view>

#include "thimble/import/file_bytes.h"
#include "thimble/model/error.h"

namespace thimble {
namespace {

constexpr size_t kIdentifierAt = 4;
constexpr std::string_view kIdentifier = "TFL3";
constexpr size_t kBeginShown = 4096;  // by which text is told from other files

/// Tokens of C, comments and preprocessor lines left out: words, numbers, single characters.
class Tokens {
 public:
  explicit Tokens(std::string_view text) : text_(text) {}

  /// Empty at the end.
  std::string_view next() {
    skip();
    const size_t begin = at_;
    const auto is_word = [&] {
      return at_ < text_.size() &&
             (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_');
    };
    while (is_word()) ++at_;
    if (at_ == begin && at_ < text_.size()) ++at_;
    return text_.substr(begin, at_ - begin);
  }

 private:
  void skip() {
    for (;;) {
      while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
      const std::string_view rest = text_.substr(at_);
      if (rest.starts_with("/*")) {
        pass(rest.find("*/", 2), 2);
      } else if (rest.starts_with("//") || rest.starts_with("#")) {
        pass(rest.find('\n'), 1);
      } else if (rest.starts_with("\"")) {
        pass(rest.find('"', 1), 1);
      } else {
        return;
      }
    }
  }
  void pass(size_t end, size_t length) {
    at_ = end == std::string_view::npos ? text_.size() : at_ + end + length;
  }

  std::string_view text_;
  size_t at_ = 0;
};

/// Decimal, octal or hexadecimal, with C's suffixes; nothing if it is no integer.
std::optional<int64_t> integer(std::string_view token) {
  while (token.size() > 1 && std::string_view("uUlL").find(token.back()) != std::string_view::npos)
    token.remove_suffix(1);
  const bool hexadecimal = token.starts_with("0x") || token.starts_with("0X");
  if (hexadecimal) token.remove_prefix(2);
  const int base = hexadecimal ? 16 : token.size() > 1 && token.front() == '0' ? 8 : 10;
  int64_t value = 0;
  const char* const end = token.data() + token.size();
  const auto parsed = std::from_chars(token.data(), end, value, base);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return value;
}

bool is_model(const Bytes& bytes) {
  return bytes.size() >= kIdentifierAt + kIdentifier.size() &&
         std::memcmp(bytes.data() + kIdentifierAt, kIdentifier.data(), kIdentifier.size()) == 0;
}

bool is_text(std::span<const uint8_t> bytes) {
  const auto begin = bytes.first(std::min(bytes.size(), kBeginShown));
  return std::ranges::find(begin, 0) == begin.end();
}

/// What stands between the braces of one array.
struct Array {
  Bytes bytes;
  bool closed = false;
  std::string fault;  ///< what stands where a byte should
};

Array array_of(Tokens& tokens) {
  Array result;
  for (std::string_view token = tokens.next(); !token.empty(); token = tokens.next()) {
    if (token == "}") {
      result.closed = true;
      break;
    }
    if (token == ",") continue;
    const std::optional<int64_t> value = integer(token);
    if (!value || *value > UINT8_MAX) {
      result.fault = token.substr(0, 32);
      break;
    }
    result.bytes.push_back(static_cast<uint8_t>(*value));
  }
  return result;
}

}  // namespace

std::optional<Bytes> model_in_c_array(std::span<const uint8_t> text, const std::string& where) {
  if (!is_text(text)) return std::nullopt;
  Tokens tokens({reinterpret_cast<const char*>(text.data()), text.size()});
  std::string_view before;
  for (std::string_view token = tokens.next(); !token.empty(); token = tokens.next()) {
    if (token == "{" && before == "=") {
      Array array = array_of(tokens);
      if (is_model(array.bytes)) {
        const auto number = array.bytes.size();
        if (!array.fault.empty()) {
          throw CompileError(where, fmt::format("is a C array whose element {} is '{}', not a byte",
                                                number, array.fault));
        }
        if (!array.closed) {
          throw CompileError(where,
                             fmt::format("is a C array that is cut off behind {} bytes", number));
        }
        return std::move(array.bytes);
      }
    }
    before = token;
  }
  return std::nullopt;
}

Bytes read_model_file(const std::filesystem::path& file, int64_t limit_bytes) {
  Bytes bytes = read_file(file, limit_bytes);
  if (is_model(bytes)) return bytes;
  std::optional<Bytes> held = model_in_c_array(bytes, file.string());
  return held ? std::move(*held) : std::move(bytes);
}

}  // namespace thimble
