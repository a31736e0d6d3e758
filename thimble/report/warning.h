// SPDX-License-Identifier: Apache-2.0
// Alarms: what makes a network's answers worthless, or an arena larger than it need be. Reports
// begin with them (docs/models.md).
//
//   warning  every channel of FULLY_CONNECTED #2 'dense' is the same for every input, and so is the
//            output 'scores': the network's answer does not depend on its input
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace thimble {

enum class WarningKind : uint8_t {
  kConstantOutput,     ///< an output is the same for every input
  kSaturatedOutput,    ///< some of its channels are, at an end of what their type holds
  kVanishingChannels,  ///< many channels of layers are the same for every input
  kDominantPort,       ///< most of the memory is one input or output
};
[[nodiscard]] const char* name(WarningKind kind);  ///< "constant_output", ...

struct Warning {
  WarningKind kind;
  int number = -1;    ///< of the operator in the file; -1: none of the file's
  std::string layer;  ///< the tensor that it makes, or the port
  std::string text;   ///< a sentence
};

/// A line each.
[[nodiscard]] std::string warnings_text(const std::vector<Warning>& warnings);
[[nodiscard]] nlohmann::ordered_json warnings_json(const std::vector<Warning>& warnings);

}  // namespace thimble
