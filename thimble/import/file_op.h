// SPDX-License-Identifier: Apache-2.0
// An operator as a file lists it, whatever the format: what it reads and writes, and what messages
// call it. A format's own type adds what its operators say beyond that.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "thimble/model/graph.h"

namespace thimble {

/// "file.tflite: CONV_2D #3"
[[nodiscard]] std::string place_of(const std::string& file, const std::string& op, size_t number);

/// Its operands are tensors of the file.
struct FileOp {
  std::string where;  ///< place_of()
  int number = -1;    ///< in the file
  const std::vector<Tensor>& tensors;
  std::vector<TensorId> inputs;  ///< as in the file; invalid where an optional one is absent
  std::vector<TensorId> outputs;
  size_t output_number = 0;  ///< which output is asked for, of an operator that is taken apart

  [[nodiscard]] const Tensor& input(size_t i) const { return tensors[inputs[i].index()]; }
  [[nodiscard]] const Tensor& output() const { return tensors[outputs[output_number].index()]; }

  /// "is not supported", and what is: an ImportError.
  [[noreturn]] void refuse(const std::string& reason) const;
  /// The file contradicts itself: a Damage.
  [[noreturn]] void damaged(const std::string& what) const;
};

/// An axis as the file counts it (negative from the end) as one in [0, rank).
[[nodiscard]] int axis_of(const FileOp& op, int64_t axis, size_t rank);

/// A parameter (axes, permutation, paddings), which has to be an int32 or int64 constant.
[[nodiscard]] std::vector<int64_t> integers(const FileOp& op, size_t input, const char* what);

/// Refuses shapes that do not go with the operator's parameters.
[[noreturn]] void refuse_shapes(const FileOp& op, const std::string& parameters);
void expect_shape(const FileOp& op, const Shape& shape, const std::string& parameters);

}  // namespace thimble
