// SPDX-License-Identifier: Apache-2.0
// What each operator's file defines; operators.cc visits Attributes with them. Private to
// thimble/operators.
#pragma once

#include <vector>

#include "thimble/operators/constraint.h"
#include "thimble/operators/op_view.h"
#include "thimble/operators/traits.h"
#include "thimble/regions/access_map.h"

namespace thimble {

// access_map_of: one InputMap per input.
// macs_of: multiply-accumulates of a region of the output.
// output_shape_of: relies on the constraints about operands, ranks and attributes only. Where the
// attributes leave it open: the recorded one.
// constraints_of: what holds for this operator beyond common_constraints() (predicates.h).
#define THIMBLE_OPERATOR(Kind, name)                                     \
  AccessMap access_map_of(const Kind& a, const OpView& v);               \
  int64_t macs_of(const Kind& a, const OpView& v, const Region& region); \
  Shape output_shape_of(const Kind& a, const OpView& v);                 \
  Traits traits_of(const Kind& a);                                       \
  std::vector<Constraint> constraints_of(const Kind& a);
#include "thimble/model/operators.def"

}  // namespace thimble
