// SPDX-License-Identifier: Apache-2.0
// POW: of float32 alone.
#include "thimble/model/error.h"
#include "thimble/reference/bounds_of.h"
#include "thimble/reference/real_of.h"
#include "thimble_runtime/real_functions.h"

namespace thimble::reference {

std::vector<Bytes> evaluate(const Pow&, const OpContext&) {
  throw InternalError("an operator of float32 was given other operands");
}

RealValues real_of(const Pow&, const RealContext& c) { return combined(c, runtime::real::pow); }

ValueRanges bounds_of(const Pow&, const BoundsContext& c) { return any_value(c.output()); }

}  // namespace thimble::reference
