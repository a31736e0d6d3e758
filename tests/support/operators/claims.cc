// SPDX-License-Identifier: Apache-2.0
#include "tests/support/operators/claims.h"

#include <variant>

#include "thimble/model/error.h"

namespace thimble::testing {

std::vector<Attributes> every_operator() {
  return {
#define THIMBLE_OPERATOR(Kind, name) Kind{},
#include "thimble/model/operators.def"
  };
}

Graph literal_of(const Attributes& kind) {
  return std::visit([](const auto& a) { return literal_of(a); }, kind);
}

Claims claims_of(const Attributes& kind) {
  return std::visit([](const auto& a) { return claims_of(a); }, kind);
}

Graph literal_op(const std::string& kind) {
  for (const Attributes& a : every_operator()) {
    if (kind == snake_name(a)) return literal_of(a);
  }
  throw InternalError("no operator is called " + kind);
}

}  // namespace thimble::testing
