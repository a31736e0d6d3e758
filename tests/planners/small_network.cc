// SPDX-License-Identifier: Apache-2.0
#include "tests/planners/small_network.h"

#include "tests/support/test_graph.h"
#include "zoo/random.h"

namespace thimble::testing {
namespace {

class SmallNetwork {
 public:
  explicit SmallNetwork(uint64_t seed) : random_(seed), g_(seed) {}

  Graph build() {
    TensorId x =
        g_.input({1, random_.between(8, 24), random_.between(6, 16), random_.between(1, 4)});
    const int64_t most = random_.between(4, AllPlans::kMostInstances);
    while (left(most) > 0) {
      const int64_t kind = random_.between(0, 5);
      if (kind <= 2 && left(most) >= 4) {
        x = inverted_residual(x);
      } else if (kind == 3 && left(most) >= 4) {
        x = branches(x);
      } else {
        x = layer(x, random_.chance(0.3) && shape(x)[1] > 4 ? 2 : 1);
      }
    }
    g_.output(x);
    return g_.graph();
  }

 private:
  [[nodiscard]] int64_t left(int64_t most) { return most - std::ssize(g_.graph().ops); }
  [[nodiscard]] const Shape& shape(TensorId t) { return g_.graph().tensor(t).shape; }

  /// 3, if the chance is good, or 1. The number of plans doubles or so with each window.
  int64_t kernel(double chance) {
    constexpr int kMostWindows = 6;
    const bool large = random_.chance(chance) && windows_ < kMostWindows;
    windows_ += large ? 1 : 0;
    return large ? 3 : 1;
  }

  TensorId layer(TensorId x, int64_t stride) {
    if (random_.chance(0.4)) return g_.depthwise(x, kernel(1), stride);
    return g_.conv(x, random_.between(2, 8), kernel(0.6), stride);
  }

  TensorId inverted_residual(TensorId x) {
    const int64_t channels = shape(x)[3];
    const int64_t stride = random_.chance(0.3) && shape(x)[1] > 4 ? 2 : 1;
    const int64_t out = random_.chance(0.5) ? channels : random_.between(2, 8);
    TensorId y = g_.conv(x, channels * random_.between(2, 6), 1, 1);
    y = g_.conv(g_.depthwise(y, kernel(1), stride), out, 1, 1);
    return shape(x) == shape(y) ? g_.add(x, y) : y;
  }

  TensorId branches(TensorId x) {
    const int64_t channels = random_.between(2, 8);
    const TensorId a = g_.conv(x, channels, kernel(0.5), 1);
    TensorId b = g_.conv(x, channels, kernel(0.5), 1);
    if (random_.chance(0.5)) b = g_.depthwise(b, kernel(1), 1);
    return g_.add(a, b);
  }

  zoo::Random random_;
  TestGraph g_;
  int windows_ = 0;
};

}  // namespace

Graph small_network(uint64_t seed) { return SmallNetwork(seed).build(); }

SmallCase::SmallCase(uint64_t seed)
    : graph(small_network(seed)),
      ports(seed % 2 == 0 ? PortPlaces{} : PortPlaces{Place::kUser, Place::kUser}),
      axes(graph),
      instances(instances_of(graph, ports)),
      flow(axes, instances),
      plans(flow) {}

}  // namespace thimble::testing
