// SPDX-License-Identifier: Apache-2.0
// Parameter structs and constant arrays as C++ text.
#pragma once

#include <string>

#include "thimble/program/program.h"

namespace thimble {

/// "constexpr Conv2DParams kConv2d0{...};" with every field named in a comment. `data` is the
/// namespace of the constants.
[[nodiscard]] std::string params_text(const Program& program, const ProgramParams& params,
                                      const std::string& data);
/// "kConv2d0"
[[nodiscard]] std::string params_name(const ProgramParams& params);

/// A pointer among a kernel's parameters: "scales.multipliers", "int32_t".
struct PointerField {
  std::string path, type;
};
/// In the order of the constants.
[[nodiscard]] std::vector<PointerField> pointer_fields(const KernelParams& params);

/// Declaration of a constant, without "extern" or ";": "const int8_t conv_2d_0_weights[216]".
[[nodiscard]] std::string constant_declaration(const ProgramConstant& constant);
/// What the linker calls it, which only equal constants share: "thimble_216_09f3c1...".
[[nodiscard]] std::string constant_symbol(const ProgramConstant& constant);
/// A constant's elements, 100 columns wide.
[[nodiscard]] std::string constant_elements(const ProgramConstant& constant);

}  // namespace thimble
