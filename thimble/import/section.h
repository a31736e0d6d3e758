// SPDX-License-Identifier: Apache-2.0
// What of a file is imported: all of it, or what some tensors need.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "thimble/model/graph.h"

namespace thimble {

/// A network as a file lists it, under the numbers that it gives to tensors and operators, of which
/// nothing has been read yet. Asked for piece by piece: a hostile file may list anything, many
/// times over. What names tensors throws CompileError for those that there are not.
class Listing {
 public:
  virtual ~Listing() = default;

  [[nodiscard]] virtual std::string where() const = 0;  ///< what messages call the file
  [[nodiscard]] virtual std::vector<TensorId> inputs() const = 0;
  [[nodiscard]] virtual std::vector<TensorId> outputs() const = 0;
  [[nodiscard]] virtual size_t tensor_count() const = 0;
  [[nodiscard]] virtual std::string_view tensor_name(size_t tensor) const = 0;
  [[nodiscard]] virtual size_t op_count() const = 0;  ///< in the order of execution
  [[nodiscard]] virtual bool is_supported(size_t op) const = 0;
  [[nodiscard]] virtual std::vector<TensorId> inputs_of(size_t op) const = 0;
  [[nodiscard]] virtual std::vector<TensorId> outputs_of(size_t op) const = 0;
};

struct Section {
  std::vector<size_t> ops;       ///< numbers in the file, ascending
  std::vector<bool> tensors;     ///< per number in the file: is it read?
  std::vector<TensorId> inputs;  ///< as in the file; an invalid one is the file's fault
  std::vector<TensorId> outputs;
};

/// What these tensors need (ImportOptions::until); none: all but operators that are not supported
/// and that nothing needs.
[[nodiscard]] Section section_of(const Listing& file, const std::vector<std::string>& until);

/// Per tensor of the file, whether one of these operators makes it.
[[nodiscard]] std::vector<bool> tensors_made(const Listing& file, const std::vector<size_t>& ops);

}  // namespace thimble
