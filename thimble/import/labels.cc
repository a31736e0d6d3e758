// SPDX-License-Identifier: Apache-2.0
#include "thimble/import/labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "thimble/import/file_bytes.h"
#include "thimble/import/utf8.h"
#include "thimble/model/error.h"

namespace thimble {
namespace {

constexpr int64_t kMostFileOfLabelsBytes = int64_t{4} << 20;
constexpr size_t kMostLabels = 100'000;

/// Lines without the byte order mark, ends of line and blanks at their ends.
std::vector<std::string_view> lines_of(std::string_view text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF", kBlank = " \t\r";
  if (text.starts_with(kMark)) text.remove_prefix(kMark.size());
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    const size_t last = line.find_last_not_of(kBlank);
    line = line.substr(0, last == std::string_view::npos ? 0 : last + 1);
    lines.push_back(line.substr(std::min(line.find_first_not_of(kBlank), line.size())));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

void check_text(std::string_view line, size_t number, const std::string& where) {
  while (!line.empty()) {
    const CodePoint point = first_code_point(line);
    if (!point.valid || (point.value < 0x20 && point.value != '\t') || point.value == 0x7F) {
      throw CompileError(where, fmt::format("line {} is no text in UTF-8; labels are names of "
                                            "classes, one on each line",
                                            number));
    }
    line.remove_prefix(point.size_bytes);
  }
}

/// "12  cell phone", "12: cell phone"; nothing: it does not begin with a number.
std::optional<std::pair<size_t, std::string_view>> numbered(std::string_view line) {
  size_t number = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
  if (error != std::errc() || number >= kMostLabels) return std::nullopt;
  const std::string_view rest = line.substr(static_cast<size_t>(end - line.data()));
  const size_t name = rest.find_first_not_of(" \t:,");
  if (name == 0 || name == std::string_view::npos) return std::nullopt;
  return std::pair(number, rest.substr(name));
}

/// By the numbers at the beginning of all lines; empty: they are not numbered upwards. Line by line
/// from 1 on, they are numbers of lines.
std::vector<std::string> by_number(const std::vector<std::string_view>& lines) {
  std::vector<std::string> labels;
  for (const std::string_view line : lines) {
    const auto found = numbered(line);
    if (!found || found->first < labels.size()) return {};
    labels.resize(found->first);
    labels.emplace_back(found->second);
  }
  const bool from_one = labels.size() == lines.size() + 1 && labels.front().empty();
  if (from_one) labels.erase(labels.begin());
  return labels;
}

}  // namespace

std::vector<std::string> labels_in(std::string_view text, const std::string& where) {
  const std::vector<std::string_view> lines = lines_of(text);
  if (lines.empty()) throw CompileError(where, "has no labels; one on each line is supported");
  if (lines.size() > kMostLabels) {
    throw CompileError(where,
                       fmt::format("has {} lines; {} are supported", lines.size(), kMostLabels));
  }
  for (size_t n = 0; n < lines.size(); ++n) check_text(lines[n], n + 1, where);
  std::vector<std::string> labels = by_number(lines);
  if (labels.empty()) labels.assign(lines.begin(), lines.end());
  return labels;
}

std::vector<std::string> read_labels(const std::filesystem::path& file) {
  const Bytes bytes = read_file(file, kMostFileOfLabelsBytes);
  return labels_in({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, file.string());
}

}  // namespace thimble
