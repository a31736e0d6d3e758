// SPDX-License-Identifier: Apache-2.0
// What operators of a .tflite file say beside their operands: schema.fbs as plain values, as far as
// anything asks for them (options.def). Text and lists are views into the file.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <variant>

#include "thimble/import/tflite/codes.h"

namespace thimble::tfl {

#define FIELD(type, name, initial, accessor) type name = initial;
#define FIELD_OF_SOME FIELD
#define OPTIONS(Struct, operators, fields) \
  struct Struct {                          \
    fields                                 \
  };
#include "thimble/import/tflite/options.def"
#undef FIELD_OF_SOME
#undef FIELD

/// Nothing where an operator has none, or those of another operator.
#define OPTIONS(Struct, operators, fields) , Struct
using OperatorOptions = std::variant<std::monostate
#include "thimble/import/tflite/options.def"
                                     >;

}  // namespace thimble::tfl
