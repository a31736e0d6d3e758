// SPDX-License-Identifier: Apache-2.0
#include "training/learn/epochs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "thimble/model/error.h"
#include "training/data/augment.h"
#include "zoo/random.h"

namespace thimble::training {
namespace {

constexpr size_t kTestBatch = 200;

/// Of several numbers one that looks like none of them.
uint64_t mixed(uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
  uint64_t seed = a;
  for (const uint64_t next : {b, c, d}) seed = zoo::Random(seed ^ (next + 1)).next();
  return seed;
}

std::vector<size_t> shuffled(size_t count, uint64_t seed) {
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t{0});
  zoo::Random random(seed);
  for (size_t k = count; k > 1; --k)
    std::swap(order[k - 1], order[static_cast<size_t>(random.next() % k)]);
  return order;
}

int64_t correct(const torch::Tensor& scores, const torch::Tensor& labels) {
  return scores.argmax(1).eq(labels).sum().item<int64_t>();
}

torch::Tensor labels_of(const Examples& examples, const std::vector<size_t>& samples) {
  torch::Tensor labels = torch::empty({static_cast<int64_t>(samples.size())}, torch::kInt64);
  for (size_t k = 0; k < samples.size(); ++k)
    labels.data_ptr<int64_t>()[k] = examples.labels[samples[k]];
  return labels;
}

}  // namespace

Pass learn(Network& network, const Taps& taps, const PassOptions& options, uint64_t stage,
           uint64_t epoch, const std::function<bool(int64_t batch, int64_t of)>& after) {
  const Examples& train = options.data.train;
  const auto each = static_cast<size_t>(elements(train.shape));
  const std::vector<size_t> order = shuffled(train.size(), mixed(options.seed, stage, epoch, 0));
  const auto size = static_cast<size_t>(options.batch);
  // A last batch that is small would have statistics of its own.
  const size_t batches = std::max<size_t>(1, train.size() / size);
  Pass pass;
  int64_t right = 0, seen = 0;
  for (size_t b = 0; b < batches; ++b) {
    const size_t begin = b * size, end = std::min(begin + size, train.size());
    const std::vector<size_t> samples(order.begin() + static_cast<std::ptrdiff_t>(begin),
                                      order.begin() + static_cast<std::ptrdiff_t>(end));
    std::vector<float> numbers(samples.size() * each);
    at::parallel_for(0, static_cast<int64_t>(samples.size()), 16, [&](int64_t from, int64_t to) {
      for (auto k = static_cast<size_t>(from); k < static_cast<size_t>(to); ++k) {
        zoo::Random random(mixed(options.seed, stage, epoch, samples[k] + 1));
        augment(options.data, samples[k], random, numbers.data() + k * each);
      }
    });
    const torch::Tensor labels = labels_of(train, samples);
    const torch::Tensor scores = network.scores(network.batch(numbers), true, taps);
    const torch::Tensor loss =
        torch::cross_entropy_loss(scores, labels, {}, 1, -100, options.smoothing);
    const auto now = loss.item<double>();
    if (!std::isfinite(now)) {
      throw CompileError("training", fmt::format("the loss is no number any more, after {} batches "
                                                 "of an epoch: a lower --rate, or samples of the "
                                                 "range that the network takes (--white)",
                                                 b));
    }
    pass.loss += now * static_cast<double>(samples.size());
    right += correct(scores, labels);
    seen += static_cast<int64_t>(samples.size());
    loss.backward();
    if (!after(static_cast<int64_t>(b), static_cast<int64_t>(batches))) {
      pass.stopped = true;
      return pass;
    }
  }
  pass.loss /= static_cast<double>(seen);
  pass.accuracy = static_cast<double>(right) / static_cast<double>(seen);
  return pass;
}

std::vector<float> plain_samples(const Examples& examples, size_t begin, size_t count) {
  const auto each = static_cast<size_t>(elements(examples.shape));
  std::vector<float> numbers(count * each);
  for (size_t k = 0; k < count; ++k) plain(examples, begin + k, numbers.data() + k * each);
  return numbers;
}

double accuracy(Network& network, const Taps& taps, const Examples& examples) {
  const torch::NoGradGuard guard;
  int64_t right = 0;
  for (size_t begin = 0; begin < examples.size(); begin += kTestBatch) {
    const size_t count = std::min(kTestBatch, examples.size() - begin);
    std::vector<size_t> samples(count);
    std::iota(samples.begin(), samples.end(), begin);
    const torch::Tensor x = network.batch(plain_samples(examples, begin, count));
    right += correct(network.scores(x, false, taps), labels_of(examples, samples));
  }
  return static_cast<double>(right) / static_cast<double>(examples.size());
}

}  // namespace thimble::training
