// SPDX-License-Identifier: Apache-2.0
// Samples with what is true of them: folders by class, lists of files, arrays.
//
//   photos/cat/1.jpg  photos/dog/2.jpg      a folder for each class
//   list.csv: path,label                    a file for each row, from the list's folder on
//   x.npy and x.csv: label                  a row for each of the array's samples, or --truth FILE
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "thimble/driver/chosen.h"

namespace thimble {

/// A file with one sample, or with all of a set.
struct LabelledFile {
  std::string path;
  std::vector<std::string> labels;  ///< what is true of it, or of each of its samples in turn
};

struct LabelledSet {
  std::vector<LabelledFile> files;
  bool one_file = false;             ///< an array whose samples have labels of their own
  std::vector<std::string> classes;  ///< folders' names, or the labels that there are: sorted
  int64_t left_out = 0;              ///< files in the folders that are of no known kind
};

/// truth: a .csv file, for arrays; empty: the one beside it. Throws CompileError for what has no
/// samples or labels.
[[nodiscard]] LabelledSet labelled_set(const std::string& path, const std::string& truth);

/// Files with samples, labels or none: in a folder and the folders there, or
/// the file itself. Sorted. Throws CompileError where there are none.
[[nodiscard]] std::vector<std::string> sample_files(const std::string& path);

}  // namespace thimble
