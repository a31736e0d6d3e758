// SPDX-License-Identifier: Apache-2.0
// Weights that fade, and their order. The constants were tried on the problems of
// bench/layout_bench.cc.
#include "thimble/layout/learning_order.h"

#include <algorithm>
#include <utility>

namespace thimble::layout {
namespace {

constexpr double kLearnt = 3;        ///< of the largest weight, in lengths of the base order
constexpr double kChance = 0.05;     ///< likewise
constexpr double kMemory = 0.9;      ///< what is left of a weight after a search
constexpr uint32_t kChances = 1024;  ///< steps of chance

}  // namespace

LearningOrder::LearningOrder(std::vector<int> base)
    : base_(std::move(base)), weight_(base_.size(), 0) {}

std::vector<int> LearningOrder::next(std::mt19937& random) const {
  double largest = 1;
  for (const double weight : weight_) largest = std::max(largest, weight);
  std::vector<std::pair<double, int>> keyed;
  for (size_t place = 0; place < base_.size(); ++place) {
    const int buffer = base_[place];
    const double by_base = static_cast<double>(place) / static_cast<double>(base_.size());
    const double learnt = kLearnt * weight_[static_cast<size_t>(buffer)] / largest;
    const double chance = kChance * static_cast<double>(random() % kChances) / kChances;
    keyed.emplace_back(by_base - learnt + chance, buffer);
  }
  std::stable_sort(keyed.begin(), keyed.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<int> result;
  for (const auto& [key, buffer] : keyed) result.push_back(buffer);
  return result;
}

void LearningOrder::learn(const std::vector<int64_t>& blame) {
  for (size_t b = 0; b < weight_.size(); ++b) {
    weight_[b] = kMemory * (weight_[b] + static_cast<double>(blame[b]));
  }
}

}  // namespace thimble::layout
