// SPDX-License-Identifier: Apache-2.0
// What of a model becomes the network; the same for every format.
#pragma once

#include <string>
#include <vector>

#include "thimble/model/graph.h"
#include "thimble/model/hop.h"

namespace thimble {

struct NamedShape {
  std::string input;  ///< "": the only one
  Shape shape;
};

struct ImportOptions {
  /// Names or numbers of tensors that become the network's outputs, with what they need and nothing
  /// else; none: the outputs that the file has.
  std::vector<std::string> until = {};
  /// Shapes of inputs, instead of what the file has; all others follow.
  std::vector<NamedShape> shapes = {};
  Hop hop = {};  ///< the network as it slides over time
};

}  // namespace thimble
