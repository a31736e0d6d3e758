// SPDX-License-Identifier: Apache-2.0
// What became of a float network in int8: `thimble quantize`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "thimble/model/graph.h"
#include "thimble/quantise/noise.h"
#include "thimble/quantise/range.h"

namespace thimble {

struct QuantisedTensor {
  std::string name;
  Range seen;   ///< the smallest and the largest value
  Range taken;  ///< what the scale is for
  std::string type;
  float scale = 1;
  int32_t zero_point = 0;
  Noise noise;  ///< with all in front of it quantised, too
};

/// An operator of the original, if it alone is quantised.
struct QuantisedLayer {
  OpId op;
  std::string label;  ///< "CONV_2D #3"
  std::string format;
  double noise = 0;  ///< as of MethodTried
};

struct MethodTried {
  std::string name;  ///< "min and max"
  double noise = 0;  ///< of the scores, for their signal (driver/quantisation_judge.h)
  std::optional<int64_t> agreeing, right;
};

/// Formats of layers, and what they cost.
struct FormatRow {
  std::string formats;  ///< "int8"; "int4: CONV_2D #1": the layers that differ
  int64_t weight_bytes = 0;
  std::optional<int64_t> sram_bytes, flash_bytes, instructions;  ///< of a plan
  double noise = 0;                                              ///< as of MethodTried
  int64_t samples = 0;
  std::optional<int64_t> agreeing, right;
  bool allowed = true, taken = false;
};

struct QuantisationReport {
  std::string model;   ///< as the user named it
  std::string path;    ///< of the file that is written
  std::string data;    ///< likewise
  std::string method;  ///< that was taken; empty: the file was there already
  std::vector<MethodTried> methods;
  int64_t samples = 0;
  int64_t file_bytes = 0;
  int64_t operators = 0;
  std::vector<std::string> left_in_float;  ///< operators without a form in int8
  std::vector<QuantisedTensor> tensors;    ///< in the order of the operators
  std::vector<FormatRow> formats;          ///< that were compared
  std::vector<QuantisedLayer> layers;      ///< in the same order; empty: it would take too long
  std::vector<Noise> outputs;
  double noise = 0;                 ///< as of MethodTried
  int64_t judged = 0;               ///< samples that both networks were executed with
  std::optional<int64_t> agreeing;  ///< of these, with the same best class; nothing: no classifier
  std::optional<int64_t> right, right_in_float;  ///< of these, by their labels
  std::vector<std::string> warnings;
};

[[nodiscard]] std::string quantisation_text(const QuantisationReport& report);
[[nodiscard]] std::string quantisation_json(const QuantisationReport& report);

}  // namespace thimble
