// SPDX-License-Identifier: Apache-2.0
// Operands and regions of calls as expressions of the emitted code.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "thimble/emit/counter_names.h"
#include "thimble/emit/names.h"
#include "thimble/emit/view_constants.h"
#include "thimble/program/program.h"
#include "thimble/target/code_model.h"

namespace thimble {

/// What is written is counted in `code`. All it is made of must outlive it.
class OperandText {
 public:
  /// `data` is the namespace of the constants; numbers of views and regions that have names are
  /// added to `constants`.
  OperandText(const Graph& graph, const Program& program, const std::string& data,
              ViewConstants& constants);

  [[nodiscard]] std::string view(const OperandView& v);
  /// One that is always the same is a constant in flash, which all stages share.
  [[nodiscard]] std::string region(const Call& call);
  [[nodiscard]] std::string pointer(BufferId buffer) const;
  [[nodiscard]] std::string words(const IndexExpr& expr) const;
  /// Begin and end of an axis of a tensor.
  [[nodiscard]] std::pair<std::string, std::string> bounds(const CallAxis& part, TensorId tensor,
                                                           size_t axis);
  /// An end of an interval of records.
  [[nodiscard]] std::string record(const IndexExpr& expr, const CallAxis& part) const;
  /// The address of the first element of a row: where its number is an expression.
  [[nodiscard]] std::string row(const OperandView& v, const std::string& number);
  [[nodiscard]] size_t row_axis(const OperandView& v) const;
  /// For comments: "rows [2 * row_tile - 2, 2 * row_tile)" for the axes that are cut, or "whole".
  [[nodiscard]] std::string piece(const Call& call) const;

  const AddressNames address;
  CounterNames counters;      ///< of the loops that expressions are in
  CodeCounts code = {};       ///< of what was written since it was cleared
  std::string new_regions{};  ///< likewise: constants that were first named

 private:
  /// An end of an interval: its value, or the text of one that follows a loop.
  using Bound = std::variant<int64_t, std::string>;

  [[nodiscard]] std::pair<std::string, Interval> cut_text(const IndexExpr& expr,
                                                          const CallAxis& part) const;
  [[nodiscard]] Bound bound(const IndexExpr& expr, const CallAxis& part, TensorId tensor,
                            size_t axis);
  [[nodiscard]] static std::string text_of(const Bound& bound);
  [[nodiscard]] std::string text_of(const Bound& bound, TensorId tensor, size_t axis);

  const Graph& graph_;
  const Program& program_;
  const std::string& data_;
  ViewConstants& constants_;
  std::vector<int64_t> counts_;  ///< by LoopId
  /// Limits over all calls that do the same part of a step: those in pieces have less each.
  std::map<std::pair<Position, int>, std::vector<Interval>> limits_;
  std::set<std::string> regions_;  ///< that are named
};

}  // namespace thimble
