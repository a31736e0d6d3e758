// SPDX-License-Identifier: Apache-2.0
// A network in tiles as SwapNN cuts it (section III-B): every layer's input, weights and output lie
// on a card, and pass through buffers of one size.
//
//   conv 224x224x64 -> 64, buffers of 128 KB: an output row has 14,336 B, a tile 7 rows of input
//
//   tile 0: read rows 0-7, weights; write rows 0-6      tile 1: read rows 6-14, weights; ...
#pragma once

#include <cstdint>
#include <vector>

#include "thimble/model/graph.h"
#include "thimble/regions/region.h"

namespace thimble::swapnn {

/// SRAM in equal buffers: a quarter of them for inputs, half for weights, a quarter for outputs.
struct Buffers {
  int64_t bytes = 0;  ///< of each
  int64_t inputs = 1, weights = 2, outputs = 1;
};
/// Throws CompileError: less than four buffers.
[[nodiscard]] Buffers buffers_of(int64_t sram_bytes, int64_t buffer_bytes);

/// Bytes of a tensor in row-major order.
struct TileBytes {
  TensorId tensor;
  Interval bytes;
};

/// One output tile.
struct Tile {
  std::vector<TileBytes> reads;  ///< activations, halo included, padding not
  int64_t read_bytes = 0;        ///< all of them; more than a buffer where they cannot be cut
  TileBytes makes;
  int64_t written_bytes = 0;
  int64_t macs = 0;
};

/// What a MAC costs differs.
enum class Speed : uint8_t { kConvolution, kPointwise, kFullyConnected };

struct Layer {
  std::vector<Tile> tiles;
  int64_t weight_bytes = 0;  ///< read for every output tile; without biases
  Speed speed = Speed::kConvolution;
};

/// Full rows with all channels, as many as fit: the larger of the output's and the inputs' is at
/// most a buffer. Where not even one row does, one in columns; where there are no rows, all of it.
/// Behind every layer with weights come so many elementwise ones, of which the paper's networks
/// have some and a quantised network has none: activation and batch normalisation. Reshapes and
/// softmax are no layers.
[[nodiscard]] std::vector<Layer> layers_of(const Graph& graph, const Buffers& buffers,
                                           int elementwise);

}  // namespace thimble::swapnn
