// SPDX-License-Identifier: Apache-2.0
// The number as another type; one file per pair of types, so that a model pays only for its own.
#pragma once

#include "thimble_runtime/kernels.h"
#include "walk.h"

namespace thimble::runtime {

/// Towards zero and within int32; NaN: 0.
inline int32_t whole_number(float real) noexcept {
  if (real >= 0x1p31F) return 0x7FFFFFFF;
  if (real >= -0x1p31F) return static_cast<int32_t>(real);
  return real < 0 ? -0x7FFFFFFF - 1 : 0;
}
template <class Integer>
inline Integer whole_number(Integer value) noexcept {
  return value;
}

/// Integers take the low bits; float32 takes the nearest number.
template <class Out, class Integer>
inline Out as_type(Integer value) noexcept {
  return static_cast<Out>(value);
}

template <class In, class Out>
inline void cast(const View& x, const View& out, const Region& region) noexcept {
  map_elements<In, Out>(x, out, region, [](In value) { return as_type<Out>(whole_number(value)); });
}

}  // namespace thimble::runtime
