// SPDX-License-Identifier: Apache-2.0
// Tables of text in groups of columns: aligned for a terminal, as Markdown, as CSV.
#pragma once

#include <string>
#include <vector>

namespace thimble {

struct Column {
  std::string header;
  bool right = true;  ///< numbers to the right, words to the left
};

/// Columns under one title, which may be empty.
struct ColumnGroup {
  std::string title;
  std::vector<Column> columns;
};

struct Table {
  std::vector<ColumnGroup> groups;
  std::vector<std::vector<std::string>> rows;  ///< one entry per column of all groups
};

///                           | original           | reorder
///   model       interpreter |      peak    arena |      peak    arena
///   zoo:demo         32,256 |    27,648   27,648 |    27,648   27,648
///
/// Groups that go past `width` continue below, with the first group repeated; 0: never.
[[nodiscard]] std::string aligned_text(const Table& table, size_t width);
[[nodiscard]] std::string markdown(const Table& table);
/// One line, fields quoted where they must be.
[[nodiscard]] std::string csv_line(const std::vector<std::string>& fields);

}  // namespace thimble
