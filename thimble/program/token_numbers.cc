// SPDX-License-Identifier: Apache-2.0
#include "thimble/program/token_numbers.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace thimble {
namespace {

/// From the first position that has a token to the last; of all that goes on from one iteration of
/// a loop to the next, at least that loop.
class TokenLives {
 public:
  explicit TokenLives(const Schedule& schedule)
      : lives_(static_cast<size_t>(schedule.token_count), LiveRange{0, 0}) {
    walk(schedule.nodes);
  }
  [[nodiscard]] const std::vector<LiveRange>& lives() const { return lives_; }

 private:
  void walk(const std::vector<Node>& nodes) {
    for (const Node& node : nodes) {
      visit_node(
          node, [&](const Step& step) { visit(step); },
          [&](const Loop& loop) {
            const Position begin = next_;
            walk(loop.body);
            for (const TokenId token : flying_) extend(token, {begin, next_});
          });
    }
  }

  void visit(const Step& step) {
    const Position at = next_++;
    if (step.transfer == TransferPart::kNone) return;
    extend(step.token, {at, at + 1});
    if (step.transfer == TransferPart::kWait) {
      flying_.erase(step.token);
    } else {
      flying_.insert(step.token);
    }
  }

  void extend(TokenId token, const LiveRange& by) {
    LiveRange& live = lives_[token.index()];
    if (live.begin == live.end) live = by;
    live = {std::min(live.begin, by.begin), std::max(live.end, by.end)};
  }

  std::vector<LiveRange> lives_;
  std::set<TokenId> flying_;
  Position next_ = 0;
};

}  // namespace

TokenNumbers token_numbers(const Schedule& schedule) {
  const std::vector<LiveRange> lives = TokenLives(schedule).lives();
  std::vector<size_t> order(lives.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t token) { return lives[token].begin; });
  TokenNumbers result{.of = std::vector<TokenId>(lives.size()), .count = 0};
  std::vector<Position> free_from;  // by number
  for (const size_t token : order) {
    const auto free =
        std::ranges::find_if(free_from, [&](Position from) { return from <= lives[token].begin; });
    result.of[token] = {static_cast<int32_t>(free - free_from.begin())};
    if (free == free_from.end()) {
      free_from.push_back(lives[token].end);
    } else {
      *free = lives[token].end;
    }
  }
  result.count = static_cast<int>(free_from.size());
  return result;
}

}  // namespace thimble
