// SPDX-License-Identifier: Apache-2.0
// Steps as rows of a table in flash, which takes half of the bytes of a function for each.
#pragma once

#include <string>
#include <vector>

#include "thimble/program/program.h"

namespace thimble {

class StepTable {
 public:
  /// Both must outlive it.
  explicit StepTable(const Program& program) : program_(program) {}

  /// The call that a step is, if a row can say it: a call on one or two tensors in the arena, from
  /// their first element on, dense or broadcast; else null.
  [[nodiscard]] const Call* row_of(const std::vector<ProgramNode>& step) const;
  /// comment: lines that begin with "//". False if the table is full.
  [[nodiscard]] bool add(const Call& call, const std::string& comment);
  [[nodiscard]] size_t size() const { return rows_.size(); }
  /// The table, and `run_steps(arena, begin, end)`, which executes rows.
  [[nodiscard]] std::string text() const;

 private:
  struct Function {
    std::string name, text;
  };

  [[nodiscard]] bool is_dense(const OperandView& view) const;
  [[nodiscard]] std::string tensor_text(const OperandView& view) const;
  size_t tensor(const std::string& text);
  std::string function(const Call& call);

  const Program& program_;
  std::vector<std::string> tensors_;
  std::vector<Function> functions_;
  std::vector<std::string> rows_;
};

}  // namespace thimble
