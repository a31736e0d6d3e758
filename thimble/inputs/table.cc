// SPDX-License-Identifier: Apache-2.0
#include "thimble/inputs/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "thimble/import/file_bytes.h"
#include "thimble/import/utf8.h"
#include "thimble/model/error.h"

namespace thimble {
namespace {

constexpr int64_t kMostTableBytes = int64_t{256} << 20;

std::string trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(" \t\r") - first + 1));
}

char separator_of(std::string_view text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  for (const char candidate : {',', ';', '\t'})
    if (line.find(candidate) != std::string_view::npos) return candidate;
  return ',';
}

/// Fields of the line at the front of `text`, which is taken off.
std::vector<std::string> next_row(std::string_view& text, char separator) {
  std::vector<std::string> row;
  std::string field;
  bool quoted = false, was_quoted = false;
  const auto finish = [&] {
    row.push_back(was_quoted ? field : trimmed(field));
    field.clear();
    was_quoted = false;
  };
  size_t at = 0;
  for (; at < text.size() && (quoted || text[at] != '\n'); ++at) {
    const char c = text[at];
    if (quoted && c == '"' && at + 1 < text.size() && text[at + 1] == '"') {
      field += text[at++];
    } else if (quoted) {
      if (c == '"')
        quoted = false;
      else
        field += c;
    } else if (c == '"' && trimmed(field).empty()) {
      quoted = was_quoted = true;
      field.clear();
    } else if (c == separator) {
      finish();
    } else if (!was_quoted) {
      field += c;
    }
  }
  if (quoted) return {};
  finish();
  text.remove_prefix(std::min(at + 1, text.size()));
  return row;
}

}  // namespace

TextTable table_in(std::string_view text, const std::string& where) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  TextTable table{.separator = separator_of(text), .rows = {}, .lines = {}};
  for (size_t line = 1; !text.empty();) {
    const std::string_view before = text;
    std::vector<std::string> row = next_row(text, table.separator);
    if (row.empty())
      throw CompileError(where, fmt::format("line {}: a quotation mark is not closed", line));
    if (row.size() > 1 || !row[0].empty()) {
      table.rows.push_back(std::move(row));
      table.lines.push_back(line);
    }
    const std::string_view taken = before.substr(0, before.size() - text.size());
    line += static_cast<size_t>(std::ranges::count(taken, '\n'));
  }
  return table;
}

TextTable read_table(const std::filesystem::path& file) {
  const auto bytes = read_file(file, kMostTableBytes);
  return table_in({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, file.string());
}

bool is_number(const std::string& text, double& value) {
  const size_t sign = text.starts_with('+') ? 1 : 0;
  const char* const end = text.data() + text.size();
  const auto [read, error] = std::from_chars(text.data() + sign, end, value);
  return error == std::errc() && read == end && std::isfinite(value);
}

NumberTable numbers_in(const TextTable& table, const std::string& where) {
  NumberTable result;
  double value = 0;
  for (size_t r = 0; r < table.rows.size(); ++r) {
    const std::vector<std::string>& row = table.rows[r];
    if (r == 0 && std::ranges::none_of(row, [&](auto& text) { return is_number(text, value); }))
      continue;  // the heading
    if (result.rows > 0 && row.size() != result.columns) {
      throw CompileError(where, fmt::format("line {} has {} numbers, those before it {}",
                                            table.lines[r], row.size(), result.columns));
    }
    for (const std::string& text : row) {
      if (!is_number(text, value)) {
        throw CompileError(
            where, fmt::format("line {}: '{}' is not a number", table.lines[r], printable(text)));
      }
      if (std::abs(value) > std::numeric_limits<float>::max()) {
        throw CompileError(where, fmt::format("line {}: '{}' is more than float32 can hold",
                                              table.lines[r], printable(text)));
      }
      result.values.push_back(static_cast<float>(value));
    }
    result.columns = row.size();
    ++result.rows;
  }
  if (result.rows == 0) throw CompileError(where, "has no numbers");
  return result;
}

NumberTable read_numbers(const std::filesystem::path& file) {
  return numbers_in(read_table(file), file.string());
}

}  // namespace thimble
