// SPDX-License-Identifier: Apache-2.0
#include "tests/planners/listed_networks.h"

#include <algorithm>
#include <array>
#include <utility>

namespace thimble::testing {
namespace {

using tinyseg::Kind;
using tinyseg::ListedOp;
using tinyseg::OperatorList;

// Images of `rows` x `columns` pixels of int8, halved and doubled in level.
class ListedNetwork {
 public:
  ListedNetwork(int64_t rows, int64_t columns) : pixels_(rows * columns) {}

  int input(int64_t channels, int64_t element_bytes = 1) {
    list_.inputs.push_back(tensor(channels, 0, element_bytes));
    return list_.inputs.back();
  }
  int op(const std::vector<int>& reads, int64_t channels, Kind kind = Kind::kOther) {
    return at(level(reads[0]), reads, channels, kind);
  }
  int conv(int x, int64_t channels) { return op({x}, channels, Kind::kConv); }
  int concat(int a, int b) { return op({a, b}, channels(a) + channels(b), Kind::kConcat); }
  int down(int x, int64_t channels, Kind kind = Kind::kOther) {
    return at(level(x) + 1, {x}, channels, kind);
  }
  int up(int x) { return at(level(x) - 1, {x}, channels(x)); }
  // One value per channel.
  int mean(int x) { return at(kMeanLevel, {x}, channels(x)); }
  int spread(int mean, int like) { return at(level(like), {mean}, channels(mean)); }
  int transposed(int x, int64_t channels, int scratch_bytes) {
    int shape = x;
    for (int k = 0; k < 3; ++k) {
      const std::vector<int> reads{shape};
      list_.tensors.push_back({.size_bytes = 16, .of = {}});
      levels_.push_back(0);
      shape = static_cast<int>(list_.tensors.size()) - 1;
      add(reads, shape, Kind::kOther);
    }
    const int y = at(level(x) - 1, {x, shape}, channels);
    list_.ops.back().scratch_bytes =
        list_.tensors[static_cast<size_t>(y)].size_bytes * scratch_bytes;
    return y;
  }
  int dequantize(int x) {
    const int y = tensor(channels(x), level(x), 4);
    add({x}, y, Kind::kOther);
    return y;
  }
  int64_t channels(int x) const { return list_.tensors[static_cast<size_t>(x)].channels; }
  OperatorList with_output(int x) {
    list_.outputs = {x};
    return std::move(list_);
  }

 private:
  static constexpr int kMeanLevel = 99;

  int level(int x) const { return levels_[static_cast<size_t>(x)]; }
  int tensor(int64_t channels, int level, int64_t element_bytes) {
    const int64_t pixels = level == kMeanLevel ? 1 : pixels_ >> (2 * level);
    const int t = static_cast<int>(list_.tensors.size());
    list_.tensors.push_back(
        {.size_bytes = pixels * channels * element_bytes, .channels = channels, .of = TensorId{t}});
    levels_.push_back(level);
    return t;
  }
  int at(int level, std::vector<int> reads, int64_t channels, Kind kind = Kind::kOther) {
    const int y = tensor(channels, level, 1);
    add(std::move(reads), y, kind);
    return y;
  }
  void add(std::vector<int> reads, int writes, Kind kind) {
    const OpId id{static_cast<int32_t>(list_.ops.size())};
    list_.ops.push_back({.kind = kind, .reads = std::move(reads), .writes = {writes}, .of = id});
  }

  int64_t pixels_;
  std::vector<int> levels_;  // per tensor
  OperatorList list_;
};

}  // namespace

OperatorList listed_tiny_unet(bool float_ports, int scratch_bytes) {
  ListedNetwork net(80, 120);
  int x = float_ports ? net.op({net.input(3, 4)}, 3) : net.input(3);
  std::vector<int> skips;
  for (const int64_t channels : {8, 16, 32}) {
    x = net.conv(net.conv(x, channels), channels);
    skips.push_back(x);
    x = net.down(x, channels);
  }
  x = net.conv(net.conv(x, 64), 64);
  for (const int64_t channels : {16, 8, 4}) {
    const int padded = net.op({net.transposed(x, channels, scratch_bytes)}, channels);
    const int skip = skips.back();
    skips.pop_back();
    x = net.concat(skip, padded);
    x = net.conv(net.conv(x, net.channels(skip)), net.channels(skip));
  }
  x = net.conv(x, 1);
  return net.with_output(float_ports ? net.dequantize(x) : x);
}

OperatorList listed_vnet_2d(int scratch_bytes) {
  ListedNetwork net(128, 128);
  const auto prelu = [&](int x) { return net.op({x}, net.channels(x)); };
  const auto residual = [&](int x, int skip, int64_t channels, int count) {
    for (int k = 0; k < count; ++k) x = prelu(net.conv(x, channels));
    return prelu(net.op({skip, x}, channels));
  };
  constexpr std::array<int64_t, 5> kFilters = {16, 32, 64, 128, 256};
  int x = prelu(net.conv(net.input(1), kFilters[0]));
  std::vector<int> skips = {residual(x, x, kFilters[0], 1)};
  for (size_t k = 1; k < kFilters.size(); ++k) {
    x = prelu(net.down(skips.back(), kFilters[k], Kind::kConv));
    skips.push_back(residual(x, x, kFilters[k], std::min(1 + static_cast<int>(k), 3)));
  }
  x = skips.back();
  for (size_t k = kFilters.size() - 1; k-- > 0;) {
    const int up = prelu(net.transposed(x, kFilters[k], scratch_bytes));
    x = residual(net.concat(up, skips[k]), up, kFilters[k], std::min(1 + static_cast<int>(k), 3));
  }
  x = net.conv(x, 2);
  return net.with_output(net.op({x}, 2));
}

OperatorList listed_attention_unet() {
  ListedNetwork net(128, 128);
  constexpr std::array<int64_t, 4> kFilters = {64, 128, 256, 512};
  int x = net.input(3);
  std::vector<int> skips;
  for (const int64_t channels : kFilters) {
    if (!skips.empty()) x = net.down(x, channels, Kind::kConv);
    x = net.conv(net.conv(x, channels), channels);
    skips.push_back(x);
  }
  for (size_t k = kFilters.size() - 1; k-- > 0;) {
    const int64_t channels = kFilters[k];
    const int up = net.up(x);
    const int theta = net.conv(skips[k], channels / 2);
    const int phi = net.conv(up, channels / 2);
    const int psi = net.conv(net.op({theta, phi}, channels / 2), 1);
    const int gated = net.op({skips[k], net.op({psi}, 1)}, channels);
    x = net.conv(net.conv(net.concat(up, gated), channels), channels);
  }
  x = net.conv(x, 1);
  return net.with_output(net.op({x}, 1));
}

OperatorList listed_resunet_a() {
  ListedNetwork net(128, 128);
  constexpr std::array<int64_t, 6> kFilters = {32, 64, 128, 256, 512, 1024};
  constexpr std::array<int, 6> kDilations = {4, 4, 3, 3, 1, 1};
  const auto block = [&](int x, size_t k) {
    std::vector<int> branches;
    for (int d = 0; d < kDilations[k]; ++d)
      branches.push_back(net.conv(net.conv(x, kFilters[k]), kFilters[k]));
    int sum = branches[0];
    for (size_t d = 1; d < branches.size(); ++d) sum = net.op({sum, branches[d]}, kFilters[k]);
    return sum;
  };
  const auto pyramid = [&](int x, int64_t channels) {
    std::vector<int> parts = {net.spread(net.conv(net.mean(x), channels), x),
                              net.conv(x, channels)};
    for (int d = 0; d < 3; ++d) parts.push_back(net.conv(net.op({x}, net.channels(x)), channels));
    return net.op(parts, 5 * channels, Kind::kConcat);
  };
  std::vector<int> skips = {net.conv(net.input(3), kFilters[0])};
  skips.push_back(block(skips[0], 0));
  for (size_t k = 1; k < kFilters.size(); ++k)
    skips.push_back(block(net.down(skips.back(), kFilters[k], Kind::kConv), k));
  int x = pyramid(skips.back(), 256);
  for (size_t k = kFilters.size() - 1; k-- > 0;) x = block(net.concat(net.up(x), skips[k + 1]), k);
  x = pyramid(net.concat(skips[0], x), 128);
  x = net.conv(x, 1);
  return net.with_output(net.op({x}, 1));
}

}  // namespace thimble::testing
