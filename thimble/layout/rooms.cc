// SPDX-License-Identifier: Apache-2.0
// The merging of rooms.h.
#include "thimble/layout/rooms.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "thimble/layout/greedy.h"
#include "thimble/layout/niche_search.h"

namespace thimble::layout {
namespace {

constexpr int64_t kRoomNodes = 500;   ///< for each order, in a room
constexpr size_t kMostExchanged = 4;  ///< blocks of an exchange that is looked for within another

using Numbers = std::vector<size_t>;  ///< of blocks

/// As many bytes begin as end.
struct Exchange {
  Numbers ends, begins;
};

double subsets(size_t count, size_t size) {
  double result = 1;
  for (size_t i = 0; i < size; ++i) {
    result *= static_cast<double>(count - i) / static_cast<double>(i + 1);
  }
  return result;
}

/// Finds a few of some blocks at one boundary that are an exchange.
class ExchangeSearch {
 public:
  /// bytes: of the blocks, negative if they begin; those that end first.
  ExchangeSearch(const std::vector<int64_t>& bytes, double least_ratio, int64_t& work)
      : bytes_(bytes), least_ratio_(least_ratio), work_(work) {}

  /// The smallest, or all.
  Numbers smallest() {
    for (size_t size = 2; size <= kMostExchanged && size < bytes_.size(); ++size) {
      least_bytes_ = least_ratio_ * subsets(bytes_.size(), size);
      if (subsets(bytes_.size(), size) <= kMostSubsets && extend(size, 0, 0, 0)) return chosen_;
    }
    Numbers all(bytes_.size());
    std::iota(all.begin(), all.end(), size_t{0});
    return all;
  }

 private:
  static constexpr double kMostSubsets = 10'000;
  static constexpr int64_t kStepsPerWork = 8;  ///< a step adds two numbers

  bool extend(size_t more, size_t from, int64_t sum, int64_t ended) {
    if (++steps_ % kStepsPerWork == 0) --work_;
    if (more == 0) return sum == 0 && static_cast<double>(ended) >= least_bytes_;
    for (size_t i = from; i < bytes_.size(); ++i) {
      if (sum + bytes_[i] < 0) continue;
      chosen_.push_back(i);
      const int64_t ends = std::max<int64_t>(bytes_[i], 0);
      if (extend(more - 1, i + 1, sum + bytes_[i], ended + ends)) return true;
      chosen_.pop_back();
    }
    return false;
  }

  const std::vector<int64_t>& bytes_;
  const double least_ratio_;
  int64_t& work_;
  int64_t steps_ = 0;
  double least_bytes_ = 0;
  Numbers chosen_;
};

class RoomMerger {
 public:
  RoomMerger(std::vector<Block> blocks, int sections, double least_ratio, SearchBudget& budget)
      : blocks_(std::move(blocks)),
        sections_(sections),
        least_ratio_(least_ratio),
        budget_(budget) {}

  std::vector<Block> run() {
    while (!budget_.spent() && (join() || pack_rooms())) remove_merged();
    return std::move(blocks_);
  }

 private:
  /// Blocks that became part of another have no life.
  [[nodiscard]] static bool merged(const Block& block) { return block.begin == block.end; }
  void remove_merged() { std::erase_if(blocks_, merged); }

  void find_exchanges() {
    exchanges_.assign(index(sections_) + 1, {});
    std::vector<Exchange> all(exchanges_.size());
    for (size_t b = 0; b < blocks_.size(); ++b) {
      all[index(blocks_[b].end)].ends.push_back(b);
      all[index(blocks_[b].begin)].begins.push_back(b);
    }
    for (size_t s = 1; s + 1 < all.size() && !budget_.spent(); ++s) exchanges_[s] = split(all[s]);
  }

  [[nodiscard]] std::vector<Exchange> split(const Exchange& all) {
    Numbers rest = all.ends;
    rest.insert(rest.end(), all.begins.begin(), all.begins.end());
    std::vector<int64_t> bytes;
    for (const size_t b : all.ends) bytes.push_back(blocks_[b].bytes);
    for (const size_t b : all.begins) bytes.push_back(-blocks_[b].bytes);
    std::vector<Exchange> result;
    while (!rest.empty()) {
      Exchange exchange;
      Numbers chosen = ExchangeSearch(bytes, least_ratio_, budget_.work).smallest();
      for (const size_t c : chosen) {
        (bytes[c] > 0 ? exchange.ends : exchange.begins).push_back(rest[c]);
      }
      for (size_t n = chosen.size(); n-- > 0;) {
        const auto at = static_cast<std::ptrdiff_t>(chosen[n]);
        rest.erase(rest.begin() + at);
        bytes.erase(bytes.begin() + at);
      }
      result.push_back(std::move(exchange));
    }
    return result;
  }

  /// Whether anything was joined.
  bool join() {
    find_exchanges();
    bool joined = false;
    for (size_t s = exchanges_.size(); s-- > 0;) {  // backwards: what is joined begins no earlier
      for (const Exchange& exchange : exchanges_[s]) {
        if (exchange.ends.size() != 1 || exchange.begins.size() != 1) continue;
        Block &first = blocks_[exchange.ends[0]], &second = blocks_[exchange.begins[0]];
        first.end = second.end;
        first.parts.insert(first.parts.end(), second.parts.begin(), second.parts.end());
        second.end = second.begin;
        joined = true;
      }
    }
    return joined;
  }

  /// Of the exchanges at hand; whether any was packed.
  bool pack_rooms() {
    std::vector<Numbers> rooms;
    for (const std::vector<Exchange>& at : exchanges_) {
      for (const Exchange& exchange : at) {
        for (const bool forward : {true, false}) {
          Numbers room = contents(forward ? exchange.begins : exchange.ends, forward);
          if (room.size() > 1 && room.size() < blocks_.size()) rooms.push_back(std::move(room));
        }
      }
    }
    std::ranges::stable_sort(rooms, {}, &Numbers::size);
    bool packed = false;
    for (const Numbers& room : rooms) {
      const bool whole = std::ranges::none_of(room, [&](size_t b) { return merged(blocks_[b]); });
      packed = (whole && pack(room)) || packed;
    }
    return packed;
  }

  /// All blocks that lie where these do, from their begin to an end that all share (or backwards);
  /// none if there is no such end.
  [[nodiscard]] Numbers contents(const Numbers& first, bool forward) {
    const auto boundary = [&](size_t b) { return forward ? blocks_[b].end : blocks_[b].begin; };
    Numbers now = first, result = first;
    while (!now.empty()) {
      budget_.work -= std::ssize(now);
      const auto [least, most] = std::ranges::minmax(now, {}, boundary);
      const int at = boundary(forward ? least : most);
      Numbers gone;
      std::erase_if(now, [&](size_t b) {
        if (boundary(b) == at) gone.push_back(b);
        return boundary(b) == at;
      });
      if (now.empty()) {
        std::ranges::sort(result);
        return result;
      }
      for (const Exchange& exchange : exchanges_[index(at)]) {
        const Numbers& out = forward ? exchange.ends : exchange.begins;
        const Numbers& in = forward ? exchange.begins : exchange.ends;
        const auto inside = std::ranges::count_if(
            out, [&](size_t b) { return std::ranges::find(gone, b) != gone.end(); });
        if (inside == 0) continue;
        if (inside != std::ssize(out)) return {};
        now.insert(now.end(), in.begin(), in.end());
        result.insert(result.end(), in.begin(), in.end());
      }
    }
    return {};
  }

  bool pack(const Numbers& room) {
    std::vector<Block> inside;
    std::vector<std::tuple<int, int, int64_t>> name;
    for (const size_t b : room) {
      inside.push_back(blocks_[b]);
      name.emplace_back(blocks_[b].begin, blocks_[b].end, blocks_[b].bytes);
    }
    std::ranges::sort(name);
    if (!tried_.insert(name).second) return false;
    Block block{std::ranges::min(inside, {}, &Block::begin).begin,
                std::ranges::max(inside, {}, &Block::end).end,
                0,
                {}};
    for (const Block& b : inside) block.bytes += b.begin == block.begin ? b.bytes : 0;

    const Problem problem = problem_of(inside, 1);
    const Sweep swept = sweep(problem);
    NicheSearch search(problem, swept);
    for (const std::vector<int>& order : greedy_orders(problem, swept)) {
      const SearchOutcome outcome = search.run(block.bytes, order, kRoomNodes, budget_);
      if (outcome == SearchOutcome::kStopped) continue;
      if (outcome == SearchOutcome::kNone) return false;
      for (size_t i = 0; i < room.size(); ++i) {
        for (const Block::Part& part : inside[i].parts) {
          block.parts.push_back({part.buffer, search.addresses()[i] + part.offset});
        }
        blocks_[room[i]].end = blocks_[room[i]].begin;
      }
      blocks_.push_back(std::move(block));
      return true;
    }
    return false;
  }

  std::vector<Block> blocks_;
  const int sections_;
  const double least_ratio_;  ///< bytes of an exchange per subset tried
  SearchBudget& budget_;
  std::vector<std::vector<Exchange>> exchanges_;                ///< per boundary
  std::set<std::vector<std::tuple<int, int, int64_t>>> tried_;  ///< rooms
};

}  // namespace

std::vector<Block> merge_rooms(std::vector<Block> blocks, int sections, int64_t quantum,
                               double doubt, SearchBudget& budget) {
  return RoomMerger(std::move(blocks), sections, static_cast<double>(quantum) / doubt, budget)
      .run();
}

}  // namespace thimble::layout
