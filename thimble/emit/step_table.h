// SPDX-License-Identifier: Apache-2.0
// Steps as rows of a table in flash, which takes a third of the bytes of a function for each. What
// a call is handed but for its tensors are numbers, most of them small: a byte each where that is
// enough.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "thimble/emit/names.h"
#include "thimble/program/program.h"
#include "thimble/target/code_model.h"

namespace thimble {

class StepTable {
 public:
  /// `data`: the namespace of the constants. All must outlive it.
  StepTable(const Program& program, const std::string& data)
      : program_(program), address_name_(program), data_(data) {}

  /// The call that a step is, if a row can say it: a call on one or two tensors, constants among
  /// them, from their first element on; else null.
  [[nodiscard]] const Call* row_of(std::span<const ProgramNode> step) const;
  /// comment: lines that begin with "//". numbers: where it is traced, those of the elements that
  /// it writes. False if the table is full.
  [[nodiscard]] bool add(const Call& call, const std::string& comment, const std::string& numbers);
  [[nodiscard]] size_t size() const { return rows_.size(); }
  /// The table, and `run_steps(arena, begin, end)`, which executes rows.
  [[nodiscard]] std::string text() const;
  /// What is written in it.
  [[nodiscard]] CodeCounts code() const;

 private:
  struct Function {
    std::string name, text;
    bool takes_params = false;
  };
  struct Shape {
    int64_t height, width, column, channel;  ///< as emitted
  };

  [[nodiscard]] static std::optional<Shape> shape_of(const OperandView& view);
  [[nodiscard]] bool is_tabled(const OperandView& view) const;
  size_t constant(const std::string& name);
  size_t tensor(const OperandView& view);
  size_t function(const Call& call);
  [[nodiscard]] const KernelParams* params_of(const Call& call) const;
  void append_numbers(const Call& call);

  const Program& program_;
  const AddressNames address_name_;
  const std::string& data_;
  std::vector<std::string> constants_;
  std::vector<std::string> shapes_;
  std::vector<std::pair<std::string, size_t>> tensors_;  ///< address, shape
  std::vector<Function> functions_;
  std::vector<std::string> rows_;
  std::string numbers_;  ///< as text
  std::string traced_;   ///< likewise: numbers of elements, by row
  size_t number_bytes_ = 0;
};

/// Bytes of a kernel's parameters on a core of 32 bits.
[[nodiscard]] int64_t params_bytes(const KernelParams& params);

}  // namespace thimble
