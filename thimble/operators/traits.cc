// SPDX-License-Identifier: Apache-2.0
#include "thimble/operators/traits.h"

namespace thimble {

bool keeps_channels_apart(const InputMap& map, const Shape& in, const Shape& out) {
  const auto channels = [](const Shape& shape) { return shape.empty() ? 1 : shape.back(); };
  if (channels(in) != channels(out)) return false;
  if (map.linear || map.axes.empty()) return true;
  const auto* last = std::get_if<Affine>(&map.axes.back());
  return last != nullptr && *last == Affine{.out_axis = static_cast<int>(out.size()) - 1};
}

}  // namespace thimble
