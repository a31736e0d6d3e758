// SPDX-License-Identifier: Apache-2.0
// ATAN, CEIL, COS, ERF, EXP, FLOOR, LOG, NEG, ROUND, SIN, SQRT, SQUARE: of float32 alone.
#include "thimble/model/error.h"
#include "thimble/reference/bounds_of.h"
#include "thimble/reference/real_of.h"
#include "thimble_runtime/real_functions.h"

namespace thimble::reference {

std::vector<Bytes> evaluate(const Elementwise&, const OpContext&) {
  throw InternalError("an operator of float32 was given other operands");
}

RealValues real_of(const Elementwise& op, const RealContext& c) {
  switch (op.function) {
    case Function::kAtan:
      return of_each(c, runtime::real::atan);
    case Function::kCeil:
      return of_each(c, runtime::real::ceil);
    case Function::kCos:
      return of_each(c, runtime::real::cos);
    case Function::kErf:
      return of_each(c, runtime::real::erf);
    case Function::kExp:
      return of_each(c, runtime::real::exp);
    case Function::kFloor:
      return of_each(c, runtime::real::floor);
    case Function::kLog:
      return of_each(c, runtime::real::log);
    case Function::kNeg:
      return of_each(c, runtime::real::neg);
    case Function::kRound:
      return of_each(c, runtime::real::round);
    case Function::kSin:
      return of_each(c, runtime::real::sin);
    case Function::kSqrt:
      return of_each(c, runtime::real::sqrt);
    case Function::kSquare:
      return of_each(c, runtime::real::square);
  }
  throw InternalError("unknown Function");
}

ValueRanges bounds_of(const Elementwise&, const BoundsContext& c) { return any_value(c.output()); }

}  // namespace thimble::reference
