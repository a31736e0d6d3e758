// SPDX-License-Identifier: Apache-2.0
#include "training/learn/gates.h"

#include <gtest/gtest.h>

#include "zoo/zoo.h"

namespace thimble::training {
namespace {

class GatesOfResnet : public ::testing::Test {
 protected:
  GatesOfResnet() { network_.initialise(1); }
  Taps taps() {
    return {.activation = [this](TensorId t, const torch::Tensor& x) { return gates_.tap(t, x); }};
  }
  torch::Tensor scores(bool training) {
    const torch::Tensor x = torch::ones({4, 3, 32, 32}) * 0.5;
    return network_.scores(x, training, taps());
  }

  Graph graph_ = build_zoo_float("resnet8");
  Channels channels_{graph_};
  Network network_{graph_, true};
  Gates gates_{channels_, network_};
};

TEST_F(GatesOfResnet, ChangeNothingWhileAllAreOpen) {
  const torch::Tensor x = torch::ones({4, 3, 32, 32}) * 0.5;
  EXPECT_TRUE(torch::equal(scores(false), network_.scores(x, false)));
}

TEST_F(GatesOfResnet, LearnWhatEachChannelIsWorth) {
  Kept kept = gates_.kept();
  kept[0][3] = false;
  gates_.keep(kept);
  torch::cross_entropy_loss(scores(true), torch::tensor({0, 1, 2, 3}, torch::kInt64)).backward();
  gates_.learn();
  size_t worth_something = 0, all = 0;
  for (const std::vector<float>& group : gates_.worths()) {
    for (const float worth : group) {
      ++all;
      worth_something += worth > 1e-11F ? 1 : 0;
    }
  }
  EXPECT_GT(worth_something, all / 4);
  EXPECT_EQ(gates_.kept(), kept);
}

TEST_F(GatesOfResnet, ExchangeClosedChannelsThatAreWorthMore) {
  const torch::NoGradGuard guard;
  Kept kept = gates_.kept();
  kept[0][0] = kept[0][1] = false;
  gates_.keep(kept);
  gates_.averages()[0].fill_(1);
  gates_.averages()[0][0] = 5.0;  // comes back, for
  gates_.averages()[0][4] = 0.5;
  gates_.averages()[0][1] = 1.5;  // not worth so much more than any that is open
  gates_.exchange();
  kept[0][0] = true;
  kept[0][4] = false;
  EXPECT_EQ(gates_.kept(), kept);
}

}  // namespace
}  // namespace thimble::training
