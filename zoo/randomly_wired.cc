// SPDX-License-Identifier: Apache-2.0
// Randomly wired networks (Xie et al. 2019, "Exploring randomly wired neural networks for image
// recognition", sections 3.2 to 3.4, small regime): three stages, each a Watts-Strogatz graph with
// K = 4 and P = 0.75. A node sums what it receives, then relu, separable 3x3 convolution. The
// weights of a sum, and the mean at a stage's end, are folded into the scales.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "zoo/blocks.h"
#include "zoo/networks.h"

namespace thimble::zoo {
namespace {

using Edge = std::pair<int64_t, int64_t>;  ///< from a lower node to a higher one

/// A ring where each node knows its two neighbours on either side; each edge then moves its far end
/// with probability P to a node that it does not know yet.
std::set<Edge> watts_strogatz(int64_t nodes, Random& random) {
  constexpr int64_t kNeighbours = 2;
  constexpr double kRewired = 0.75;
  const auto edge = [](int64_t a, int64_t b) { return Edge(std::min(a, b), std::max(a, b)); };
  std::set<Edge> edges;
  for (int64_t i = 0; i < nodes; ++i) {
    for (int64_t k = 1; k <= kNeighbours; ++k) edges.insert(edge(i, (i + k) % nodes));
  }
  for (int64_t k = 1; k <= kNeighbours; ++k) {
    for (int64_t i = 0; i < nodes; ++i) {
      if (!random.chance(kRewired)) continue;
      const int64_t to = random.between(0, nodes - 1);
      if (to == i || edges.contains(edge(i, to))) continue;
      if (edges.erase(edge(i, (i + k) % nodes)) > 0) edges.insert(edge(i, to));
    }
  }
  return edges;
}

TensorId sum(Builder& net, const std::vector<TensorId>& terms) {
  TensorId total = terms.at(0);
  for (size_t k = 1; k < terms.size(); ++k) total = net.add(total, terms[k]);
  return total;
}

TensorId stage(Builder& net, TensorId x, int64_t nodes, int64_t channels, Random& random) {
  const std::set<Edge> edges = watts_strogatz(nodes, random);
  std::vector<TensorId> made;
  std::vector<bool> read(static_cast<size_t>(nodes), false);
  for (int64_t node = 0; node < nodes; ++node) {
    std::vector<TensorId> terms;
    for (const Edge& edge : edges) {
      if (edge.second != node) continue;
      terms.push_back(made[static_cast<size_t>(edge.first)]);
      read[static_cast<size_t>(edge.first)] = true;
    }
    const int64_t stride = terms.empty() ? 2 : 1;
    if (terms.empty()) terms.push_back(x);
    const TensorId filtered = net.depthwise(net.relu(sum(net, terms)),
                                            {.stride = stride, .activation = Activation::kNone});
    made.push_back(net.conv(filtered, {.channels = channels, .activation = Activation::kNone}));
  }
  std::vector<TensorId> ends;
  for (size_t node = 0; node < made.size(); ++node) {
    if (!read[node]) ends.push_back(made[node]);
  }
  return sum(net, ends);
}

Graph randomly_wired(const std::string& name, const Parameters& p) {
  const auto seed = static_cast<uint64_t>(p.integer("seed"));
  Random random(seed);
  Builder net(name, seed);
  const int64_t channels = p.integer("channels");
  const int64_t side = p.integer("resolution");
  TensorId x = net.conv(
      net.input({1, side, side, 3}),
      {.channels = channels / 2, .kernel = 3, .stride = 2, .activation = Activation::kRelu});
  x = net.conv(x,
               {.channels = channels, .kernel = 3, .stride = 2, .activation = Activation::kNone});
  for (int64_t k = 0; k < 3; ++k) {
    net.scope(fmt::format("stage_{}", k + 3));
    x = stage(net, x, p.integer("nodes"), channels << k, random);
  }
  net.scope("");
  x = net.conv(net.relu(x), {.channels = 1280, .activation = Activation::kRelu});
  return net.finish({classifier(net, x, p.integer("classes"))});
}

}  // namespace

std::vector<Network> randomly_wired_networks() {
  return {{"randomly_wired",
           "randomly wired network, WS(4, 0.75), small regime",
           {whole_number("seed", 1, 0, 1'000'000, "of the graph and the weights"),
            whole_number("nodes", 32, 5, 128, "in each of the three stages"),
            whole_number("channels", 78, 4, 512, "of the first stage (C)"),
            whole_number("classes", 1000, 2, 10000, "outputs"),
            whole_number("resolution", 224, 64, 1024, "height and width of the image")},
           randomly_wired}};
}

}  // namespace thimble::zoo
