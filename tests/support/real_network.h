// SPDX-License-Identifier: Apache-2.0
// Networks of float32 from random ones of int8.
#pragma once

#include <optional>

#include "thimble/model/graph.h"

namespace thimble::testing {

/// A network of the same operators on the real numbers that the integers stand for; nothing where
/// an operator has no form in float32, converts between types, or has a state.
[[nodiscard]] std::optional<Graph> real_network(Graph integers);

}  // namespace thimble::testing
