// SPDX-License-Identifier: Apache-2.0
// The networks of the zoo have the sizes that are published for them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/workload.h"
#include "thimble/operators/operators.h"
#include "thimble/plan/order_problem.h"
#include "zoo/zoo.h"

namespace thimble {
namespace {

/// Weights and biases.
int64_t parameters(const Graph& graph) {
  int64_t sum = 0;
  for (const Tensor& t : graph.tensors) sum += t.is_constant() ? elements(t.shape) : 0;
  return sum;
}

struct Size {
  const char* network;
  double mega_macs;        ///< 0: not published
  double mega_parameters;  ///< 0: not published
};
void PrintTo(const Size& size, std::ostream* out) { *out << size.network; }

class PublishedSize : public ::testing::TestWithParam<Size> {};

TEST_P(PublishedSize, IsMet) {
  if (GetParam().mega_macs > 10'000 && !testing::workload().large_networks)
    GTEST_SKIP() << "takes a minute to build: set THIMBLE_LARGE_NETWORKS=1 to run it";
  const Graph graph = build_zoo(GetParam().network);
  const double mega_macs = static_cast<double>(macs(graph)) / 1e6;
  const double mega_parameters = static_cast<double>(parameters(graph)) / 1e6;
  if (GetParam().mega_macs > 0) {
    EXPECT_NEAR(mega_macs / GetParam().mega_macs, 1, 0.01) << mega_macs;
  }
  if (GetParam().mega_parameters > 0) {
    // Papers print tenths of a million.
    const double tolerance =
        std::max(0.01 * GetParam().mega_parameters, GetParam().mega_parameters < 1 ? 0.0 : 0.05);
    EXPECT_NEAR(mega_parameters, GetParam().mega_parameters, tolerance);
  }
}

// MACs as published, or half of the published operations; parameters of the inference network.
// Left out because they are not met (docs/models.md): darts_imagenet 574 M MACs (529.9 M here) and
// randomly_wired 5.6 M parameters (5.74 M).
INSTANTIATE_TEST_SUITE_P(
    Papers, PublishedSize,
    ::testing::Values(Size{"mobilenet_v1", 569, 4.24}, Size{"mobilenet_v2", 300.8, 3.50},
                      Size{"mobilenet_v2:resolution=172", 193, 0},         // Pex, table 3
                      Size{"mobilenet_v2:variant=redistributed", 294, 0},  // Pex, table 3
                      Size{"mobilenet_v2:variant=downsampled", 295, 0},    // Pex, table 3
                      Size{"efficientnet_b0", 385.8, 5.29},
                      Size{"efficientnet_b0:resolution=160", 197.8, 0},
                      Size{"mcunet_v2_large", 216.8, 0},  // the published .tflite
                      Size{"resnet8", 12.50, 0.078},      // MLPerf Tiny
                      Size{"resnet18", 1814, 11.69}, Size{"vgg16", 15470, 138.36},
                      Size{"alexnet", 714.7, 61.10}, Size{"alexnet_2012", 1135, 62.38},
                      Size{"googlenet", 1582, 7.00}, Size{"squeezenet", 349, 1.235},
                      Size{"ds_cnn_s", 2.66, 0}, Size{"ds_cnn_m", 9.83, 0},
                      Size{"ds_cnn_l", 28.3, 0}, Size{"res8", 4.16, 0}, Size{"res15", 116, 0.238},
                      Size{"micronet_kws_s", 8.4, 0}, Size{"micronet_kws_m", 15.6, 0},
                      Size{"micronet_kws_l", 65.7, 0}, Size{"micronet_kws_l_parent", 74.3, 0},
                      Size{"nasnet_a_mobile", 564, 5.3}, Size{"nasnet_a_cifar10", 0, 3.3},
                      Size{"darts_imagenet", 0, 4.7}, Size{"darts_cifar10", 528, 3.3},
                      Size{"amoebanet_a", 555, 5.1}, Size{"randomly_wired", 583, 0}));

struct Peak {
  const char* network;
  int64_t bytes;
};
void PrintTo(const Peak& peak, std::ostream* out) { *out << peak.network; }

class PublishedPeak : public ::testing::TestWithParam<Peak> {};

TEST_P(PublishedPeak, IsThatOfTheFilesOrderWithNothingInPlace) {
  const Graph graph = build_zoo(GetParam().network);
  const OrderProblem problem = order_problem(graph, instances_of(graph, {}), /*in_place=*/false);
  EXPECT_EQ(original_order(problem).peak_bytes, GetParam().bytes);
}

INSTANTIATE_TEST_SUITE_P(
    Papers, PublishedPeak,
    ::testing::Values(Peak{"mobilenet_v2", 1'505'280}, Peak{"mobilenet_v2:resolution=172", 887'520},
                      Peak{"mobilenet_v2:resolution=160,classes=2", 768'000},
                      Peak{"mobilenet_v2:resolution=144,classes=2", 622'080},
                      Peak{"mobilenet_v2:resolution=128,classes=2", 491'520},
                      Peak{"mobilenet_v2:resolution=112,classes=2", 376'320},
                      Peak{"mobilenet_v2:resolution=96,classes=2", 276'480},
                      Peak{"mobilenet_v2:resolution=80,classes=2", 192'000},
                      Peak{"mobilenet_v2:variant=downsampled", 978'432},
                      Peak{"efficientnet_b0:resolution=160", 768'000}, Peak{"res15", 66'150},
                      Peak{"res8", 23'670}, Peak{"ds_cnn_s", 16'000}, Peak{"ds_cnn_m", 54'180},
                      Peak{"ds_cnn_l", 86'940}, Peak{"micronet_kws_s", 51'660},
                      Peak{"micronet_kws_m", 86'100}, Peak{"micronet_kws_l_parent", 169'740},
                      Peak{"mobilenet_v1:width=0.25,resolution=96,channels=1", 55'296},
                      Peak{"reordering_figure1", 5'216}, Peak{"pex_figure1", 52'728},
                      Peak{"motes_figure2", 1'152}));

}  // namespace
}  // namespace thimble
