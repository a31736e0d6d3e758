// SPDX-License-Identifier: Apache-2.0
// A tensor here is a square map with channels; operators are added in the order of a file.
#include "order_networks.h"

#include <algorithm>
#include <random>
#include <set>
#include <utility>

namespace thimble {
namespace {

/// A tensor and its shape.
struct Map {
  int tensor;
  int side;
  int channels;
};

class Maker {
 public:
  explicit Maker(bool in_place) : in_place_(in_place) {}

  Map input(int side, int channels) {
    const Map map = make(side, channels);
    problem_.inputs.push_back(map.tensor);
    return map;
  }
  OrderProblem finish(const Map& output) {
    problem_.outputs.push_back(output.tensor);
    return std::move(problem_);
  }

  Map relu(const Map& in) { return elementwise({in}); }
  Map add(const Map& a, const Map& b) { return elementwise({a, b}); }
  Map conv(const Map& in, int channels, int stride = 1) {
    return op({in}, make(halved(in.side, stride), channels));
  }
  Map pool(const Map& in, int stride) { return conv(in, in.channels, stride); }
  Map depthwise(const Map& in, int stride) {
    const Map out = conv(in, in.channels, stride);
    // One channel at a time, by way of a buffer.
    if (stride == 1) may_take(in, int64_t{in.side} * in.side);
    return out;
  }
  Map concat(const std::vector<Map>& ins) {
    int channels = 0;
    for (const Map& in : ins) channels += in.channels;
    return op(ins, make(ins[0].side, channels));
  }

  Map relu_conv(const Map& in, int channels) { return conv(relu(in), channels); }
  Map separable(const Map& in, int channels, int stride) {
    return conv(depthwise(relu(in), stride), channels);
  }
  Map separable_twice(const Map& in, int channels, int stride) {
    return separable(separable(in, channels, stride), channels, 1);
  }
  /// Halves the map: two paths, one of them shifted by a pixel.
  Map factorised(const Map& in, int channels) {
    const Map x = relu(in);
    const Map shifted = op({x}, make(x.side, x.channels));
    return concat({conv(x, channels / 2, 2), conv(shifted, channels - channels / 2, 2)});
  }
  /// A cell's older input, brought to the shape of its newer one.
  Map adjusted(const Map& older, const Map& newer, int channels) {
    return older.side == newer.side ? relu_conv(older, channels) : factorised(older, channels);
  }

 private:
  static int halved(int side, int stride) { return (side + stride - 1) / stride; }

  Map make(int side, int channels) {
    problem_.size_bytes.push_back(int64_t{side} * side * channels);
    return {static_cast<int>(problem_.size_bytes.size()) - 1, side, channels};
  }
  Map op(const std::vector<Map>& ins, const Map& out) {
    OrderProblem::Op result;
    for (const Map& in : ins) {
      if (std::count(result.inputs.begin(), result.inputs.end(), in.tensor) == 0) {
        result.inputs.push_back(in.tensor);
      }
    }
    result.outputs = {out.tensor};
    problem_.ops.push_back(std::move(result));
    return out;
  }
  Map elementwise(const std::vector<Map>& ins) {
    const Map out = op(ins, make(ins[0].side, ins[0].channels));
    for (const int t : problem_.ops.back().inputs) may_take({t, out.side, out.channels}, 0);
    return out;
  }
  void may_take(const Map& in, int64_t scratch_bytes) {
    if (in_place_) problem_.ops.back().in_place.push_back({in.tensor, scratch_bytes});
  }

  const bool in_place_;
  OrderProblem problem_;
};

struct Inputs {
  Map older, newer;
};

Map nasnet_normal(Maker& make, const Inputs& in, int channels) {
  const Map older = make.adjusted(in.older, in.newer, channels);
  const Map newer = make.relu_conv(in.newer, channels);
  const auto separable = [&](const Map& map) { return make.separable_twice(map, channels, 1); };
  std::vector<Map> blocks = {older};
  blocks.push_back(make.add(separable(newer), separable(older)));
  blocks.push_back(make.add(separable(older), separable(older)));
  blocks.push_back(make.add(make.pool(newer, 1), older));
  blocks.push_back(make.add(make.pool(older, 1), make.pool(older, 1)));
  blocks.push_back(make.add(separable(newer), newer));
  return make.concat(blocks);
}

Map nasnet_reduction(Maker& make, const Inputs& in, int channels) {
  const Map older = make.adjusted(in.older, in.newer, channels);
  const Map newer = make.relu_conv(in.newer, channels);
  const auto separable = [&](const Map& map) { return make.separable_twice(map, channels, 2); };
  const Map first = make.add(separable(newer), separable(older));
  const Map second = make.add(make.pool(newer, 2), separable(older));
  const Map third = make.add(make.pool(newer, 2), separable(older));
  const Map fourth = make.add(make.pool(first, 1), second);
  const Map fifth = make.add(make.separable_twice(first, channels, 1), make.pool(newer, 2));
  return make.concat({second, third, fourth, fifth});
}

Map darts_normal(Maker& make, const Inputs& in, int channels) {
  const Map a = make.adjusted(in.older, in.newer, channels);
  const Map b = make.relu_conv(in.newer, channels);
  const auto separable = [&](const Map& map) { return make.separable_twice(map, channels, 1); };
  const Map first = make.add(separable(a), separable(b));
  const Map second = make.add(separable(a), separable(b));
  const Map third = make.add(separable(b), a);
  const Map fourth = make.add(a, make.separable(first, channels, 1));
  return make.concat({first, second, third, fourth});
}

Map darts_reduction(Maker& make, const Inputs& in, int channels) {
  const Map a = make.adjusted(in.older, in.newer, channels);
  const Map b = make.relu_conv(in.newer, channels);
  const Map first = make.add(make.pool(a, 2), make.pool(b, 2));
  const Map second = make.add(first, make.pool(b, 2));
  const Map third = make.add(make.pool(a, 2), first);
  const Map fourth = make.add(first, make.pool(b, 2));
  return make.concat({first, second, third, fourth});
}

/// Edges (from, to), from < to: a ring of neighbours with random other ends.
std::set<std::pair<int, int>> watts_strogatz(int nodes, std::mt19937& random) {
  constexpr int kNeighbours = 4;  // K; two on each side
  std::set<std::pair<int, int>> edges;
  const auto edge = [](int a, int b) { return std::pair(std::min(a, b), std::max(a, b)); };
  for (int step = 1; step <= kNeighbours / 2; ++step) {
    for (int a = 0; a < nodes; ++a) edges.insert(edge(a, (a + step) % nodes));
  }
  for (int step = 1; step <= kNeighbours / 2; ++step) {
    for (int a = 0; a < nodes; ++a) {
      if (random() % 4 == 0) continue;  // P = 0.75
      const int b = static_cast<int>(random() % static_cast<unsigned>(nodes));
      if (b == a || edges.contains(edge(a, b))) continue;
      edges.erase(edge(a, (a + step) % nodes));
      edges.insert(edge(a, b));
    }
  }
  return edges;
}

Map wired_stage(Maker& make, const Map& in, const WiredNetwork& network, std::mt19937& random) {
  const std::set<std::pair<int, int>> edges = watts_strogatz(network.nodes, random);
  const int channels = in.channels * 2;
  std::vector<Map> made;
  std::vector<bool> read(static_cast<size_t>(network.nodes), false);
  const auto sum_of = [&](const std::vector<int>& nodes) {
    Map sum = made[static_cast<size_t>(nodes[0])];
    for (size_t i = 1; i < nodes.size(); ++i) {
      sum = make.add(sum, made[static_cast<size_t>(nodes[i])]);
    }
    return sum;
  };
  for (int node = 0; node < network.nodes; ++node) {
    std::vector<int> from;
    for (const auto& [a, b] : edges) {
      if (b == node) from.push_back(a);
    }
    for (const int a : from) read[static_cast<size_t>(a)] = true;
    made.push_back(from.empty() ? make.separable(in, channels, 2)
                                : make.separable(sum_of(from), channels, 1));
  }
  std::vector<int> ends;
  for (int node = 0; node < network.nodes; ++node) {
    if (!read[static_cast<size_t>(node)]) ends.push_back(node);
  }
  return sum_of(ends);
}

}  // namespace

OrderProblem nasnet_problem(const CellNetwork& network, bool stem_cells) {
  Maker make(network.in_place);
  Inputs in{.older = make.input(network.resolution, 3), .newer = {}};
  // 32 channels before stem cells, or three times those of a branch.
  in.older = in.newer =
      make.conv(in.older, stem_cells ? 32 : 3 * network.channels, stem_cells ? 2 : 1);
  const auto cell = [&](auto kind, int channels) {
    in = {.older = in.newer, .newer = kind(make, in, channels)};
  };
  if (stem_cells) {
    cell(nasnet_reduction, network.channels / 4);
    cell(nasnet_reduction, network.channels / 2);
  }
  for (int stage = 0; stage < 3; ++stage) {
    const int channels = network.channels << stage;
    if (stage > 0) cell(nasnet_reduction, channels);
    for (int k = 0; k < network.cells; ++k) cell(nasnet_normal, channels);
  }
  return make.finish(make.conv(make.pool(make.relu(in.newer), in.newer.side), 10));
}

OrderProblem darts_problem(const CellNetwork& network) {
  Maker make(network.in_place);
  const Map image = make.input(network.resolution, 3);
  Inputs in{};
  in.older = make.conv(make.relu(make.conv(image, network.channels / 2, 2)), network.channels, 2);
  in.newer = make.conv(make.relu(in.older), network.channels, 2);
  int channels = network.channels;
  for (int k = 0; k < network.cells; ++k) {
    const bool reduces = k == network.cells / 3 || k == 2 * network.cells / 3;
    if (reduces) channels *= 2;
    in = {
        .older = in.newer,
        .newer = reduces ? darts_reduction(make, in, channels) : darts_normal(make, in, channels)};
  }
  return make.finish(make.conv(make.pool(in.newer, in.newer.side), 1000));
}

OrderProblem wired_problem(const WiredNetwork& network) {
  Maker make(network.in_place);
  std::mt19937 random(network.seed);
  Map map = make.input(network.resolution, network.channels);
  for (int stage = 0; stage < network.stages; ++stage) {
    map = wired_stage(make, map, network, random);
  }
  return make.finish(make.conv(make.pool(map, map.side), 1000));
}

OrderProblem random_problem(const RandomNetwork& network) {
  std::mt19937 random(network.seed);
  const auto draw = [&](int low, int high) {
    return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
  };
  OrderProblem problem{
      .size_bytes = {draw(1, network.max_bytes)}, .inputs = {0}, .outputs = {}, .ops = {}};
  std::vector<bool> read(static_cast<size_t>(network.ops) + 1, false);
  for (int o = 0; o < network.ops; ++o) {
    std::set<int> inputs;
    for (int i = draw(1, 3); i > 0; --i) inputs.insert(draw(std::max(0, o + 1 - network.reach), o));
    OrderProblem::Op op;
    op.inputs.assign(inputs.begin(), inputs.end());
    op.outputs = {o + 1};
    for (const int t : op.inputs) {
      read[static_cast<size_t>(t)] = true;
      if (network.in_place && draw(0, 1) == 0)
        op.in_place.push_back({t, draw(0, network.max_bytes / 10)});
    }
    problem.ops.push_back(std::move(op));
    problem.size_bytes.push_back(draw(1, network.max_bytes));
  }
  for (int t = 0; t <= network.ops; ++t) {
    if (!read[static_cast<size_t>(t)]) problem.outputs.push_back(t);
  }
  return problem;
}

}  // namespace thimble
