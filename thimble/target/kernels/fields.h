// SPDX-License-Identifier: Apache-2.0
// The fields of every kernel's parameters (params.def) one by one: binding, printing, comparing and
// recording go through them. C++17, and of the runtime's headers alone, since recorders of emitted
// code include it too.
//
//   each_field(params, [](const char* name, auto& field) { ... });
#pragma once

#include <cstddef>
#include <type_traits>

#include "thimble_runtime/kernels.h"

namespace thimble {
namespace fields {

using namespace thimble::runtime;

/// Whether `Struct`, const or not, is `Wanted`.
template <class Struct, class Wanted>
using If = std::enable_if_t<std::is_same_v<std::remove_const_t<Struct>, Wanted>, int>;

#define F(name) visit(#name, s.name);
#define THIMBLE_PARAMS(Struct, fields)               \
  template <class S, class Visit, If<S, Struct> = 0> \
  void each_field(S& s, Visit visit) {               \
    fields                                           \
  }
THIMBLE_PARAMS(ChannelScales, F(multipliers) F(shifts))
THIMBLE_PARAMS(Scale, F(multiplier) F(shift))
THIMBLE_PARAMS(LinearAxis, F(step) F(offset) F(in_extent))
THIMBLE_PARAMS(Window2D, F(kernel_h) F(kernel_w) F(stride_h) F(stride_w) F(dilation_h) F(dilation_w)
                             F(pad_top) F(pad_left) F(in_h) F(in_w))
#include "thimble/target/kernels/params.def"
#undef F

/// Calls leaf(field) for each number and each pointer, structs and arrays opened, in order.
template <class S, class F>
void each_leaf(S& s, const F& leaf) {
  each_field(s, [&](const char*, auto& field) {
    using Field = std::remove_const_t<std::remove_reference_t<decltype(field)>>;
    if constexpr (std::is_array_v<Field>) {
      for (auto& element : field) {
        if constexpr (std::is_class_v<std::remove_extent_t<Field>>) {
          each_leaf(element, leaf);
        } else {
          leaf(element);
        }
      }
    } else if constexpr (std::is_class_v<Field>) {
      each_leaf(field, leaf);
    } else {
      leaf(field);
    }
  });
}

}  // namespace fields

using fields::each_field;
using fields::each_leaf;

}  // namespace thimble
