// SPDX-License-Identifier: Apache-2.0
// .csv files: numbers, and labels of samples.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace thimble {

/// Fields between commas, semicolons or tabs (whichever the first line has), of lines that are not
/// empty; blanks around fields are left out, "quoted" ones may contain separators.
struct TextTable {
  char separator = ',';
  std::vector<std::vector<std::string>> rows;
  std::vector<size_t> lines;  ///< of each row, from 1
};
/// Throws CompileError for what cannot be read, or has an open quotation mark.
[[nodiscard]] TextTable read_table(const std::filesystem::path& file);
[[nodiscard]] TextTable table_in(std::string_view text, const std::string& where);

/// The number that a text is; false: it is none.
[[nodiscard]] bool is_number(const std::string& text, double& value);

/// All numbers of a file, row by row, without its heading. Throws CompileError for other texts, and
/// rows of different lengths.
struct NumberTable {
  size_t rows = 0, columns = 0;
  std::vector<float> values;
};
[[nodiscard]] NumberTable read_numbers(const std::filesystem::path& file);
[[nodiscard]] NumberTable numbers_in(const TextTable& table, const std::string& where);

}  // namespace thimble
