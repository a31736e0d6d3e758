// SPDX-License-Identifier: Apache-2.0
// Casts and quantisation.
#include "thimble/export/tflite_ops.h"

namespace thimble {

FileOperator written(const Cast&, const OpContext& c) {
  tflite::CastOptionsT options;
  options.in_data_type = file_type(c.input(0).type);
  options.out_data_type = file_type(c.output().type);
  return made(BuiltinOperator::CAST, 1, options);
}

FileOperator written(const Dequantize&, const OpContext& c) {
  return made(BuiltinOperator::DEQUANTIZE, c.version(), tflite::DequantizeOptionsT());
}

FileOperator written(const Quantize&, const OpContext& c) {
  return made(BuiltinOperator::QUANTIZE, c.version(), tflite::QuantizeOptionsT());
}

}  // namespace thimble
