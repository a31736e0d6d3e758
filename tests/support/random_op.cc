// SPDX-License-Identifier: Apache-2.0
// Random networks of one operator, for property tests.
#include "tests/support/random_op.h"

#include <string>
#include <vector>

#include "tests/support/operators/claims.h"
#include "tests/support/operators/op_draw.h"
#include "thimble/model/error.h"
#include "thimble/operators/operators.h"

namespace thimble::testing {
namespace {

/// A draw that breaks a constraint (a window larger than the image) is thrown away.
constexpr int kDraws = 1000;

}  // namespace

Graph random_op_graph(uint64_t seed) {
  zoo::Random random(seed);
  const std::vector<Attributes> kinds = every_operator();
  const Attributes& kind = kinds[seed % kinds.size()];
  for (int draw = 0; draw < kDraws; ++draw) {
    Graph graph = OpDraw(random).network(kind);
    if (unsupported_reason(graph, graph.ops[0]).empty()) {
      check_graph(graph);
      return graph;
    }
  }
  throw InternalError(std::string(name(kind)) + ": no draw was supported");
}

}  // namespace thimble::testing
