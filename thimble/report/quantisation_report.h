// SPDX-License-Identifier: Apache-2.0
// What became of a float network in int8: `thimble quantize`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "thimble/quantise/noise.h"
#include "thimble/quantise/range.h"

namespace thimble {

struct QuantisedTensor {
  std::string name;
  Range range;  ///< that was seen
  float scale = 1;
  int32_t zero_point = 0;
  Noise noise;  ///< with all in front of it quantised, too
};

struct MethodTried {
  std::string name;  ///< "min and max"
  Noise outputs;     ///< of all together
  std::optional<int64_t> agreeing;
};

struct QuantisationReport {
  std::string model;   ///< as the user named it
  std::string path;    ///< of the file that is written
  std::string data;    ///< likewise
  std::string method;  ///< that was taken: the one with the least noise
  std::vector<MethodTried> methods;
  int64_t samples = 0;
  int64_t file_bytes = 0;
  int64_t operators = 0;
  std::vector<std::string> left_in_float;  ///< operators without a form in int8
  std::vector<QuantisedTensor> tensors;    ///< in the order of the operators
  std::vector<Noise> outputs;
  int64_t judged = 0;               ///< samples that both networks were executed with
  std::optional<int64_t> agreeing;  ///< of these, with the same best class; nothing: no classifier
  std::vector<std::string> warnings;
};

[[nodiscard]] std::string quantisation_text(const QuantisationReport& report);
[[nodiscard]] std::string quantisation_json(const QuantisationReport& report);

}  // namespace thimble
