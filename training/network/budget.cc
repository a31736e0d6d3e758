// SPDX-License-Identifier: Apache-2.0
#include "training/network/budget.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "thimble/model/error.h"
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

/// The `count` open channels of least margin closed; one stays.
void close_least(std::vector<bool>& open, const std::vector<float>& margins, int64_t count) {
  std::vector<size_t> order;
  for (size_t c = 0; c < open.size(); ++c) {
    if (open[c]) order.push_back(c);
  }
  std::ranges::stable_sort(order, {}, [&](size_t c) { return margins[c]; });
  count = std::min(count, static_cast<int64_t>(order.size()) - 1);
  for (int64_t k = 0; k < count; ++k) open[order[static_cast<size_t>(k)]] = false;
}

/// A tenth of what is open.
int64_t step_of(const std::vector<bool>& open) {
  return std::max<int64_t>(1, open_channels(open) / 10);
}

/// What is beyond the budget, in shares of it.
double excess(const Footprint& footprint, const Budget& budget) {
  double sum = 0;
  for (const Limited& l : kLimits) {
    if (!(budget.*l.limit)) continue;
    const auto limit = static_cast<double>(*(budget.*l.limit));
    sum += std::max(0.0, static_cast<double>(footprint.*l.taken) / limit - 1);
  }
  return sum;
}

std::vector<std::vector<float>> equal_margins(const Channels& channels) {
  std::vector<std::vector<float>> margins;
  for (size_t g = 0; g < channels.groups(); ++g)
    margins.emplace_back(static_cast<size_t>(channels.count(g)), 1.0F);
  return margins;
}

}  // namespace

bool Budget::met_by(const Footprint& footprint) const { return excess(footprint, *this) == 0; }

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

const Footprint& Compiler::footprint(const Kept& kept) {
  std::vector<int64_t> widths;
  for (const std::vector<bool>& open : kept) widths.push_back(open_channels(open));
  const auto found = known_.find(widths);
  if (found != known_.end()) return found->second;
  return known_
      .emplace(widths, training::footprint(without_channels(graph_, channels_, kept), options_))
      .first->second;
}

std::vector<bool> Compiler::groups_at_peak(const Footprint& footprint) const {
  std::vector<bool> result(channels_.groups(), false);
  for (const TensorId t : footprint.at_peak) {
    for (const ChannelOf& channel : channels_.of(t)) {
      if (channel.group >= 0) result[static_cast<size_t>(channel.group)] = true;
    }
  }
  return result;
}

std::vector<double> Compiler::pressure(const Kept& kept, const Budget& budget) {
  std::vector<double> result(channels_.groups(), 0);
  const Footprint now = footprint(kept);
  if (budget.met_by(now)) return result;
  const double beyond = excess(now, budget);
  const bool only_memory = budget.sram_bytes &&
                           (!budget.weight_bytes || now.weight_bytes <= *budget.weight_bytes) &&
                           (!budget.macs || now.macs <= *budget.macs);
  const std::vector<bool> at_peak = groups_at_peak(now);
  const std::vector<std::vector<float>> margins = equal_margins(channels_);
  double all = 0;
  for (size_t g = 0; g < result.size(); ++g) {
    if ((only_memory && !at_peak[g]) || open_channels(kept[g]) <= 1) continue;
    const int64_t step = step_of(kept[g]);
    Kept fewer = kept;
    close_least(fewer[g], margins[g], step);
    result[g] =
        std::max(0.0, beyond - excess(footprint(fewer), budget)) / static_cast<double>(step);
    all += result[g];
  }
  if (all > 0) return result;
  // Several peaks are equal: no group alone lowers them.
  for (size_t g = 0; g < result.size(); ++g) {
    if (at_peak[g] && open_channels(kept[g]) > 1)
      result[g] = beyond / static_cast<double>(open_channels(kept[g]));
  }
  return result;
}

Kept Compiler::trimmed(Kept kept, const Budget& budget,
                       const std::vector<std::vector<float>>& margins) {
  while (!budget.met_by(footprint(kept))) {
    const double beyond = excess(footprint(kept), budget);
    const std::vector<double> presses = pressure(kept, budget);
    std::optional<size_t> best;
    double best_price = 0;
    for (size_t g = 0; g < kept.size(); ++g) {
      if (presses[g] <= 0) continue;
      float least = std::numeric_limits<float>::infinity(), lowest = least;
      for (size_t c = 0; c < kept[g].size(); ++c) {
        lowest = std::min(lowest, margins[g][c]);
        if (kept[g][c]) least = std::min(least, margins[g][c]);
      }
      const double price = (static_cast<double>(least - lowest) + 0.1) / presses[g];
      if (!best || price < best_price) {
        best = g;
        best_price = price;
      }
    }
    if (!best) {
      throw CompileError("training", fmt::format("the budget cannot be met: {}",
                                                 to_string(footprint(kept), budget)));
    }
    // No more at once than what is beyond wants.
    const auto wanted = static_cast<int64_t>(beyond / presses[*best] / 2);
    close_least(kept[*best], margins[*best], std::clamp<int64_t>(wanted, 1, step_of(kept[*best])));
  }
  return kept;
}

void Compiler::check_possible(const Budget& budget) {
  if (!budget.any()) return;
  Kept least = all_kept(channels_);
  for (std::vector<bool>& open : least)
    for (size_t c = 1; c < open.size(); ++c) open[c] = false;
  const Footprint& smallest = footprint(least);
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
             const std::vector<std::vector<float>>& margins) {
  const auto with = [&](double share) {
    Kept kept = all_kept(channels);
    for (size_t g = 0; g < kept.size(); ++g) {
      const auto count = static_cast<double>(kept[g].size());
      close_least(kept[g], margins[g], std::llround(count * (1 - share)));
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
