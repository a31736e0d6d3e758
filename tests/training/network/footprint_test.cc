// SPDX-License-Identifier: Apache-2.0
#include "training/network/footprint.h"

#include <gtest/gtest.h>

#include "thimble/driver/driver.h"
#include "training/network/channels.h"
#include "zoo/zoo.h"

namespace thimble::training {
namespace {

/// As `thimble plan` says of the zoo's int8 network.
int64_t arena_of_zoo(const std::string& spec, const std::string& planner) {
  Request request{.model = source_of(build_zoo(spec))};
  request.planner = planner;
  return std::get<Compiled>(compile(request)).program.arena_bytes();
}

TEST(Footprint, IsThatOfTheInt8Network) {
  for (const char* network : {"resnet8", "ds_cnn_s", "micronet_kws_l_parent"}) {
    const Graph graph = build_zoo_float(network);
    for (const char* planner : {"auto", "pex", "original"}) {
      const Footprint asked = footprint(graph, {.planner = planner});
      EXPECT_EQ(asked.arena_bytes, arena_of_zoo(network, planner)) << network << ' ' << planner;
      EXPECT_FALSE(asked.at_peak.empty()) << network << ' ' << planner;
    }
  }
}

// Pex, appendix, models of Speech Commands: RES-15 has 44.6 kB with partial sums of 8 bits.
TEST(Footprint, OfPexWithNarrowSums) {
  const Footprint asked =
      footprint(build_zoo_float("res15"), {.planner = "pex:accounting=paper,accumulators=8"});
  EXPECT_EQ(asked.arena_bytes, 44'590);
}

TEST(Footprint, NamesWhatIsAtThePeak) {
  const Graph graph = build_zoo_float("resnet8");
  const Footprint asked = footprint(graph, {.planner = "original"});
  int64_t sum = 0;
  for (const Footprint::AtPeak& at : asked.at_peak) {
    EXPECT_EQ(at.bytes, elements(graph.tensor(at.tensor).shape));
    sum += at.bytes;
  }
  EXPECT_EQ(sum, asked.arena_bytes);
}

TEST(Footprint, CountsWeights) {
  const Graph graph = build_zoo_float("resnet8");
  EXPECT_EQ(int8_weight_bytes(graph), footprint(graph, {.planner = "original"}).weight_bytes);
  EXPECT_EQ(int8_weight_bytes(graph), 78'744);
}

}  // namespace
}  // namespace thimble::training
