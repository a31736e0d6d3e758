// SPDX-License-Identifier: Apache-2.0
// What of a file is imported.
#pragma once

#include <string>
#include <vector>

#include "thimble/import/tflite/file.h"
#include "thimble/model/graph.h"

namespace thimble {

struct Section {
  std::vector<size_t> ops;       ///< numbers in the file, ascending
  std::vector<bool> tensors;     ///< per number in the file: is it read?
  std::vector<TensorId> inputs;  ///< as in the file; an invalid one is the file's fault
  std::vector<TensorId> outputs;
};

/// What these tensors need (ImportOptions::until); none: all but operators that are not supported
/// and that nothing needs.
[[nodiscard]] Section section_of(const TfliteFile& file, const std::vector<std::string>& until);

/// Per tensor of the file, whether one of these operators makes it.
[[nodiscard]] std::vector<bool> tensors_made(const TfliteFile& file,
                                             const std::vector<size_t>& ops);

}  // namespace thimble
