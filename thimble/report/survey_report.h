// SPDX-License-Identifier: Apache-2.0
// What a model that cannot be compiled as it is holds, and all that stops it: `thimble inspect`.
#pragma once

#include <string>

#include "thimble/import/survey.h"

namespace thimble {

/// SRAM of the tensors that are no constants, as far as their sizes are known.
struct SurveyedSram {
  int64_t peak_bytes = 0;         ///< live together at most, in the file's order, nothing in place
  int64_t interpreter_bytes = 0;  ///< laid out by size, largest first, as the interpreter does
  int64_t state_bytes = 0;        ///< of these: variables, which live throughout
  int unknown = 0;                ///< tensors without a known size
};
[[nodiscard]] SurveyedSram sram(const Survey& survey);

/// " --until 'a'": the part of the network that can be compiled, if that is of use; else nothing.
[[nodiscard]] std::string until_options(const Survey& survey);

[[nodiscard]] std::string survey_text(const Survey& survey);
[[nodiscard]] std::string survey_json(const Survey& survey);

}  // namespace thimble
