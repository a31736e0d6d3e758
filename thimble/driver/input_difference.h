// SPDX-License-Identifier: Apache-2.0
// How what a board was given differs from what it should have been: mistakes of preprocessing that
// are made often.
#pragma once

#include <string>

#include "thimble/model/graph.h"

namespace thimble {

/// A phrase: "each value is the file's less 128: unsigned pixels where the model takes signed
/// ones", "channels in reverse order: BGR for RGB", ...; or how many values differ, by how much.
[[nodiscard]] std::string input_difference(const Tensor& tensor, const Bytes& wanted,
                                           const Bytes& given);

}  // namespace thimble
