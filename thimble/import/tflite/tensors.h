// SPDX-License-Identifier: Apache-2.0
// Tensors, constants and quantisation of a .tflite file, under their numbers in it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "thimble/import/refusal.h"
#include "thimble/import/tflite/file.h"
#include "thimble/model/graph.h"

namespace thimble {

/// Constants are copied; tensors that are not read are left empty. Throws CompileError for what is
/// damaged (sizes, indices, quantisation) or not supported (types, dynamic shapes, sparsity,
/// variables).
[[nodiscard]] std::vector<Tensor> read_tensors(const TfliteFile& file,
                                               const std::vector<bool>& read);

/// What read_tensors() reads, but a tensor that is refused is left empty.
struct TensorRefusal {
  std::string reason;  ///< nothing: it is read
  Help help = Help::kNone;
  bool damaged = false;
};
struct TensorsAsFarAsRead {
  std::vector<Tensor> tensors;
  std::vector<TensorRefusal> refused;  ///< per tensor
};
[[nodiscard]] TensorsAsFarAsRead read_what_tensors_can_be(const TfliteFile& file);

}  // namespace thimble
