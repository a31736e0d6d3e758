// SPDX-License-Identifier: Apache-2.0
// What tests say of each operator, in the file of its subject: a small supported network of it,
// what is taken and refused of that network changed, and random instances of it (op_draw.h).
#pragma once

#include <string>
#include <vector>

#include "thimble/model/graph.h"

namespace thimble::testing {

/// A change of the literal that unsupported_reason() refuses.
struct Refusal {
  const char* reason;  ///< a part of the constraint's text
  void (*spoil)(Graph& graph);
};

struct Claims {
  bool float32 = false;  ///< the literal is taken in_float(), without quantisation, too
  std::vector<Refusal> refusals;
};

// literal_of: operands are tensors 0, 1, ... in order; the output is the last tensor.
#define THIMBLE_OPERATOR(Kind, name)             \
  [[nodiscard]] Graph literal_of(const Kind& a); \
  [[nodiscard]] Claims claims_of(const Kind& a);
#include "thimble/model/operators.def"

/// One of each kind, with its default attributes.
[[nodiscard]] std::vector<Attributes> every_operator();
[[nodiscard]] Graph literal_of(const Attributes& kind);
[[nodiscard]] Claims claims_of(const Attributes& kind);

/// kind: snake_name().
[[nodiscard]] Graph literal_op(const std::string& kind);

}  // namespace thimble::testing
