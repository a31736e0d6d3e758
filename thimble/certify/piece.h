// SPDX-License-Identifier: Apache-2.0
// Parts of networks, to be executed by themselves.
#pragma once

#include <optional>
#include <vector>

#include "thimble/certify/file_network.h"

namespace thimble {

/// A network of some operators of another: its inputs are given, its output is wanted.
struct Excerpt {
  Graph graph;
  std::vector<OpId> ops;  ///< of the other network, in its order
};

/// The operators of the file's network between tensors, or twins of them. Nothing: what is wanted
/// depends on more than is given.
[[nodiscard]] std::optional<Excerpt> piece_between(const FileNetwork& file,
                                                   const std::vector<TensorId>& given,
                                                   TensorId wanted);
/// One operator of the rewritten network.
[[nodiscard]] Excerpt piece_of(const Graph& graph, const Op& op,
                               const std::vector<TensorId>& given);

/// Two pieces that should compute the same of an image become those of one with fewer rows and
/// columns, in which windows lie on the borders in the same ways. As they are where they are not of
/// windows, or small.
void shrink(Graph& a, Graph& b);

}  // namespace thimble
