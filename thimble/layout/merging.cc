// SPDX-License-Identifier: Apache-2.0
// The guesses of merging.h.
#include "thimble/layout/merging.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace thimble::layout {
namespace {

struct Pair {
  double key;  ///< those with the least first
  size_t first, second;
  bool stacked;
};

class Merger {
 public:
  Merger(std::vector<Block> blocks, std::mt19937& random)
      : blocks_(std::move(blocks)), random_(random) {}

  std::vector<Block> run(size_t most, int64_t& work) {
    while (blocks_.size() > most) {
      work -= std::ssize(blocks_);
      std::vector<Pair> pairs = stacks();
      follow(pairs);
      if (pairs.empty()) break;
      std::ranges::stable_sort(pairs, {}, &Pair::key);
      merge(pairs, pairs.size() / kRounds + 1);
    }
    return std::move(blocks_);
  }

 private:
  using Numbers = std::vector<size_t>;
  size_t any(const Numbers& numbers) { return numbers[random_() % numbers.size()]; }

  /// The area of both, as chance sees it.
  Pair pair(size_t first, size_t second, bool stacked) {
    double area = 0;
    for (const size_t b : {first, second}) {
      area += static_cast<double>(blocks_[b].end - blocks_[b].begin) *
              static_cast<double>(blocks_[b].bytes);
    }
    const double chance = static_cast<double>(random_() % kChances) / kChances;
    return {area * (1 + kChance * chance), first, second, stacked};
  }

  /// One pair of each life.
  std::vector<Pair> stacks() {
    std::map<std::pair<int, int>, Numbers> by_life;
    for (size_t b = 0; b < blocks_.size(); ++b)
      by_life[{blocks_[b].begin, blocks_[b].end}].push_back(b);
    std::vector<Pair> result;
    for (auto& [life, numbers] : by_life) {
      if (numbers.size() < 2) continue;
      const size_t first = any(numbers);
      std::erase(numbers, first);
      result.push_back(pair(first, any(numbers), true));
    }
    return result;
  }

  /// For each block one that can follow it.
  void follow(std::vector<Pair>& pairs) {
    std::map<std::pair<int, int64_t>, Numbers> by_begin;
    for (size_t b = 0; b < blocks_.size(); ++b)
      by_begin[{blocks_[b].begin, blocks_[b].bytes}].push_back(b);
    for (size_t b = 0; b < blocks_.size(); ++b) {
      const auto next = by_begin.find({blocks_[b].end, blocks_[b].bytes});
      if (next != by_begin.end()) pairs.push_back(pair(b, any(next->second), false));
    }
  }

  void merge(const std::vector<Pair>& pairs, size_t most) {
    std::vector<bool> changed(blocks_.size(), false);
    for (const Pair& pair : pairs) {
      if (changed[pair.first] || changed[pair.second]) continue;
      changed[pair.first] = changed[pair.second] = true;
      Block &first = blocks_[pair.first], &second = blocks_[pair.second];
      for (Block::Part part : second.parts) {
        part.offset += pair.stacked ? first.bytes : 0;
        first.parts.push_back(part);
      }
      if (pair.stacked) {
        first.bytes += second.bytes;
      } else {
        first.end = second.end;
      }
      second.begin = second.end;
      if (--most == 0) break;
    }
    std::erase_if(blocks_, [](const Block& block) { return block.begin == block.end; });
  }

  static constexpr size_t kRounds = 8;  ///< one of so many pairs is merged before new ones are made
  static constexpr double kChance = 3;  ///< a pair may be put behind those so many times larger
  static constexpr uint32_t kChances = 1024;  ///< steps of chance
  std::vector<Block> blocks_;
  std::mt19937& random_;
};

}  // namespace

std::vector<Block> merge_by_chance(std::vector<Block> blocks, size_t most, std::mt19937& random,
                                   int64_t& work) {
  return Merger(std::move(blocks), random).run(most, work);
}

}  // namespace thimble::layout
