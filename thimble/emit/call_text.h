// SPDX-License-Identifier: Apache-2.0
// Calls of kernels and of the transfers' functions, as lines of the emitted code.
#pragma once

#include <set>
#include <string>

#include "thimble/emit/operand_text.h"

namespace thimble {

class CallText {
 public:
  CallText(const Graph& graph, const Program& program, OperandText& text)
      : graph_(graph), program_(program), text_(text) {}

  /// With a comment that says what it does.
  [[nodiscard]] std::string call(const Call& call, const std::string& indent);
  [[nodiscard]] std::string transfer(const TransferCall& transfer, const std::string& indent);

 private:
  [[nodiscard]] std::string deliver(const Call& call, const std::string& indent);
  [[nodiscard]] std::string brought(const Call& call, const std::string& text,
                                    const std::string& indent);
  [[nodiscard]] std::string bring(const TransferCall& transfer, const std::string& indent);

  const Graph& graph_;
  const Program& program_;
  OperandText& text_;
  std::set<int> passed_;  ///< parameters that are handed to kernels, so far
};

}  // namespace thimble
