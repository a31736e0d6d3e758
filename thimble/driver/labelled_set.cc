// SPDX-License-Identifier: Apache-2.0
#include "thimble/driver/labelled_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <set>

#include "thimble/driver/samples.h"
#include "thimble/import/utf8.h"
#include "thimble/inputs/table.h"
#include "thimble/model/error.h"

namespace thimble {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostFiles = 10'000'000;
constexpr const char* kSampleKinds =
    "pictures (.png, .jpg, .bmp), sound (.wav), .csv, .npy or .safetensors files";

bool is_folder(const fs::path& path) {
  std::error_code error;  // of what cannot be asked for: no folder
  return fs::is_directory(path, error);
}

bool is_hidden(const fs::path& path) { return path.filename().string().starts_with('.'); }

/// Folders and files in a folder, but hidden ones, by name.
std::vector<fs::path> entries(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> all;
  for (auto it = fs::directory_iterator(folder, error); !error && it != fs::directory_iterator();
       it.increment(error)) {
    if (!is_hidden(it->path())) all.push_back(it->path());
    if (all.size() > kMostFiles)
      throw CompileError(folder.string(), fmt::format("has more than {} files", kMostFiles));
  }
  if (error) throw CompileError(folder.string(), "cannot be read: " + error.message());
  std::ranges::sort(all);
  return all;
}

void add_class(const fs::path& folder, const std::string& label, LabelledSet& set) {
  for (const fs::path& path : entries(folder)) {
    if (is_folder(path)) {
      std::error_code error;
      // A link to a folder above would have no end.
      if (!fs::is_symlink(path, error)) add_class(path, label, set);
    } else if (SampleReader::knows(path.string())) {
      set.files.push_back({path.string(), {label}});
    } else {
      ++set.left_out;
    }
  }
}

LabelledSet of_folder(const std::string& path) {
  LabelledSet set;
  for (const fs::path& folder : entries(path)) {
    if (!is_folder(folder)) continue;
    const std::string label = folder.filename().string();
    const size_t before = set.files.size();
    add_class(folder, label, set);
    if (set.files.size() > before) set.classes.push_back(label);
  }
  if (!set.files.empty()) return set;
  throw CompileError(
      path, fmt::format("has no samples: folders named after classes, with {}, are supported",
                        kSampleKinds));
}

/// The column that a heading calls the label; nothing: it names none.
std::optional<size_t> label_column(const std::vector<std::string>& heading) {
  static constexpr std::array kNames = {"label", "class", "target", "category"};
  for (size_t k = 0; k < heading.size(); ++k) {
    std::string name = heading[k];
    for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (std::ranges::find(kNames, name) != kNames.end()) return k;
  }
  return std::nullopt;
}

void add_classes(LabelledSet& set) {
  std::set<std::string> all;
  for (const LabelledFile& file : set.files) all.insert(file.labels.begin(), file.labels.end());
  set.classes.assign(all.begin(), all.end());
}

LabelledSet of_list(const std::string& path) {
  const TextTable table = read_table(path);
  if (table.rows.empty()) throw CompileError(path, "has no rows");
  // A file of another kind is no heading.
  const bool heading = !fs::path(table.rows[0][0]).has_extension();
  const size_t label = heading ? label_column(table.rows[0]).value_or(table.rows[0].size() - 1) : 1;
  LabelledSet set;
  for (size_t r = heading ? 1 : 0; r < table.rows.size(); ++r) {
    const std::vector<std::string>& row = table.rows[r];
    if (row.size() <= std::max<size_t>(label, 1) || !SampleReader::knows(row[0])) {
      throw CompileError(path, fmt::format("line {}: '{}' is no sample with a label; rows are a "
                                           "file, a comma and what is true of it",
                                           table.lines[r], printable(row[0])));
    }
    const fs::path file = fs::path(path).parent_path() / row[0];
    set.files.push_back({file.string(), {row[label]}});
  }
  if (set.files.empty()) throw CompileError(path, "has no rows but a heading");
  add_classes(set);
  return set;
}

/// Labels of an array's samples: the column of a file.
std::vector<std::string> truths(const std::string& path) {
  const TextTable table = read_table(path);
  if (table.rows.empty()) throw CompileError(path, "has no rows");
  const std::vector<std::string>& first = table.rows[0];
  const std::optional<size_t> named = label_column(first);
  const size_t column = named.value_or(first.size() - 1);
  double number = 0;
  const bool heading =
      named || (table.rows.size() > 1 && !is_number(first[column], number) &&
                table.rows[1].size() > column && is_number(table.rows[1][column], number));
  std::vector<std::string> labels;
  for (size_t r = heading ? 1 : 0; r < table.rows.size(); ++r) {
    if (table.rows[r].size() <= column)
      throw CompileError(path, fmt::format("line {} has no label", table.lines[r]));
    labels.push_back(table.rows[r][column]);
  }
  return labels;
}

LabelledSet of_array(const std::string& path, std::string truth) {
  if (truth.empty()) truth = fs::path(path).replace_extension(".csv").string();
  std::error_code error;
  if (!fs::exists(truth, error)) {
    throw CompileError(path, fmt::format("has no labels: a .csv file with one for each sample, as "
                                         "{} or by --truth, is supported",
                                         truth));
  }
  LabelledSet set{.files = {{path, truths(truth)}}, .one_file = true, .classes = {}};
  add_classes(set);
  return set;
}

}  // namespace

LabelledSet labelled_set(const std::string& path, const std::string& truth) {
  const bool array = path.ends_with(".npy") || path.ends_with(".safetensors");
  if (!truth.empty() && !array) {
    throw CompileError("--truth", "is for an array of samples (.npy, .safetensors)");
  }
  if (is_folder(path)) return of_folder(path);
  if (array) return of_array(path, truth);
  if (path.ends_with(".csv")) return of_list(path);
  std::error_code error;
  throw CompileError(path, fs::exists(path, error)
                               ? "is no set of samples: a folder of folders by class, a .csv list "
                                 "of files and labels, and an array (.npy, .safetensors) with a "
                                 ".csv of labels are supported"
                               : "cannot be read: there is no such file or folder");
}

std::vector<std::string> sample_files(const std::string& path) {
  std::error_code error;
  if (!fs::exists(path, error)) throw CompileError(path, "there is no such file or folder");
  if (!is_folder(path)) return {path};
  LabelledSet set;
  add_class(path, "", set);
  std::vector<std::string> files;
  for (const LabelledFile& file : set.files) files.push_back(file.path);
  if (files.empty())
    throw CompileError(path, fmt::format("has no samples; {} are supported", kSampleKinds));
  std::ranges::sort(files);
  return files;
}

}  // namespace thimble
