// SPDX-License-Identifier: Apache-2.0
// Which operators of a .tflite file are taken, and what they are called.
#pragma once

#include <string>

#include "thimble/import/refusal.h"
#include "thimble/import/section.h"
#include "thimble/import/tflite/operator_kind.h"

namespace thimble {

/// What the file calls an operator, and how it is imported (null: not supported).
struct NamedKind {
  std::string name;
  const OperatorKind* kind = nullptr;
};

/// Throws CompileError if the file has no such operator code.
[[nodiscard]] NamedKind kind_of(const TfliteFile& file, size_t number);

class TfliteListing : public Listing {
 public:
  explicit TfliteListing(const TfliteFile& file) : file_(file) {}

  [[nodiscard]] std::string where() const override { return file_.where(); }
  [[nodiscard]] std::vector<TensorId> inputs() const override;
  [[nodiscard]] std::vector<TensorId> outputs() const override;
  [[nodiscard]] size_t tensor_count() const override { return file_.tensor_count(); }
  [[nodiscard]] std::string_view tensor_name(size_t tensor) const override {
    return file_.tensor(tensor).name;
  }
  [[nodiscard]] size_t op_count() const override { return file_.op_count(); }
  [[nodiscard]] bool is_supported(size_t op) const override;
  [[nodiscard]] std::vector<TensorId> inputs_of(size_t op) const override;
  [[nodiscard]] std::vector<TensorId> outputs_of(size_t op) const override;

 private:
  const TfliteFile& file_;
};

/// What the name of an operator that is not supported tells of its file.
[[nodiscard]] Help help_for_operator(const std::string& name);

/// Throws CompileError for numbers of inputs and outputs that the kind does not have.
void check_operands(const OperatorKind& kind, const TfliteOp& op);

}  // namespace thimble
