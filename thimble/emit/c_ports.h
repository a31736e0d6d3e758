// SPDX-License-Identifier: Apache-2.0
// A port as the emitted header has it: what it is called there, and what it is as macros, which
// `#if` can use.
//
//   #define KWS_INPUT_TYPE THIMBLE_TYPE_INT8
//   #define KWS_INPUT_ELEMENTS 490
#pragma once

#include <string>
#include <vector>

#include "thimble/emit/project.h"
#include "thimble/program/program.h"

namespace thimble {

struct HeaderPort {
  const ProgramPort& port;
  const Tensor& tensor;
  MemoryId memory;
  std::string project;  ///< "kws"
  std::string name;     ///< "kws_input_0"
  std::string macro;    ///< "KWS_INPUT_0"
  std::string number;   ///< "_0" where there are several, else ""

  /// "kws_quantize_0"
  [[nodiscard]] std::string function(const std::string& what) const {
    return project + "_" + what + number;
  }

  /// Whether values are integers that stand for reals.
  [[nodiscard]] bool quantized() const {
    return !tensor.quantization.scales.empty() && tensor.type != DType::kFloat32;
  }
  [[nodiscard]] float scale() const { return tensor.quantization.scales[0]; }
  [[nodiscard]] int32_t zero_point() const { return tensor.quantization.zero_points[0]; }
  /// How many scores a vector has; 0: it is none.
  [[nodiscard]] int64_t classes() const;
};

/// name: of the project. Graph and program must outlive the answer.
[[nodiscard]] std::vector<HeaderPort> header_inputs(const Graph& graph, const Program& program,
                                                    const std::string& name);
[[nodiscard]] std::vector<HeaderPort> header_outputs(const Graph& graph, const Program& program,
                                                     const std::string& name);

/// "kws" -> "KWS"
[[nodiscard]] std::string upper(const std::string& name);
/// "0.5f": with a point or an exponent.
[[nodiscard]] std::string float_literal(float value);
/// "(-128)": a number that operators may stand before.
[[nodiscard]] std::string number_literal(int64_t value);

/// What every header has: what types are called in `#if`, and THIMBLE_ALIGNED(bytes) of a variable.
[[nodiscard]] std::string common_macros();
/// Shape, type, sizes, quantisation; of rows that pass, of each and how many.
[[nodiscard]] std::string port_macros(const Graph& graph, const Program& program,
                                      const HeaderPort& port);

}  // namespace thimble
