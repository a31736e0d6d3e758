// SPDX-License-Identifier: Apache-2.0
// Files of one operator.
#pragma once

#include <utility>
#include <vector>

#include "tflite_builder.h"
#include "thimble/import/tflite.h"

namespace thimble::testing {

/// One operator from tensor 0, with the given further inputs, to a new tensor of shape `out`.
template <class Options>
Graph import_single(TfliteBuilder b, tflite::BuiltinOperator code, std::vector<int32_t> rest,
                    const std::vector<int32_t>& out, Options options) {
  std::vector<int32_t> operands = {0};
  operands.insert(operands.end(), rest.begin(), rest.end());
  const int32_t output = b.tensor(out, b.at(0).type);
  b.op(code, operands, {output}, std::move(options));
  b.inputs({0});
  b.outputs({output});
  return import_tflite(b.bytes(), "test", "test.tflite");
}

inline TfliteBuilder with_input(const std::vector<int32_t>& shape,
                                tflite::TensorType type = tflite::TensorType::INT8) {
  TfliteBuilder b;
  b.tensor(shape, type);
  return b;
}

}  // namespace thimble::testing
