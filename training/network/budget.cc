// SPDX-License-Identifier: Apache-2.0
#include "training/network/budget.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "thimble/model/error.h"
#include "thimble/operators/operators.h"
#include "zoo/random.h"

namespace thimble::training {
namespace {

/// Budget and what it is of, in one order.
struct Limited {
  const char* name;
  std::optional<int64_t> Budget::*limit;
  int64_t Footprint::*taken;
};
constexpr Limited kLimits[] = {{"arena", &Budget::sram_bytes, &Footprint::arena_bytes},
                               {"weights", &Budget::weight_bytes, &Footprint::weight_bytes},
                               {"MACs", &Budget::macs, &Footprint::macs}};

int64_t open_channels(const std::vector<bool>& open) { return std::ranges::count(open, true); }

/// The `count` open channels that are worth least closed; one stays.
void close_least(std::vector<bool>& open, const std::vector<float>& worths, int64_t count) {
  std::vector<size_t> order;
  for (size_t c = 0; c < open.size(); ++c) {
    if (open[c]) order.push_back(c);
  }
  std::ranges::stable_sort(order, {}, [&](size_t c) { return worths[c]; });
  count = std::min(count, static_cast<int64_t>(order.size()) - 1);
  for (int64_t k = 0; k < count; ++k) open[order[static_cast<size_t>(k)]] = false;
}

/// As many as may be closed before the compiler is asked again.
int64_t step_of(const std::vector<bool>& open) {
  return std::max<int64_t>(1, open_channels(open) / 16);
}

}  // namespace

double Budget::excess(const Footprint& footprint) const {
  double sum = 0;
  for (const Limited& l : kLimits) {
    if (!(this->*l.limit)) continue;
    const auto limit = static_cast<double>(*(this->*l.limit));
    sum += std::max(0.0, static_cast<double>(footprint.*l.taken) / limit - 1);
  }
  return sum;
}

Budget Budget::on_the_way(const Footprint& from, double progress) const {
  Budget result = *this;
  for (const Limited& l : kLimits) {
    if (!(this->*l.limit)) continue;
    const auto begin = static_cast<double>(from.*l.taken),
               end = static_cast<double>(*(this->*l.limit));
    if (begin <= end) continue;
    result.*l.limit = std::llround(begin * std::pow(end / begin, std::min(progress, 1.0)));
  }
  return result;
}

std::string to_string(const Footprint& footprint, const Budget& budget) {
  std::vector<std::string> parts;
  for (const Limited& l : kLimits) {
    parts.push_back(budget.*l.limit
                        ? fmt::format("{} {} of {}", l.name, footprint.*l.taken, *(budget.*l.limit))
                        : fmt::format("{} {}", l.name, footprint.*l.taken));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

Footprint Compiler::footprint(const Kept& kept) {
  std::vector<int64_t> widths;
  for (const std::vector<bool>& open : kept) widths.push_back(open_channels(open));
  auto known = known_.find(widths);
  if (known == known_.end()) {
    known = known_
                .emplace(widths,
                         training::footprint(without_channels(graph_, channels_, kept), options_))
                .first;
  }
  Footprint result = known->second;
  result.arena_bytes = std::llround(static_cast<double>(result.arena_bytes) * arena_ratio_);
  return result;
}

void Compiler::adjust_to(Compiler& exact, const Kept& kept) {
  arena_ratio_ = 1;
  const auto own = static_cast<double>(footprint(kept).arena_bytes);
  if (own > 0) arena_ratio_ = static_cast<double>(exact.footprint(kept).arena_bytes) / own;
}

std::vector<double> Compiler::pressure(const Kept& kept, const Budget& budget) {
  std::vector<double> result(channels_.groups(), 0);
  const Footprint now = footprint(kept);
  if (budget.sram_bytes && now.arena_bytes > *budget.sram_bytes) {
    for (const auto& [tensor, bytes] : now.at_peak) {
      std::vector<double> open(channels_.groups(), 0);
      double all = 0;
      for (const auto& [group, channel] : channels_.of(tensor)) {
        if (group >= 0 && !kept[static_cast<size_t>(group)][static_cast<size_t>(channel)]) continue;
        ++all;
        if (group >= 0) ++open[static_cast<size_t>(group)];
      }
      for (size_t g = 0; g < open.size(); ++g) {
        if (open[g] == 0) continue;
        const double a_channel = static_cast<double>(bytes) * open[g] / all /
                                 static_cast<double>(open_channels(kept[g]));
        result[g] += a_channel / static_cast<double>(*budget.sram_bytes);
      }
    }
  }
  const bool heavy = budget.weight_bytes && now.weight_bytes > *budget.weight_bytes,
             slow = budget.macs && now.macs > *budget.macs;
  if (heavy || slow) {
    const Graph with = without_channels(graph_, channels_, kept);
    for (size_t g = 0; g < result.size(); ++g) {
      if (open_channels(kept[g]) <= 1) continue;
      Kept fewer = kept;
      *std::ranges::find(fewer[g], true) = false;
      const Graph without = without_channels(graph_, channels_, fewer);
      if (heavy) {
        result[g] += static_cast<double>(int8_weight_bytes(with) - int8_weight_bytes(without)) /
                     static_cast<double>(*budget.weight_bytes);
      }
      if (slow) {
        result[g] += static_cast<double>(thimble::macs(with) - thimble::macs(without)) /
                     static_cast<double>(*budget.macs);
      }
    }
  }
  for (size_t g = 0; g < result.size(); ++g)
    if (open_channels(kept[g]) <= 1) result[g] = 0;
  return result;
}

Kept Compiler::trimmed(Kept kept, const Budget& budget,
                       const std::vector<std::vector<float>>& worths,
                       std::optional<size_t> most_times) {
  for (size_t n = 0; (!most_times || n < *most_times) && !budget.met_by(footprint(kept)); ++n) {
    const double beyond = budget.excess(footprint(kept));
    const std::vector<double> presses = pressure(kept, budget);
    std::optional<size_t> best;
    double best_price = 0;
    for (size_t g = 0; g < kept.size(); ++g) {
      if (presses[g] <= 0) continue;
      float least = std::numeric_limits<float>::infinity();
      for (size_t c = 0; c < kept[g].size(); ++c)
        if (kept[g][c]) least = std::min(least, worths[g][c]);
      const double price = least / presses[g];
      if (!best || price < best_price) {
        best = g;
        best_price = price;
      }
    }
    if (!best && most_times) break;
    if (!best) {
      throw CompileError("training", fmt::format("the budget cannot be met: {}",
                                                 to_string(footprint(kept), budget)));
    }
    // No more at once than what is beyond wants.
    const auto wanted = static_cast<int64_t>(beyond / presses[*best] / 2);
    close_least(kept[*best], worths[*best], std::clamp<int64_t>(wanted, 1, step_of(kept[*best])));
  }
  return kept;
}

void Compiler::check_possible(const Budget& budget) {
  if (!budget.any()) return;
  Kept least = all_kept(channels_);
  for (std::vector<bool>& open : least)
    for (size_t c = 1; c < open.size(); ++c) open[c] = false;
  const Footprint smallest = footprint(least);
  if (budget.met_by(smallest)) return;
  throw CompileError(
      "training",
      fmt::format("the budget cannot be met by fewer channels: with one channel in each "
                  "layer it takes {}",
                  to_string(smallest, budget)));
}

Kept all_kept(const Channels& channels) {
  Kept kept;
  for (size_t g = 0; g < channels.groups(); ++g)
    kept.emplace_back(static_cast<size_t>(channels.count(g)), true);
  return kept;
}

Kept uniform(Compiler& compiler, const Channels& channels, const Budget& budget,
             const std::vector<std::vector<float>>& worths) {
  const auto with = [&](double share) {
    Kept kept = all_kept(channels);
    for (size_t g = 0; g < kept.size(); ++g) {
      const auto count = static_cast<double>(kept[g].size());
      close_least(kept[g], worths[g], std::llround(count * (1 - share)));
    }
    return kept;
  };
  if (budget.met_by(compiler.footprint(with(1)))) return with(1);
  double least = 0, most = 1;
  for (int k = 0; k < 10; ++k) {
    const double share = (least + most) / 2;
    (budget.met_by(compiler.footprint(with(share))) ? least : most) = share;
  }
  return with(least);
}

Kept by_chance(Compiler& compiler, const Channels& channels, const Budget& budget, uint64_t seed) {
  std::vector<std::pair<size_t, size_t>> all;
  for (size_t g = 0; g < channels.groups(); ++g)
    for (size_t c = 0; c < static_cast<size_t>(channels.count(g)); ++c) all.emplace_back(g, c);
  zoo::Random random(seed);
  for (size_t k = all.size(); k > 1; --k)
    std::swap(all[k - 1], all[static_cast<size_t>(random.between(0, static_cast<int64_t>(k) - 1))]);
  const auto without = [&](size_t count) {
    Kept kept = all_kept(channels);
    for (size_t k = 0; k < count; ++k) {
      std::vector<bool>& open = kept[all[k].first];
      if (open_channels(open) > 1) open[all[k].second] = false;
    }
    return kept;
  };
  size_t least = 0, most = all.size();
  while (least < most) {
    const size_t count = (least + most) / 2;
    if (budget.met_by(compiler.footprint(without(count))))
      most = count;
    else
      least = count + 1;
  }
  return without(least);
}

}  // namespace thimble::training
