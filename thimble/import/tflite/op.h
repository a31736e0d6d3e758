// SPDX-License-Identifier: Apache-2.0
// An operator of a .tflite file with all that it says.
#pragma once

#include <span>
#include <string>
#include <variant>
#include <vector>

#include "thimble/import/file_op.h"
#include "thimble/import/tflite/file.h"

namespace thimble {

struct TfliteOp : FileOp {
  tfl::OperatorOptions options;
  std::span<const uint8_t> custom_options;
  bool open_shapes = false;                    ///< TfliteFile's
  const std::vector<bool>* lowered = nullptr;  ///< Uint8Tensors: null, or per tensor of the file

  [[nodiscard]] bool was_uint8(TensorId id) const {
    return lowered != nullptr && id.index() < lowered->size() && (*lowered)[id.index()];
  }
};

/// Throws CompileError for numbers that are of no tensor of the file; -1 is none.
[[nodiscard]] std::vector<TensorId> tensor_ids(const TfliteFile& file,
                                               std::span<const int32_t> indices,
                                               const std::string& where);

/// An operator with its operands, which are tensors of the file: those that expansions made come
/// later in `tensors`. Throws CompileError for others. name: what messages call it.
[[nodiscard]] TfliteOp read_operands(const TfliteFile& file, size_t number, const std::string& name,
                                     const std::vector<Tensor>& tensors);

/// The operator's options; null where it has none.
template <class Options>
const Options* options_if_any(const TfliteOp& op) {
  return std::get_if<Options>(&op.options);
}

/// The operator's options, which must be there.
template <class Options>
const Options& options(const TfliteOp& op) {
  const Options* given = options_if_any<Options>(op);
  if (given == nullptr) op.damaged("its options are missing");
  return *given;
}

/// Throws CompileError for one that is not supported.
[[nodiscard]] Activation activation(const TfliteOp& op, tfl::ActivationFunctionType type);

}  // namespace thimble
