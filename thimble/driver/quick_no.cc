// SPDX-License-Identifier: Apache-2.0
#include "thimble/driver/quick_no.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "thimble/target/size.h"

namespace thimble {
namespace {

// Operand 1 of those that multiply their input by a constant.
bool has_weights(const Op& op) {
  return std::holds_alternative<Conv2D>(op.attributes) ||
         std::holds_alternative<DepthwiseConv2D>(op.attributes) ||
         std::holds_alternative<FullyConnected>(op.attributes) ||
         std::holds_alternative<TransposeConv>(op.attributes);
}

// Half a byte each where kernels can hold them in 4 bits.
int64_t least_bytes(const Op& op, const Tensor& weights) {
  const bool may_be_nibbles = std::holds_alternative<Conv2D>(op.attributes) ||
                              std::holds_alternative<FullyConnected>(op.attributes);
  const auto fits = [](uint8_t byte) {
    const auto weight = static_cast<int8_t>(byte);
    return weight >= -8 && weight <= 7;
  };
  const int64_t bytes = std::ssize(*weights.data);
  const bool nibbles =
      may_be_nibbles && weights.type == DType::kInt8 && std::ranges::all_of(*weights.data, fits);
  return nibbles ? (bytes + 1) / 2 : bytes;
}

bool is_smaller(const Bytes* a, const Bytes* b) { return *a < *b; }

// The largest port that has to be whole, with what is kept between inferences.
int64_t least_sram_bytes(const Graph& graph, const PortPlaces& places) {
  int64_t largest = 0, states = 0;
  const auto look = [&](Place place, const std::vector<Port>& ports) {
    int64_t sum = 0;
    for (const Port& port : ports) sum += graph.tensor(port.tensor).size_bytes();
    if (place != Place::kStreamed) largest = std::max(largest, sum);
  };
  look(places.input, graph.inputs);
  look(places.output, graph.outputs);
  for (const State& state : graph.states) states += graph.tensor(state.in).size_bytes();
  return largest + states;
}

}  // namespace

int64_t least_weight_bytes(std::span<const Graph> graphs) {
  std::set<const Bytes*, decltype(&is_smaller)> known(&is_smaller);
  int64_t sum = 0;
  for (const Graph& graph : graphs) {
    for (const Op& op : graph.ops) {
      if (!has_weights(op) || op.inputs.size() < 2) continue;
      const Tensor& weights = graph.tensor(op.inputs[1]);
      if (weights.is_constant() && known.insert(weights.data.get()).second)
        sum += least_bytes(op, weights);
    }
  }
  return sum;
}

std::optional<Infeasible> quick_no(const Graph& graph, const Request& request) {
  const std::optional<int64_t> flash = request.flash_limit_bytes();
  // What flash has no room for may come from a storage.
  const int64_t least = request.storage.empty() ? least_weight_bytes({&graph, 1}) : 0;
  if (flash && least > *flash) {
    return Infeasible{.lower_bound_bytes = 0,
                      .reason = fmt::format(
                          "its weights take {} of flash at least, {} more than the {} there are",
                          human_size(least), human_size(least - *flash), human_size(*flash)),
                      .flash_lower_bound_bytes = least};
  }
  std::optional<int64_t> sram = request.sram_limit_bytes();
  if (sram && !request.sram_bytes) sram = request.target.sram_bytes();
  if (request.external_ram) return std::nullopt;
  if (const int64_t needed = least_sram_bytes(graph, request.ports); sram && needed > *sram) {
    return Infeasible{
        .lower_bound_bytes = needed,
        .reason = fmt::format("its input or its output alone takes {} of SRAM, {} more than the {} "
                              "there are",
                              human_size(needed), human_size(needed - *sram), human_size(*sram))};
  }
  return std::nullopt;
}

}  // namespace thimble
