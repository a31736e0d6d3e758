// SPDX-License-Identifier: Apache-2.0
// What operators with a window over height and width share. Private to thimble/operators.
#pragma once

#include <variant>

#include "thimble/operators/predicates.h"
#include "thimble/regions/access_map.h"

namespace thimble {

/// Output row (or column) o reads the input rows o * stride - pad + k * dilation, k in [0, kernel).
[[nodiscard]] Affine window_map_y(const Window& w);
[[nodiscard]] Affine window_map_x(const Window& w);
/// Shape of the output for an input of shape x [N,H,W,C]. An extent below 1: the window does not
/// fit.
[[nodiscard]] Shape window_output(const Window& w, const Shape& x, int64_t channels);

bool window_is_sane(const Window& w, const Shape& x);
bool window_never_misses(const Window& w);

template <class A>
bool has_sane_window(const Graph& graph, const Op& op) {
  return window_is_sane(std::get<A>(op.attributes).window, graph.tensor(op.inputs[0]).shape);
}
template <class A>
inline constexpr Constraint kSaneWindow{
    "kernel, stride, dilation, height and width are 1 to 65535 and the padding is 0 to 65535",
    has_sane_window<A>};

/// For pools: a window without an input element has no average and no maximum.
template <class A>
bool has_window_within_reach(const Graph&, const Op& op) {
  return window_never_misses(std::get<A>(op.attributes).window);
}
template <class A>
inline constexpr Constraint kWindowWithinReach{
    "the dilation is 1 and the padding is less than the window, which so meets the input",
    has_window_within_reach<A>};

}  // namespace thimble
