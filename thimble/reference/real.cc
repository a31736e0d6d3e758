// SPDX-License-Identifier: Apache-2.0
#include "thimble/reference/real.h"

#include "thimble/model/error.h"
#include "thimble/reference/real_of.h"

namespace thimble {

RealValues evaluate_real(const Graph& graph, const Op& op,
                         const std::vector<const RealValues*>& inputs) {
  const reference::RealContext context{graph, op, inputs};
  return std::visit(
      [&]<class Operator>(const Operator& attributes) -> RealValues {
        if constexpr (kIsSignal<Operator>) {
          throw InternalError(label(op) + " is not computed in real numbers");
        } else {
          return reference::real_of(attributes, context);
        }
      },
      op.attributes);
}

}  // namespace thimble
