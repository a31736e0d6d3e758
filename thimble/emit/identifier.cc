// SPDX-License-Identifier: Apache-2.0
#include "thimble/emit/identifier.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "thimble/emit/reserved_names.h"
#include "thimble/import/sha256.h"
#include "thimble/import/utf8.h"

namespace thimble {
namespace {

constexpr size_t kLongest = 60;  // with "_weights.cc" behind it, within what any file system takes
constexpr size_t kDigits = 8;    // of the hash of what was cut

// Letters of a block of Unicode in ASCII, a word each; "-" has none.
struct Script {
  uint32_t first;
  std::string_view letters;
};
constexpr Script kScripts[] = {
    {0xC0,
     "a a a a ae a ae c e e e e i i i i d n o o o o oe - o u u u ue y th ss "
     "a a a a ae a ae c e e e e i i i i d n o o o o oe - o u u u ue y th y "},
    {0x100,
     "a a a a a a c c c c c c c c d d d d e e e e e e e e e e g g g g g g g g h h h h i i i i i i "
     "i "
     "i i i ij ij j j k k k l l l l l l l l l l n n n n n n n n n o o o o o o oe oe r r r r r r s "
     "s "
     "s s s s s s t t t t t t u u u u u u u u u u u u w w y y y z z z z z z s "},
    {0x391,
     "a b g d e z i th i k l m n x o p r - s t y f ch ps o i y a e i i y "
     "a b g d e z i th i k l m n x o p r s s t y f ch ps o "},
    {0x410,
     "a b v g d e zh z i y k l m n o p r s t u f kh ts ch sh shch j y j e yu ya "
     "a b v g d e zh z i y k l m n o p r s t u f kh ts ch sh shch j y j e yu ya "},
};

// Empty if there is none.
std::string_view in_ascii(uint32_t code_point) {
  for (const Script& script : kScripts) {
    if (code_point < script.first) continue;
    std::string_view rest = script.letters;
    for (uint32_t k = script.first; k < code_point && !rest.empty(); ++k)
      rest.remove_prefix(rest.find(' ') + 1);
    if (rest.empty()) continue;
    const std::string_view letters = rest.substr(0, rest.find(' '));
    return letters == "-" ? "" : letters;
  }
  return "";
}

// A word in place of what stands there; empty for what separates words.
std::string word_of(const CodePoint& point) {
  if (!point.valid) return fmt::format("x{:02x}", point.value);
  if (point.value < 0x80) {
    const auto c = static_cast<unsigned char>(point.value);
    return std::isalnum(c) != 0 ? std::string(1, static_cast<char>(std::tolower(c))) : "";
  }
  const std::string_view letters = in_ascii(point.value);
  return letters.empty() ? fmt::format("u{:04x}", point.value) : std::string(letters);
}

std::string words_of(std::string_view text) {
  std::string result;
  bool separate = false;
  while (!text.empty()) {
    const CodePoint point = first_code_point(text);
    text.remove_prefix(point.size_bytes);
    const std::string word = word_of(point);
    // Letters of other scripts are words of their own: "u6a21_u578b".
    const bool alone = !point.valid || (point.value >= 0x80 && in_ascii(point.value).empty());
    if ((separate || alone) && !result.empty() && !word.empty() && result.back() != '_')
      result += '_';
    result += word;
    separate = word.empty() || alone;
  }
  return result;
}

}  // namespace

std::string identifier(const std::string& text) {
  std::string result = words_of(text);
  if (result.empty()) return "model";
  if (std::isdigit(static_cast<unsigned char>(result[0])) != 0) result = "model_" + result;
  if (result.size() > kLongest) {
    result.resize(kLongest - kDigits - 1);
    while (result.back() == '_') result.pop_back();
    result += "_" + sha256(text).substr(0, kDigits);
  }
  // Names of a model's other files: "a_weights" would be one of model "a".
  const bool of_another =
      result.ends_with("_weights") || result.ends_with("_example") || result.ends_with("_labels");
  return of_another || is_reserved(result) ? result + "_model" : result;
}

std::string pascal(const std::string& snake) {
  const auto is_digit = [&](size_t at) {
    return at < snake.size() && std::isdigit(static_cast<unsigned char>(snake[at])) != 0;
  };
  std::string result;
  bool upper = true;
  for (size_t at = 0; at < snake.size(); ++at) {
    const char c = snake[at];
    if (c == '_') {
      upper = true;
      if (at > 0 && is_digit(at - 1) && is_digit(at + 1)) result += c;  // "a_1_2" is not "a_12"
      continue;
    }
    result += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    upper = false;
  }
  return result;
}

}  // namespace thimble
