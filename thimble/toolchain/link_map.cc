// SPDX-License-Identifier: Apache-2.0
// The part of the map that counts comes after "Linker script and memory map":
//
//    .text.main     0x00000080       0x1c main.o
//    .text._ZN7thimble7conv_2dE                        a long name has a line of its own
//                   0x0000009c      0x210 conv_2d.o
//    *fill*         0x000002ac        0x2
#include "thimble/toolchain/link_map.h"

#include <charconv>
#include <optional>
#include <sstream>
#include <string_view>

namespace thimble {
namespace {

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

std::string_view take_word(std::string_view& text) {
  text = trim(text);
  const std::string_view word = text.substr(0, text.find(' '));
  text = trim(text.substr(word.size()));
  return word;
}

std::optional<int64_t> hexadecimal(std::string_view word) {
  if (!word.starts_with("0x")) return std::nullopt;
  int64_t value = 0;
  const char* const end = word.data() + word.size();
  const auto [rest, error] = std::from_chars(word.data() + 2, end, value, 16);
  if (error != std::errc() || rest != end) return std::nullopt;
  return value;
}

// "ADDRESS SIZE OBJECT" behind a section's name.
std::optional<LinkedSection> parse_placement(std::string_view section, std::string_view text) {
  const auto address = hexadecimal(take_word(text));
  const auto size = hexadecimal(take_word(text));
  if (!address || !size || *size == 0 || text.empty()) return std::nullopt;
  return LinkedSection{std::string(section), std::string(text), *size};
}

bool loaded(std::string_view section) {
  for (const std::string_view prefix :
       {".debug", ".comment", ".ARM.attributes", ".riscv.attributes", ".stab", ".note"}) {
    if (section.starts_with(prefix)) return false;
  }
  return true;
}

}  // namespace

std::vector<LinkedSection> parse_link_map(const std::string& map) {
  std::vector<LinkedSection> sections;
  const size_t begin = map.find("Linker script and memory map");
  if (begin == std::string::npos) return sections;
  std::istringstream lines(map.substr(begin));
  std::string pending;  // a section's name whose placement is on the next line
  for (std::string line; std::getline(lines, line);) {
    std::string_view text = line;
    const bool names_section = text.starts_with(" .") || text.starts_with(" COMMON");
    const std::string section = names_section ? std::string(take_word(text)) : pending;
    pending = names_section && trim(text).empty() ? section : "";
    if (section.empty() || !loaded(section)) continue;
    if (auto found = parse_placement(section, text)) sections.push_back(std::move(*found));
  }
  return sections;
}

}  // namespace thimble
