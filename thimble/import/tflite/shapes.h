// SPDX-License-Identifier: Apache-2.0
// Shapes of a network whose inputs have others than the file records (ImportOptions::shapes), or
// whose file leaves ranks open: those of tensors that operators make follow, by the rules of the
// format. What is then imported is checked against them as against recorded ones.
#pragma once

#include <string>
#include <vector>

#include "thimble/import/import_options.h"
#include "thimble/import/section.h"
#include "thimble/import/tflite/operator_kind.h"

namespace thimble {

/// Sets the shapes of inputs, and of all that operators make of them; without `shapes` those that
/// the file leaves open. Throws CompileError for inputs that are none, and where a shape cannot be
/// followed; for one that the file leaves open `unknown`, if given, says so per tensor instead.
void infer_shapes(const TfliteFile& file, const Section& section,
                  const std::vector<NamedShape>& shapes, std::vector<Tensor>& tensors,
                  std::vector<std::string>* unknown = nullptr);

/// Throws CompileError where parameters contradict the shapes of outputs that repeat them.
void check_repeated_shapes(const OperatorKind& kind, TfliteOp op);

}  // namespace thimble
