// SPDX-License-Identifier: Apache-2.0
#include "thimble/report/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace thimble {
namespace {

constexpr size_t kGap = 2;  // between columns of a group
constexpr const char* kBar = " | ";

// What has to be known of a group to print it.
struct GroupLayout {
  size_t first = 0;  ///< column
  std::vector<size_t> widths;
  size_t width = 0;
};

std::vector<GroupLayout> layouts(const Table& table) {
  std::vector<GroupLayout> result;
  size_t column = 0;
  for (const ColumnGroup& group : table.groups) {
    GroupLayout layout{.first = column, .widths = {}};
    for (const Column& c : group.columns) {
      size_t width = c.header.size();
      for (const auto& row : table.rows) width = std::max(width, row[column].size());
      layout.width += width + (layout.widths.empty() ? 0 : kGap);
      layout.widths.push_back(width);
      ++column;
    }
    if (layout.width < group.title.size()) {
      layout.widths.back() += group.title.size() - layout.width;
      layout.width = group.title.size();
    }
    result.push_back(std::move(layout));
  }
  return result;
}

// The groups' numbers, cut so that no piece is wider than `width`, each beginning with group 0.
std::vector<std::vector<size_t>> pieces(const std::vector<GroupLayout>& groups, size_t width) {
  const size_t bar = std::string(kBar).size();
  std::vector<std::vector<size_t>> result = {{0}};
  size_t used = groups[0].width;
  for (size_t g = 1; g < groups.size(); ++g) {
    if (width != 0 && result.back().size() > 1 && used + bar + groups[g].width > width) {
      result.push_back({0});
      used = groups[0].width;
    }
    result.back().push_back(g);
    used += bar + groups[g].width;
  }
  return result;
}

std::string trimmed(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::string piece_text(const Table& table, const std::vector<GroupLayout>& layout,
                       const std::vector<size_t>& piece) {
  const auto line = [&](const auto& entry) {
    std::string text;
    for (size_t g : piece) {
      if (g != piece.front()) text += kBar;
      for (size_t k = 0; k < layout[g].widths.size(); ++k) {
        if (k != 0) text += std::string(kGap, ' ');
        const bool right = table.groups[g].columns[k].right;
        text += right ? fmt::format("{:>{}}", entry(g, k), layout[g].widths[k])
                      : fmt::format("{:<{}}", entry(g, k), layout[g].widths[k]);
      }
    }
    return trimmed(text);
  };
  std::string titles;
  for (size_t g : piece) {
    titles += fmt::format("{}{:<{}}", g == piece.front() ? "" : kBar, table.groups[g].title,
                          layout[g].width);
  }
  std::string text = titles.find_first_not_of(" |") == std::string::npos ? "" : trimmed(titles);
  text += line([&](size_t g, size_t k) { return table.groups[g].columns[k].header; });
  for (const auto& row : table.rows)
    text += line([&](size_t g, size_t k) { return row[layout[g].first + k]; });
  return text;
}

// A bar or a line break would end the cell.
std::string markdown_cell(const std::string& text) {
  std::string cell;
  for (char c : text) {
    if (c == '|') cell += '\\';
    cell += c == '\n' ? ' ' : c;
  }
  return cell;
}

}  // namespace

std::string aligned_text(const Table& table, size_t width) {
  const std::vector<GroupLayout> layout = layouts(table);
  std::string text;
  for (const std::vector<size_t>& piece : pieces(layout, width))
    text += (text.empty() ? "" : "\n") + piece_text(table, layout, piece);
  return text;
}

std::string markdown(const Table& table) {
  std::string header = "|", rule = "|";
  for (const ColumnGroup& group : table.groups) {
    for (const Column& column : group.columns) {
      header += fmt::format(" {}{}{} |", markdown_cell(group.title), group.title.empty() ? "" : " ",
                            markdown_cell(column.header));
      rule += column.right ? "--:|" : "---|";
    }
  }
  std::string text = header + "\n" + rule + "\n";
  for (const auto& row : table.rows) {
    text += "|";
    for (const std::string& cell : row) text += " " + markdown_cell(cell) + " |";
    text += "\n";
  }
  return text;
}

namespace {

// Spreadsheets execute what looks like a formula; an apostrophe makes it text.
std::string harmless(const std::string& field) {
  const auto begins_number = [&] {
    return field.size() > 1 &&
           (std::isdigit(static_cast<unsigned char>(field[1])) != 0 || field[1] == '.');
  };
  const char first = field.empty() ? ' ' : field[0];
  const bool formula = first == '=' || first == '@' || first == '\t' || first == '\r' ||
                       ((first == '+' || first == '-') && field.size() > 1 && !begins_number());
  return formula ? "'" + field : field;
}

}  // namespace

std::string csv_line(const std::vector<std::string>& fields) {
  std::string line;
  for (size_t k = 0; k < fields.size(); ++k) {
    if (k != 0) line += ',';
    const std::string field = harmless(fields[k]);
    if (field.find_first_of(",\"\r\n") == std::string::npos) {
      line += field;
      continue;
    }
    line += '"';
    for (char c : field) line += c == '"' ? "\"\"" : std::string(1, c);
    line += '"';
  }
  return line + "\n";
}

}  // namespace thimble
